/* The values of the smoothed prolongator for several candidates and nodes of three or six unknowns, by tiles of nodes.
 *
 * Threads take a row of A, a candidate, and one part of the row's blocks. They sum in shared memory, one sum for each
 * block of P's row, for one chunk of A's columns at a time: they copy its values to shared memory and find the block of
 * P's row for its nodes. The sums of the parts are added in order. A node is regular if its rows of A have the same
 * columns, and these are of whole nodes. Rows of other nodes are done by groups of lanes, those with very many entries
 * by the whole block. Never waits. */
#include "rows.cuh"

#include <cuda_pipeline.h>

namespace spg
{

namespace amg
{

namespace
{

enum { ROWS_CHECKED = 3 };

/* parts: of a row's blocks, at most; batch: blocks that a thread takes at a time; sums: of a thread, enough for most
 * rows of P; staged: values of A in a chunk. The sizes fit two or three candidates; four blocks of threads fit a
 * multiprocessor. amg_bench, H100 */
template <int Unknowns> struct tile_limits;
template <> struct tile_limits<3> {
    enum { parts = 1, batch = 3, sums = 10, staged = 3402, rows = 126, listed = 420 };
};
template <> struct tile_limits<6> {
    enum { parts = 3, batch = 2, sums = 12, staged = 3240, rows = 42, listed = 90 };
};

/* The same for all tiles. */
template <int Unknowns> struct tile_shape {
    using limits = tile_limits<Unknowns>;
    int width; /* threads of a node's rows, candidates and one part */
    int parts;
    int nodes;  /* of a tile */
    int stride; /* values from row to row of a chunk; odd, so that rows begin in different banks */
    int blocks; /* of a row in a chunk */
    int listed; /* the same, rounded up to whole batches */

    explicit tile_shape(int candidates) : width(Unknowns * candidates)
    {
        const int most = THREADS / width, batch = limits::batch;
        parts = most < limits::parts ? most : (int)limits::parts;
        nodes = THREADS / (width * parts);
        stride = (limits::staged / (nodes * Unknowns) - 1) | 1;
        blocks = stride / Unknowns;
        listed = (blocks + batch - 1) / batch * batch;
    }
};

template <int Unknowns, typename Value> struct node_memory {
    using limits = tile_limits<Unknowns>;
    Value values[limits::staged];       /* of A in the chunk, by rows */
    Value sums[limits::sums * THREADS]; /* those of a thread at a stride of THREADS */
    int2 blocks[limits::listed];        /* of the chunk, by nodes: where T has its rows, and the index of its sum, or
                                         * -1 */
    int64_t begins[limits::rows + 1];   /* of A's rows */
    int32_t aggregates[limits::rows / Unknowns * limits::sums]; /* of the sums, by nodes; -2: none */
    int lengths[limits::rows / Unknowns];   /* of A's rows, in blocks; 0 if a node is known to be irregular */
    int irregular[limits::rows / Unknowns]; /* by node: not 0 if irregular */
};

/* A tile, and a thread's own part of it. */
template <int Unknowns, typename Value> struct node_tile {
    using limits = tile_limits<Unknowns>;
    static_assert((int)limits::sums * (int)THREADS >= (int)WINDOW, "sums lend their room to long rows");

    static constexpr int SUMS = limits::sums;

    const values_job<Value> &job;
    const tile_shape<Unknowns> &shape;
    node_memory<Unknowns, Value> &memory;
    int64_t first; /* row */
    int nodes;
    int part, node, row, candidate; /* row: in the tile; node: beyond the tile's if the thread has none */

    /* A constant if parts is 1. */
    __device__ int parts() const { return limits::parts == 1 ? 1 : shape.parts; }

    /* Loads what is known of A's rows and P's before the columns; all threads call it. */
    __device__ void load_rows() const
    {
        for (int r = (int)threadIdx.x; r <= nodes * Unknowns; r += THREADS) memory.begins[r] = job.A.offsets[first + r];
        list_aggregates(0);
        __syncthreads();
        for (int n = (int)threadIdx.x; n < nodes; n += THREADS) {
            const int64_t *begins = memory.begins + n * Unknowns, length = begins[1] - begins[0];
            bool differs = length > job.longest || length % Unknowns != 0;
#pragma unroll
            for (int r = 1; r < Unknowns; ++r) differs = differs || begins[r + 1] - begins[r] != length;
            memory.irregular[n] = differs;
            memory.lengths[n] = differs ? 0 : (int)length / Unknowns;
        }
        __syncthreads();
    }

    /* Lists the aggregates of blocks low to low + sums - 1 of P's rows, and zeroes the sums. */
    __device__ void list_aggregates(int low) const
    {
        for (int k = (int)threadIdx.x; k < nodes * SUMS; k += THREADS) {
            const int64_t of = first + k / SUMS * Unknowns, p = job.offsets[of] + (low + k % SUMS) * job.candidates;
            memory.aggregates[k] = p < job.offsets[of + 1] ? job.by_candidates.quotient(job.columns[p]) : -2;
        }
#pragma unroll
        for (int s = 0; s < SUMS; ++s) memory.sums[s * THREADS + threadIdx.x] = 0;
    }

    /* Starts loads of A's values in blocks from `begin` on of each row, a warp a row. */
    __device__ void stage(int begin) const
    {
        for (int r = (int)threadIdx.x / WARP; r < nodes * Unknowns; r += THREADS / WARP) {
            const int left = memory.lengths[r / Unknowns] - begin;
            const int count = (left < shape.blocks ? left : shape.blocks) * Unknowns;
            const Value *values = job.A.values + memory.begins[r] + begin * Unknowns;
            for (int e = lane_in_warp(); e < count; e += WARP)
                __pipeline_memcpy_async(memory.values + r * shape.stride + e, values + e, sizeof *values);
        }
        __pipeline_commit();
    }

    /* Finds the same blocks by the first row of a node; ROWS_CHECKED rows check that all rows agree. */
    __device__ void find_blocks(int begin) const
    {
        constexpr int checks = Unknowns / ROWS_CHECKED;
        for (int k = (int)threadIdx.x; k < nodes * shape.listed * checks; k += THREADS) {
            const int of = k / checks, check = k % checks, n = of / shape.listed, b = begin + of % shape.listed;
            const bool is_block = b < memory.lengths[n] && b < begin + shape.blocks;
            if (check == 0 && !is_block) memory.blocks[of] = make_int2(0, -1);
            if (!is_block) continue;
            const int64_t *begins = memory.begins + n * Unknowns;
            const int32_t column = job.A.columns[begins[0] + b * Unknowns];
            int32_t differs = column % Unknowns;
#pragma unroll
            for (int r = check * ROWS_CHECKED; r < (check + 1) * ROWS_CHECKED; ++r)
#pragma unroll
                for (int c = 0; c < Unknowns; ++c)
                    differs |= job.A.columns[begins[r] + b * Unknowns + c] ^ (column + c);
            if (differs != 0) memory.irregular[n] = 1;
            if (check == 0) memory.blocks[of] = make_int2(column * job.candidates, sum_of(n, column / Unknowns));
        }
    }

    /* The index of the sum of node `other`'s aggregate for node n of the tile; -1: none. */
    __device__ int sum_of(int n, int other) const
    {
        const int32_t aggregate = job.aggregates.aggregate_of[other];
        int found = -1;
#pragma unroll
        for (int s = 0; s < SUMS; ++s) found = memory.aggregates[n * SUMS + s] == aggregate ? s * THREADS : found;
        return found;
    }

    /* Adds the products of the thread's row with its candidate, for its part of the blocks. */
    __device__ void add_blocks(int begin) const
    {
        constexpr int batch = limits::batch;
        const int left = node < nodes ? memory.lengths[node] - begin : 0;
        const int count = left < shape.blocks ? left : shape.blocks, step = parts() * batch;
        const int2 *blocks = memory.blocks + node * shape.listed + part * batch;
        const Value *values = memory.values + row * shape.stride + part * batch * Unknowns;
        const Value *T[Unknowns];
#pragma unroll
        for (int c = 0; c < Unknowns; ++c) T[c] = job.T + c * job.candidates + candidate;
        for (int b = part * batch; b < count; b += step, blocks += step, values += step * Unknowns) {
            Value factors[batch][Unknowns];
#pragma unroll
            for (int u = 0; u < batch; ++u)
#pragma unroll
                for (int c = 0; c < Unknowns; ++c) factors[u][c] = T[c][blocks[u].x];
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                const int at = blocks[u].y;
                Value sum = 0;
#pragma unroll
                for (int c = 0; c < Unknowns; ++c) sum = fma(values[u * Unknowns + c], factors[u][c], sum);
                if (at >= 0) memory.sums[at + threadIdx.x] += sum;
            }
        }
    }

    /* p: the row's first entry of P. Each part takes some of the blocks of P's row. */
    __device__ void put_values(double scale, int64_t p, int low) const
    {
        if (node >= nodes || memory.irregular[node] != 0) return;
        const int64_t at = first + row;
        const Value factor = (Value)(scale * (double)job.inverse[at]);
        const Value of_row = job.T[at * job.candidates + candidate];
        const int32_t own = job.aggregates[at];
        const int32_t *aggregates = memory.aggregates + node * SUMS;
        const int apart = shape.nodes * shape.width;
        const Value *sums = memory.sums + threadIdx.x - part * apart;
        Value *values = job.values + p + low * job.candidates + candidate;
        for (int s = part; s < SUMS && aggregates[s] != -2; s += parts()) {
            Value sum = 0;
            for (int of = 0; of < parts(); ++of) sum += sums[s * THREADS + of * apart];
            values[s * job.candidates] = (aggregates[s] == own ? of_row : (Value)0) - factor * sum;
        }
    }

    __device__ void fill(double scale) const
    {
        const int length = node < nodes ? memory.lengths[node] : 0;
        const int64_t p = node < nodes ? job.offsets[first + row] : 0;
        const int count = length > 0 ? (int)(job.offsets[first + row + 1] - p) : 0;
        for (int low = 0;;) {
            int begin = 0;
            do {
                stage(begin);
                find_blocks(begin);
                __pipeline_wait_prior(0);
                __syncthreads();
                add_blocks(begin);
                begin += shape.blocks;
            } while (__syncthreads_or(begin < length));
            put_values(scale, p, low);
            low += SUMS;
            if (!__syncthreads_or(low * job.candidates < count)) break;
            list_aggregates(low);
            __syncthreads();
        }
    }

    /* Returns whether some rows are left to the whole block. */
    __device__ bool fill_unsorted(double scale) const
    {
        const int of_warp = WARP / (job.candidates * job.lanes), groups = THREADS / WARP * of_warp;
        const int group = lane_in_warp() / (job.candidates * job.lanes);
        const lane_of_row at(job.candidates, job.lanes);
        bool sees_long = false;
        if (group >= of_warp) return false;
        for (int r = (int)threadIdx.x / WARP * of_warp + group; r < nodes * Unknowns; r += groups) {
            if (memory.irregular[r / Unknowns] == 0) continue;
            sees_long = sees_long || job.is_long(first + r);
            if (!job.is_long(first + r)) fill_row(job, scale, first + r, at);
        }
        return sees_long;
    }
};

template <int Unknowns, typename Value>
__global__ __launch_bounds__(THREADS, 4) void fill_nodes(values_job<Value> job, tile_shape<Unknowns> shape)
{
    extern __shared__ __align__(16) unsigned char shared[];
    auto &memory = *reinterpret_cast<node_memory<Unknowns, Value> *>(shared);
    wait_and_trigger();
    const double scale = job.scale();
    const int apart = shape.nodes * shape.width, part = tile_limits<Unknowns>::parts > 1 ? (int)threadIdx.x / apart : 0;
    const int of_part = (int)threadIdx.x - part * apart, row = of_part / job.candidates;
    const int node = part < shape.parts ? row / Unknowns : shape.nodes;
    const int64_t rows = (int64_t)shape.nodes * Unknowns;
    bool sees_long = false;
    for (int64_t first = blockIdx.x * rows; first < job.A.rows; first += gridDim.x * rows) {
        const int64_t left = job.A.rows - first;
        const int nodes = (int)((left < rows ? left : rows) / Unknowns);
        node_tile<Unknowns, Value> tile = {job, shape, memory, first, nodes, part, node, row, of_part % job.candidates};
        tile.load_rows();
        tile.fill(scale);
        if (!__syncthreads_or((int)threadIdx.x < nodes && memory.irregular[threadIdx.x] != 0)) continue;
        sees_long = tile.fill_unsorted(scale) || sees_long;
        __syncthreads();
    }
    if (__syncthreads_or(sees_long)) fill_long_rows(job, scale, (int)rows, memory.sums);
}

template <int Unknowns, typename Value> spg_status queue_tiles_of(spg_context *context, const values_job<Value> &job)
{
    const tile_shape<Unknowns> shape(job.candidates);
    const int rows = shape.nodes * Unknowns, bytes = (int)sizeof(node_memory<Unknowns, Value>);
    cudaError_t error = cudaFuncSetAttribute(reinterpret_cast<const void *>(fill_nodes<Unknowns, Value>),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return spg_cuda_check(context, error, "a prolongator's values");
    const unsigned int blocks = blocks_for_groups(context, (job.A.rows + rows - 1) / rows, THREADS);
    return launch_programmatic(context, spg_cuda_of(context)->stream, "a prolongator's values", blocks, THREADS, bytes,
                               fill_nodes<Unknowns, Value>, job, shape);
}

} // namespace

template <typename Value> spg_status queue_nodes(spg_context *context, const values_job<Value> &job, int unknowns)
{
    return unknowns == 3 ? queue_tiles_of<3>(context, job) : queue_tiles_of<6>(context, job);
}

template spg_status queue_nodes(spg_context *, const values_job<float> &, int);
template spg_status queue_nodes(spg_context *, const values_job<double> &, int);

} // namespace amg

} // namespace spg
