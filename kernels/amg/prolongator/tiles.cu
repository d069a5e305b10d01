/* The values of the smoothed prolongator for one candidate, by tiles of rows. Neighbouring lanes multiply neighbouring
 * entries of A and put products and aggregates into shared memory; then each entry of P takes its products in storage
 * order. Never waits. */
#include "values.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { TILE_ENTRIES = 2048, TILE_BATCH = 4 }; /* of A in a tile; of these, entries that a thread loads together */
enum {
    TILES_A_MULTIPROCESSOR = 4
}; /* tiles at least, with fewer entries if A has few rows; amg_bench,
    * H100 */

template <typename Value> struct tile_memory {
    Value products[TILE_ENTRIES]; /* of A's entries with T */
    int32_t aggregates[TILE_ENTRIES];
    int64_t begins[THREADS + 1], firsts[THREADS + 1]; /* of the tile's rows, in A and in P */
};

static_assert((int)TILE_ENTRIES >= (int)WINDOW, "a tile's products lend their room to long rows");

/* Entries [begin, begin + count) of A. */
template <typename Value>
__device__ void multiply_entries(const values_job<Value> &job, int64_t begin, int count, tile_memory<Value> &tile)
{
    const int32_t *columns = job.A.columns + begin;
    const Value *values = job.A.values + begin;
    for (int e = (int)threadIdx.x; e < count; e += TILE_BATCH * THREADS) {
        int32_t found[TILE_BATCH];
        Value products[TILE_BATCH];
#pragma unroll
        for (int u = 0; u < TILE_BATCH; ++u) {
            found[u] = e + u * THREADS < count ? columns[e + u * THREADS] : -1;
            products[u] = e + u * THREADS < count ? values[e + u * THREADS] : (Value)0;
        }
#pragma unroll
        for (int u = 0; u < TILE_BATCH; ++u) {
            if (found[u] < 0) continue;
            tile.products[e + u * THREADS] = products[u] * job.T[found[u]];
            tile.aggregates[e + u * THREADS] = job.aggregates[found[u]];
        }
    }
}

/* Fills P's rows `row` to `end` of the tile that begins with row `first`. */
template <typename Value>
__device__ void fill_rows(const values_job<Value> &job, double scale, int64_t first, int row, int end,
                          tile_memory<Value> &tile)
{
    const int64_t base = tile.begins[row], p_end = tile.firsts[end];
    multiply_entries(job, base, (int)(tile.begins[end] - base), tile);
    __syncthreads();
    for (int64_t p = tile.firsts[row] + (int)threadIdx.x; p < p_end; p += THREADS) {
        const int32_t aggregate = job.columns[p];
        const int of = first_that(row, end, [&](int r) { return tile.firsts[r + 1] > p; });
        const int last = (int)(tile.begins[of + 1] - base);
        Value sum = 0;
        for (int e = (int)(tile.begins[of] - base); e < last; ++e)
            if (tile.aggregates[e] == aggregate) sum += tile.products[e];
        put_value(job, scale, first + of, p, sum);
    }
    __syncthreads();
}

template <typename Value> __global__ __launch_bounds__(THREADS, 6) void fill_tiles(values_job<Value> job, int rows)
{
    __shared__ tile_memory<Value> tile;
    wait_and_trigger();
    const double scale = job.scale();
    bool sees_long = false;
    for (int64_t first = (int64_t)blockIdx.x * rows; first < job.A.rows; first += (int64_t)gridDim.x * rows) {
        const int count = (int)(job.A.rows - first < rows ? job.A.rows - first : rows);
        for (int r = (int)threadIdx.x; r <= count; r += THREADS) {
            tile.begins[r] = job.A.offsets[first + r];
            tile.firsts[r] = job.offsets[first + r];
        }
        __syncthreads();
        for (int row = 0; row < count;) {
            const int r = row + 1 + (int)threadIdx.x;
            const int fitting = __syncthreads_count(r <= count && tile.begins[r] - tile.begins[row] <= job.longest);
            if (fitting > 0) fill_rows(job, scale, first, row, row + fitting, tile);
            sees_long = sees_long || fitting == 0;
            row += fitting > 0 ? fitting : 1;
        }
        __syncthreads();
    }
    if (sees_long) fill_long_rows(job, scale, rows, tile.products);
}

} // namespace

template <typename Value> spg_status queue_tiles(spg_context *context, values_job<Value> job, int64_t nnz)
{
    const int64_t mean = nnz / job.A.rows + 1, fitting = TILE_ENTRIES / mean;
    const int64_t shared = job.A.rows / (TILES_A_MULTIPROCESSOR * (int64_t)spg_cuda_of(context)->multiprocessors) + 1;
    int rows = fitting < 1 ? 1 : fitting < THREADS ? (int)fitting : (int)THREADS;
    if (rows > shared) rows = (int)shared;
    job.longest = TILE_ENTRIES;
    return launch_programmatic(context, spg_cuda_of(context)->stream, "a prolongator's values",
                               blocks_for_groups(context, (job.A.rows + rows - 1) / rows, THREADS), THREADS, 0,
                               fill_tiles<Value>, job, rows);
}

template spg_status queue_tiles(spg_context *, values_job<float>, int64_t);
template spg_status queue_tiles(spg_context *, values_job<double>, int64_t);

} // namespace amg

} // namespace spg
