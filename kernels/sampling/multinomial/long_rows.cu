/* Multinomial counts of rows of more than a tile. The nodes of level 0 are the items of all these rows; a tile of nodes
 * of a level is a node of the next one, up to a row's root. Sums go up the levels, then draws go down, a warp a tile.
 * The draws of a node take the place of its sum. */
#include "../tree.cuh"
#include "multinomial.cuh"

#include <cub/device/device_scan.cuh>

namespace spg
{
namespace multinomial
{

namespace
{

enum { TILE_LEVELS = tile_tree<WARP>::MOST_LEVELS, LEVELS = 4 };
static_assert(LEVELS * TILE_LEVELS >= 31, "a row has less than 2^31 items");

/* The nodes of a row at a level; 0 above its root. */
__host__ __device__ inline int64_t nodes_of(int64_t items, int level)
{
    int64_t nodes = items;
    for (int l = 0; l < level; ++l) nodes = nodes > 1 ? (nodes + TILE - 1) / TILE : 0;
    return nodes;
}

struct long_row {
    int64_t row, begin, items;
};

/* The rows, in device memory. */
struct long_rows {
    const long_row *list;
    int64_t count;
    const int64_t *begins[LEVELS + 1]; /* where each row's nodes of a level begin, from level 1 on; count + 1 */
    double *nodes[LEVELS + 1];         /* from level 1 on */
    double *scales;                    /* of the weights, by row */
};

/* A tile of a level. */
struct level_tile {
    long_row of;
    int64_t place, number, nodes; /* of the row in the list, of the tile in the row; the row's nodes at the level */
    bool is_top;

    __device__ level_tile(const long_rows &rows, int level, int64_t tile)
    {
        const int64_t *begins = rows.begins[level + 1];
        place = last_at_most(begins, 0, rows.count, tile);
        of = rows.list[place];
        number = tile - begins[place];
        nodes = nodes_of(of.items, level);
        is_top = nodes <= TILE;
    }
    /* The node of a lane: its place in the row, and whether there is one. */
    __device__ int64_t node(int chunk) const { return number * TILE + lane_in_warp() + WARP * chunk; }
    __device__ bool has(int chunk) const { return node(chunk) < nodes; }

    __device__ void load(const count_job &job, const long_rows &rows, int level, double scale, double (&loaded)[CHUNKS],
                         bool *sound) const
    {
        for (int c = 0; c < CHUNKS; ++c) {
            double number = 0;
            if (has(c))
                number = level == 0 ? job.weights[of.begin + node(c)]
                                    : rows.nodes[level][rows.begins[level][place] + node(c)];
            if (level == 0) *sound &= is_sound_weight(number);
            loaded[c] = level == 0 ? multiply(number, scale) : number;
        }
    }
};

/* Adds up the tiles of a level. again: of rows that have been given a scale. */
__global__ void __launch_bounds__(THREADS)
    sum_level_kernel(const __grid_constant__ count_job job, const __grid_constant__ long_rows rows, int level,
                     bool again)
{
    int64_t step = (int64_t)gridDim.x * (THREADS / WARP), tiles = rows.begins[level + 1][rows.count];
    for (int64_t t = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP; t < tiles; t += step) {
        level_tile tile(rows, level, t);
        double scale = again ? rows.scales[tile.place] : 1, loaded[CHUNKS];
        bool sound = true;
        if (again && scale == 1) continue;
        tile.load(job, rows, level, scale, loaded, &sound);
        if (!sound) report_first(job.first_fault, tile.of.row);
        double sum = tree::sum_all_chunks(loaded);
        if (lane_in_warp() == 0) rows.nodes[level + 1][t] = sum;
    }
}

/* Splits the draws of the tiles of a level among their nodes. */
__global__ void __launch_bounds__(THREADS)
    split_level_kernel(const __grid_constant__ count_job job, const __grid_constant__ long_rows rows, int level)
{
    __shared__ uint64_t slots[THREADS / WARP][2 * TILE];
    int64_t step = (int64_t)gridDim.x * (THREADS / WARP), tiles = rows.begins[level + 1][rows.count];
    for (int64_t t = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP; t < tiles; t += step) {
        level_tile tile(rows, level, t);
        tile_tree<WARP> tree = {slots[threadIdx.x / WARP], lane_in_warp(),
                                tile.is_top ? spg_levels(tile.nodes) : (int)TILE_LEVELS};
        double loaded[CHUNKS];
        bool unused = true;
        tile.load(job, rows, level, rows.scales[tile.place], loaded, &unused);
        double sum = tree.fill(loaded);
        int64_t draws = tile.is_top ? job.draws_of(tile.of.row, sum, true, lane_in_warp())
                                    : __double_as_longlong(rows.nodes[level + 1][t]);
        int above = spg_levels(tile.of.items) - TILE_LEVELS * (level + 1);
        uint64_t number = tile.is_top ? 1 : ((uint64_t)1 << above) + (uint64_t)tile.number;
        tree.split(draws, spg_multinomial_key(&job.random, tile.of.row), number);
        for (int c = 0; c < CHUNKS; ++c) {
            if (!tile.has(c)) continue;
            if (level == 0)
                job.counts[tile.of.begin + tile.node(c)] = (int64_t)tree.leaf(c);
            else
                rows.nodes[level][rows.begins[level][tile.place] + tile.node(c)] =
                    __longlong_as_double((long long)tree.leaf(c));
        }
    }
}

/* Lists the rows, in any order. */
spg_status list_rows(workspace &work, const count_job &job, long_rows *rows)
{
    spg_report *report = spg_cuda_of(work.context)->report;
    unsigned long long *cursor = reinterpret_cast<unsigned long long *>(&report->figures[2]); /* begins at -1 */
    long_row *list = nullptr;
    spg_status status = work.take(rows->count, "long rows", &list);
    rows->list = list;
    if (status != SPG_OK) return status;
    return for_each(work.context, job.rows, "long rows", [=] __device__(int64_t i) {
        int64_t begin = job.offsets[i], items = job.offsets[i + 1] - begin;
        if (items > TILE) list[atomicAdd(cursor, 1ull) + 1] = {i, begin, items};
    });
}

/* Where rows begin at each level. */
spg_status scan_levels(workspace &work, int levels, long_rows *rows)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    const long_row *list = rows->list;
    int64_t *memory = nullptr, count = rows->count;
    char *room = nullptr;
    size_t bytes = 0;
    auto scan = [&](void *temporary, int64_t *begins) {
        return spg_cuda_check(
            context, cub::DeviceScan::ExclusiveSum(temporary, bytes, begins, begins, count + 1, stream), "long rows");
    };
    spg_status status = work.take((count + 1) * LEVELS, "levels of long rows", &memory);
    if (status == SPG_OK) status = scan(nullptr, memory);
    if (status == SPG_OK) status = work.take((int64_t)bytes, "levels of long rows", &room);
    for (int level = 1; status == SPG_OK && level <= levels; ++level) {
        int64_t *begins = memory + (count + 1) * (level - 1);
        rows->begins[level] = begins;
        status = for_each(context, count + 1, "levels of long rows",
                          [=] __device__(int64_t k) { begins[k] = k < count ? nodes_of(list[k].items, level) : 0; });
        if (status == SPG_OK) status = scan(room, begins);
    }
    return status;
}

/* Room for the nodes of all levels above the items, by an upper bound of their number. */
spg_status take_nodes(workspace &work, const count_job &job, int levels, long_rows *rows)
{
    double *memory = nullptr;
    int64_t most[LEVELS + 1] = {job.nnz}, all = rows->count;
    for (int level = 1; level <= levels; ++level) all += most[level] = most[level - 1] / TILE + rows->count;
    spg_status status = work.take(all, "sums of tiles of weights", &memory);
    if (status != SPG_OK) return status;
    rows->scales = memory;
    memory += rows->count;
    for (int level = 1; level <= levels; memory += most[level++]) rows->nodes[level] = memory;
    return SPG_OK;
}

spg_status find_scales(spg_context *context, const long_rows &rows)
{
    return for_each(context, rows.count, "scales of long rows", [=] __device__(int64_t k) {
        int level = 1;
        while (nodes_of(rows.list[k].items, level) > 1) ++level;
        rows.scales[k] = rows.nodes[level][rows.begins[level][k]] > LARGEST ? SPG_SCALE_DOWN : 1;
    });
}

} // namespace

spg_status count_long_rows(workspace &work, const count_job &job, int64_t count, int64_t longest)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    long_rows rows = {};
    rows.count = count;
    int levels = 1;
    while (nodes_of(longest, levels) > 1) ++levels;
    spg_status status = list_rows(work, job, &rows);
    if (status == SPG_OK) status = scan_levels(work, levels, &rows);
    if (status == SPG_OK) status = take_nodes(work, job, levels, &rows);
    auto blocks = [&](int level) {
        int64_t most = job.nnz;
        for (int l = 0; l <= level; ++l) most = most / TILE + count;
        return loop_blocks(context, (most + THREADS / WARP - 1) / (THREADS / WARP));
    };
    for (int again = 0; again <= (job.weights.wide ? 1 : 0); ++again) {
        for (int level = 0; status == SPG_OK && level < levels; ++level) {
            sum_level_kernel<<<blocks(level), THREADS, 0, stream>>>(job, rows, level, again != 0);
            status = spg_cuda_check_launch(context, "sums of long rows");
        }
        if (status == SPG_OK && again == 0) status = find_scales(context, rows);
    }
    for (int level = levels - 1; status == SPG_OK && level >= 0; --level) {
        split_level_kernel<<<blocks(level), THREADS, 0, stream>>>(job, rows, level);
        status = spg_cuda_check_launch(context, "counts of draws");
    }
    return status;
}

} // namespace multinomial
} // namespace spg
