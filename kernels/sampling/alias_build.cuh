/* The stages of building one big alias table in parallel. Private.
 *
 *   pack_greedily   PSA+: tiles pair their own items; what they leave goes on
 *   leave_all       PSA: nothing is paired yet
 *   scan_left       where each tile's leftovers go in the lists, and how many there are
 *   list_left       partition with prefix sums: two lists of the lights and the heavies left, in order
 *   pack_lists      split (where each block's part of both lists begins) and pack */
#ifndef SPG_KERNELS_SAMPLING_ALIAS_BUILD_CUH
#define SPG_KERNELS_SAMPLING_ALIAS_BUILD_CUH

#include "alias_tile.cuh"

namespace spg
{
namespace alias
{

enum { THREADS = 256, TILE = THREADS * ITEMS };
static_assert((int)TILE == (int)SPG_ALIAS_TILE, "a block pairs a tile");

/* What tiles leave, and by a scan what those before a tile leave. */
struct left_items {
    uint64_t lacks, over;
    uint32_t lights, heavies;

    __host__ __device__ left_items operator+(const left_items &b) const
    {
        return {lacks + b.lacks, over + b.over, lights + b.lights, heavies + b.heavies};
    }
};

/* Where in a tile its leftovers begin, and its last heavy if that is left as a light (else -1). */
struct left_place {
    int16_t from, last_heavy;
};

/* Of all tiles, in device memory; `left` has one more. */
struct tile_notes {
    left_items *left;
    left_place *places;
};

/* The leftovers of all tiles: for lights what those before them lack, for heavies what they and those before them have
 * over. */
struct left_lists {
    uint64_t *lacks, *over;
    int32_t *light_items, *heavy_items;
    left_items all;
};

inline int64_t tiles_of(int64_t items) { return (items + TILE - 1) / TILE; }

spg_status pack_greedily(spg_context *context, const table_job &job, bool exact, const row_sum *sum,
                         const tile_notes &notes);
spg_status leave_all(spg_context *context, const table_job &job, bool exact, const row_sum *sum,
                     const tile_notes &notes);
spg_status scan_left(workspace &work, int64_t items, const tile_notes &notes);
spg_status list_left(spg_context *context, const table_job &job, bool exact, const tile_notes &notes,
                     const left_lists &lists);
spg_status pack_lists(workspace &work, const table_job &job, bool exact, const row_sum *sum, const left_lists &lists);

/* Rows of at most a tile, all at once: row_list[0, *count) of a matrix with these offsets. */
struct rows_job {
    numbers_view offsets;
    weights_view weights;
    void *table;
    unsigned long long *first_fault;
};
spg_status build_by_thread(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                           const uint32_t *count, int64_t most);
spg_status build_by_warp(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                         const uint32_t *count, int64_t most);
spg_status build_by_block(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                          const uint32_t *count, int64_t most);
enum { THREAD_ITEMS = 32, WARP_ITEMS = WARP * ITEMS };

} // namespace alias
} // namespace spg

#endif
