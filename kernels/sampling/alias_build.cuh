/* The stages of building one big alias table in parallel. Private.
 *
 *   pack_greedily   PSA+: tiles pair their own items; what they leave goes on
 *   leave_all       PSA: nothing is paired yet
 *   scan_left       where each tile's leftovers go in the lists, and how many there are, which the host is told
 *   list_left       partition with prefix sums: two lists of the lights and the heavies left, in order
 *   pack_lists      split (where each block's part of both lists begins) and pack */
#ifndef SPG_KERNELS_SAMPLING_ALIAS_BUILD_CUH
#define SPG_KERNELS_SAMPLING_ALIAS_BUILD_CUH

#include "alias_tile.cuh"

namespace spg
{
namespace alias
{

enum { THREADS = 256, WARPS = THREADS / WARP, TILE = THREADS * ITEMS };
static_assert((int)TILE == (int)SPG_ALIAS_TILE, "a block pairs a tile");

/* What tiles leave. */
struct left_items {
    uint64_t lacks, over;
    uint32_t lights, heavies;

    __host__ __device__ left_items operator+(const left_items &b) const
    {
        return {lacks + b.lacks, over + b.over, lights + b.lights, heavies + b.heavies};
    }
};

/* Where in a tile its leftovers begin (TILE: it has none), and its last heavy if that is left as a light (else -1). */
struct left_place {
    int16_t from, last_heavy;
};

/* Why what tiles leave is of no use. */
enum build_fault { ENDLESS_SUM = 1, NO_SUM = 2, FAULT_REPORTED = 4 };

struct left_by_all {
    left_items items;
    unsigned int faults;
};

/* Notes on a row that is being built, in device memory. Tiles are numbered in groups of TILE. */
struct build_notes {
    row_sum *sum;
    left_by_all *all;
    left_items *left;   /* by tile: what those of its group before it leave */
    left_items *groups; /* what groups before it leave */
    left_place *places; /* by tile */
    unsigned int *done; /* groups that are scanned */
    unsigned long long *first_fault;

    __device__ left_items before(int64_t tile) const { return groups[tile / TILE] + left[tile]; }
};

inline int64_t tiles_of(int64_t items) { return (items + TILE - 1) / TILE; }
inline int64_t groups_of(int64_t items) { return (tiles_of(items) + TILE - 1) / TILE; }

/* The leftovers of all tiles: for lights what those before them lack, for heavies what they and those before them have
 * over. Lights stand from the front, heavies from the end. The kernels that fill and read the lists do nothing where
 * there is no room for all, or there are faults. */
struct left_lists {
    uint64_t *sums;
    int32_t *items;
    int64_t room;
    const left_by_all *all; /* device memory */

    __device__ bool are_usable() const
    {
        return all->faults == 0 && (int64_t)all->items.lights + all->items.heavies <= room;
    }
    __device__ uint64_t &lacks(int64_t light) const { return sums[light]; }
    __device__ uint64_t &over(int64_t heavy) const { return sums[room - 1 - heavy]; }
    __device__ int32_t &light_item(int64_t light) const { return items[light]; }
    __device__ int32_t &heavy_item(int64_t heavy) const { return items[room - 1 - heavy]; }
};

spg_status pack_greedily(spg_context *context, const table_job &job, bool exact, const build_notes &notes);
spg_status leave_all(spg_context *context, const table_job &job, bool exact, const build_notes &notes);
/* *post: the number of the post that tells the host, in a tally's nnz how many are left, in its faults those. */
spg_status scan_left(spg_context *context, const table_job &job, const build_notes &notes, unsigned int *post);
spg_status list_left(spg_context *context, const table_job &job, bool exact, const build_notes &notes,
                     const left_lists &lists);
/* most: no more than so many are in the lists. p_ary: a kernel of its own splits them (PSA). */
spg_status pack_lists(workspace &work, const table_job &job, bool exact, bool p_ary, int64_t most, const row_sum *sum,
                      const left_lists &lists);

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
