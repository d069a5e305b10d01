/* The stages of building big alias tables in parallel, for one row that takes the whole device or for many rows at
 * once. Private.
 *
 *   pack_greedily   PSA+: tiles pair their own items and leave the rest
 *   leave_all       PSA: leaves all items unpaired
 *   scan_left       scans where each tile's leftovers go in the lists, and posts their number to the host
 *   list_left       partition with prefix sums: two ordered lists, of the lights and of the heavies left
 *   pack_lists      split (where each block's part of both lists begins) and pack
 *
 * If spg_config.timing is set, events mark the ends of a row's phases. */
#ifndef SPG_KERNELS_SAMPLING_ALIAS_BUILD_CUH
#define SPG_KERNELS_SAMPLING_ALIAS_BUILD_CUH

#include "tile.cuh"

namespace spg
{
namespace alias
{

enum { THREADS = 256, WARPS = THREADS / WARP, TILE = THREADS * ITEMS };
static_assert((int)TILE == (int)SPG_ALIAS_TILE, "a block pairs a tile");

/* What tiles leave unpaired. */
struct left_items {
    uint64_t lacks, over;
    uint32_t lights, heavies;

    __host__ __device__ left_items operator+(const left_items &b) const
    {
        return {lacks + b.lacks, over + b.over, lights + b.lights, heavies + b.heavies};
    }
};

/* Where a tile's leftovers begin (TILE: none), and its last heavy if left as a light (else -1). */
struct left_place {
    int16_t from, last_heavy;
};

/* Why the leftovers of tiles cannot be used. */
enum build_fault { ENDLESS_SUM = 1, NO_SUM = 2, FAULT_REPORTED = 4 };

struct left_by_all {
    left_items items;
    unsigned int faults;
    /* For one of many rows: where its lists begin among all lists, and the number of its first part. */
    unsigned int first_part;
    int64_t begin;
};

/* Notes on a row while it is built, in device memory. Tiles are numbered in groups of TILE. */
struct build_notes {
    row_sum *sum;
    left_by_all *all;
    left_items *left;   /* by tile: what the earlier tiles of its group leave */
    left_items *groups; /* what earlier groups leave */
    left_place *places; /* by tile */
    unsigned int *done; /* groups that have been scanned */
    unsigned long long *first_fault;

    __device__ left_items before(int64_t tile) const { return groups[tile / TILE] + left[tile]; }
};

inline __host__ __device__ int64_t tiles_of(int64_t items) { return (items + TILE - 1) / TILE; }
inline int64_t groups_of(int64_t items) { return (tiles_of(items) + TILE - 1) / TILE; }

/* A tile of a row, or a part of the merge of its lists. */
struct row_tile {
    table_job job;
    build_notes notes;
    int64_t tile;
};

/* The leftovers of all tiles. For a light, the sum of what the lights before it lack; for a heavy, the sum of what it
 * and the heavies before it have in excess. Lights are stored from the front, heavies from the end. Kernels that fill
 * or read the lists do nothing if there is not enough room, or after a fault. */
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

/* The data of the stages, for one row: */
struct one_row {
    table_job job;
    build_notes notes;

    __host__ __device__ int64_t tiles() const { return tiles_of(job.items); }
    __device__ row_tile tile(int64_t k) const { return {job, notes, k}; }
    __device__ row_tile part(int64_t k) const { return {job, notes, k}; }
    __device__ left_lists lists_of(const left_lists &all, const build_notes &) const { return all; }
};

/* What many rows leave; zero before. */
struct left_of_rows {
    unsigned long long count;
    unsigned int parts, faults, done;
    left_items none;
};

/* Or for many rows; their lists are consecutive, and each has no more than its own room. */
struct many_rows {
    big_rows rows;
    weights_view weights; /* of the matrix */
    char *table;
    int64_t row_bytes;
    build_notes notes;    /* sum and all: by row; groups: an empty one, shared by all */
    int32_t *row_of_part; /* room for one number a tile */
    left_of_rows *left;

    __host__ __device__ int64_t tiles() const { return rows.tiles; }
    __device__ row_tile of_row(int32_t k, const big_row &row) const
    {
        return {{weights.from(row.begin), row.items, table + row.begin * row_bytes, spg_fraction_bits(row.items)},
                {notes.sum + k, notes.all + k, notes.left + row.first_tile, notes.groups, notes.places + row.first_tile,
                 notes.done, notes.first_fault},
                0};
    }
    __device__ row_tile tile(int64_t k) const
    {
        int32_t place = rows.row_of_tile[k];
        big_row row = rows.list[place];
        row_tile found = of_row(place, row);
        found.tile = k - row.first_tile;
        return found;
    }
    __device__ row_tile part(int64_t k) const
    {
        int32_t place = row_of_part[k];
        row_tile found = of_row(place, rows.list[place]);
        found.tile = k - found.notes.all->first_part;
        return found;
    }
    __device__ left_lists lists_of(const left_lists &all, const build_notes &of) const
    {
        int64_t begin = of.all->begin, room = (int64_t)of.all->items.lights + of.all->items.heavies;
        return {all.sums + begin, all.items + begin, room, of.all};
    }
};

/* Times the phases of building one row; phases that are not reached take no time. */
class build_clock
{
  public:
    enum phase { BEGIN, SUM, TILES, PARTITION, SPLIT, PACK, PHASES };

    build_clock() = default;
    build_clock(const build_clock &) = delete;
    build_clock &operator=(const build_clock &) = delete;
    ~build_clock();

    /* This and the next functions do nothing unless the context times its stages. */
    spg_status start(spg_context *context);
    /* Marks the end of a phase, and of the later phases until they are marked. */
    void stamp(phase ended);
    /* Waits for the end. */
    spg_status read(spg_context *context, spg_alias_stats *stats);

  private:
    cudaStream_t stream_ = nullptr;
    cudaError_t error_ = cudaSuccess; /* of stamps */
    cudaEvent_t events_[PHASES] = {};
};

/* How pack_lists splits. */
struct packing {
    bool splits_ahead; /* in a separate kernel (PSA) */
    bool binary;
    int chunks; /* parts a block, 1 unless splits_ahead */
    build_clock *clock;
    int64_t *splits; /* receives the splits of the separate kernel */
};

/* Rows: one_row or many_rows. */
template <typename Rows> spg_status pack_greedily(spg_context *context, const Rows &rows, bool exact);
template <typename Rows> spg_status leave_all(spg_context *context, const Rows &rows, bool exact);
/* *post: the number of the post. In its counters, nnz is the number of items left and faults are build_fault bits; for
 * many rows, products is the number of parts of their lists. */
spg_status scan_left(spg_context *context, const one_row &row, unsigned int *post);
spg_status scan_left(spg_context *context, const many_rows &rows, unsigned int *post);
template <typename Rows>
spg_status list_left(spg_context *context, const Rows &rows, bool exact, const left_lists &lists);
/* most: upper bound of the items in the lists. */
spg_status pack_lists(workspace &work, const one_row &row, bool exact, const packing &how, int64_t most,
                      const left_lists &lists);
spg_status pack_lists(spg_context *context, const many_rows &rows, bool exact, int64_t parts, const left_lists &lists);

/* Builds all rows at once; each has more than a tile and at most TILE tiles. `rows` is in host memory; its first_tile
 * is set here. *endless: a sum was infinite, and the tables are invalid. */
spg_status build_many(const workspace &held, weights_view weights, const spg_alias &alias, big_row *rows, int32_t count,
                      bool *endless);

/* Rows of at most a tile, all at once: row_list[0, *count) of a matrix with these offsets. */
struct rows_job {
    numbers_view offsets;
    weights_view weights;
    void *table;
    unsigned long long *first_fault;
};
spg_status build_short(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                       const uint32_t *count, int64_t most);
spg_status build_by_warp(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                         const uint32_t *count, int64_t most);
spg_status build_by_block(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                          const uint32_t *count, int64_t most);
enum { SHORT_ITEMS = WARP, WARP_ITEMS = WARP * ITEMS };

__device__ inline double target_of(int64_t items, int fraction_bits)
{
    return multiply((double)items, spg_power_of_two(fraction_bits));
}
__device__ inline bool is_sound_sum(double sum) { return sum > 0 && sum <= LARGEST; }

/* A bucket's own units, and the item that owns the rest: its place in the row. */
struct bucket_share {
    uint64_t units;
    int alias;
};

/* Writes the bucket of entry `entry` of the matrix, at `place` in its row. x: its units, still a double. */
template <bool EXACT>
__device__ inline void store_bucket(const rows_job &job, int64_t entry, int fraction_bits, int place, double x,
                                    bucket_share share)
{
    uint64_t full = (uint64_t)1 << fraction_bits;
    if constexpr (EXACT) {
        bool light = spg_alias_units(x, place) < full;
        double threshold = multiply(light ? x : (double)share.units, spg_power_of_two(-fraction_bits));
        static_cast<spg_alias_exact *>(job.table)[entry] = {share.units == full ? 1.0 : threshold, share.alias, 0};
    } else {
        static_cast<uint64_t *>(job.table)[entry] = compact_bits(share.units, fraction_bits, place, share.alias);
    }
}

} // namespace alias
} // namespace spg

#endif
