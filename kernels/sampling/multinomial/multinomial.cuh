/* Multinomial counts (src/sampling/multinomial.h): what short and long rows share. Private. */
#ifndef SPG_KERNELS_SAMPLING_MULTINOMIAL_MULTINOMIAL_CUH
#define SPG_KERNELS_SAMPLING_MULTINOMIAL_MULTINOMIAL_CUH

#include "../sampling.cuh"

#include "sampling/multinomial.h"

namespace spg
{
namespace multinomial
{

enum { THREADS = 256, CHUNKS = 8, TILE = WARP * CHUNKS };

/* A call. */
struct count_job {
    numbers_view offsets;
    weights_view weights;
    int64_t rows, nnz, n;
    const int64_t *trials; /* or NULL: n each */
    spg_random random;
    bool empty_rows;
    int64_t *counts;
    unsigned long long *first_fault;

    /* The draws of a row by the sum of its weights: none of a row of nothing, nor of a faulty one, which lane 0
     * reports. */
    __device__ int64_t draws_of(int64_t row, double sum, bool sound, int lane) const
    {
        bool has_items = sound && sum > 0 && sum <= LARGEST, nothing = sound && sum == 0 && empty_rows;
        if (!has_items && !nothing && lane == 0) report_first(first_fault, row);
        return !has_items ? 0 : trials != nullptr ? trials[row] : n;
    }
};

/* The tree of a tile of up to LANES * CHUNKS nodes in shared memory, by LANES lanes: node k is slots[k]. It holds the
 * sum of its leaves, and from the split of its parent on its number of draws. All lanes of a warp call these functions
 * together; its groups of lanes may have trees of different heights. */
template <int LANES> struct tile_tree {
    static constexpr int LEAVES = LANES * CHUNKS, MOST_LEVELS = LANES == WARP ? 8 : 5;
    static_assert(1 << MOST_LEVELS == LEAVES, "a tree of this height has these leaves");

    uint64_t *slots; /* 2 * LEAVES */
    int lane, levels;

    __device__ double sum(int node) const { return __longlong_as_double((long long)slots[node]); }
    __device__ int place(int chunk) const { return lane + LANES * chunk; }
    __device__ uint64_t &leaf(int chunk) const { return slots[(1 << levels) + place(chunk)]; }
    __device__ bool has_leaf(int chunk) const { return place(chunk) < 1 << levels; }

    /* From nodes place(0), place(1), ..., past the last of which there is +0; returns the root's sum. */
    __device__ double fill(const double (&nodes)[CHUNKS]) const
    {
        __syncwarp();
        for (int c = 0; c < CHUNKS; ++c)
            if (has_leaf(c)) leaf(c) = (uint64_t)__double_as_longlong(nodes[c]);
        for (int depth = MOST_LEVELS - 1; depth >= 0; --depth) {
            __syncwarp();
            for (int k = (1 << depth) + lane; depth < levels && k < 2 << depth; k += LANES)
                slots[k] = (uint64_t)__double_as_longlong(add(sum(2 * k), sum(2 * k + 1)));
        }
        __syncwarp();
        return sum(1);
    }

    /* Splits `count` draws of the root, which is node `number` of the row. */
    __device__ void split(int64_t count, uint64_t key, uint64_t number) const
    {
        __syncwarp();
        if (lane == 0) slots[1] = (uint64_t)count;
        for (int depth = 0; depth < MOST_LEVELS; ++depth) {
            __syncwarp();
            for (int k = lane; depth < levels && k < 1 << depth; k += LANES) {
                int node = (1 << depth) + k;
                int64_t draws = (int64_t)slots[node];
                int64_t left =
                    spg_multinomial_left(draws, sum(2 * node), sum(2 * node + 1), key, (number << depth) + (uint64_t)k);
                slots[2 * node] = (uint64_t)left;
                slots[2 * node + 1] = (uint64_t)(draws - left);
            }
        }
        __syncwarp();
    }
};

/* Rows of up to a tile: all of `job`. longest: of its rows. */
spg_status count_short_rows(spg_context *context, const count_job &job, int64_t longest);

/* Longer ones, of which there are `count`. */
spg_status count_long_rows(workspace &work, const count_job &job, int64_t count, int64_t longest);

} // namespace multinomial
} // namespace spg

#endif
