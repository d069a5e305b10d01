/* Where the rows of a block's tile begin in C, for kernels that count and write in one pass into reserved arrays: the
 * block counts its tile, publishes the length, does other work, and looks back over the tiles before. Private. */
#ifndef SPG_KERNELS_SPGEMM_ASSEMBLE_TILE_PLACES_CUH
#define SPG_KERNELS_SPGEMM_ASSEMBLE_TILE_PLACES_CUH

#include "../../primitives/look_back.cuh"
#include "../driver/counters.cuh"
#include "reserved.cuh"

#include <algorithm>

namespace spg
{

/* The arguments of all one-pass kernels that write into reserved arrays. */
struct reserved_job {
    look_back sums_before;
    long long room; /* entries of C */
    int32_t tiles;
    int most; /* entries of the longest row to be written */
    spg_mailbox *mailbox;
    unsigned int post;
};

/* What the warps of a block share about their tile, in shared memory. */
template <int MostWarps> struct tile_board {
    uint32_t taken;
    int lengths[MostWarps];      /* entries of each warp's rows */
    bool flags[MostWarps];       /* whether a lane of the warp gave one */
    long long begins[MostWarps]; /* where the rows begin in C */
};

/* Groups of Lanes lanes do a row, or neighbouring rows, each. The whole block calls its functions. */
template <int Lanes, int MostWarps> struct tile_places {
    const reserved_job &job;
    tile_board<MostWarps> &board;
    const int warp, lane, warps;
    int before;                /* entries of the warp's rows before those of this group */
    int of_warp, through, all; /* in warp 0: entries of warp `lane`, of the warps up to it, and of the tile */

    __device__ tile_places(const reserved_job &of, tile_board<MostWarps> &shared)
        : job(of), board(shared), warp((int)threadIdx.x / 32), lane((int)threadIdx.x % 32), warps((int)blockDim.x / 32)
    {
    }

    __device__ int64_t take_tile()
    {
        if (threadIdx.x == 0) board.taken = job.sums_before.take_tile();
        __syncthreads();
        return board.taken;
    }

    /* Publishes how many entries the tile has. own: those of this group's rows. */
    __device__ void publish_own(int64_t tile, int own)
    {
        int upto = own;
#pragma unroll
        for (int step = Lanes; step < 32; step *= 2) {
            const int other = __shfl_up_sync(~0u, upto, step);
            if (lane >= step) upto += other;
        }
        before = upto - own;
        if (lane == 31) board.lengths[warp] = upto;
        __syncthreads();
        of_warp = warp == 0 && lane < warps ? board.lengths[lane] : 0, through = inclusive_scan(of_warp, plus{});
        all = __shfl_sync(~0u, through, 31);
        if (threadIdx.x == 0) job.sums_before.publish(tile, all, look_back::AGGREGATE);
    }

    /* The same; returns whether a lane of the block gave the flag. */
    __device__ bool publish_own(int64_t tile, int own, bool flag)
    {
        const bool any_of_warp = __any_sync(~0u, flag);
        if (lane == 31) board.flags[warp] = any_of_warp;
        publish_own(tile, own);
        bool any = false;
#pragma unroll
        for (int w = 0; w < MostWarps; ++w) any = any || (w < warps && board.flags[w]);
        return any;
    }

    /* Looks back over the tiles before and publishes the prefix; returns where this group's rows begin. *end: the end
     * of C's last row, written by the last tile. */
    __device__ int64_t begin(int64_t tile, int32_t *end)
    {
        if (warp == 0) {
            const long long first = job.sums_before.before(tile);
            if (lane < MostWarps) board.begins[lane] = first + through - of_warp;
            if (lane == 0) {
                job.sums_before.publish(tile, first + all, look_back::PREFIX);
                if (tile == job.tiles - 1) *end = (int32_t)(first + all);
            }
        }
        __syncthreads();
        return board.begins[warp] + before;
    }

    /* Whether entries from `begin` on fit. */
    __device__ bool has_room(int64_t begin, int entries) const { return begin + entries <= job.room; }
};

/* A tile of rows_each rows a block. */
inline reserved_job reserved_job_of(const cuda_product &product, const reserved_arrays &reserved, int64_t rows_each,
                                    unsigned int post)
{
    return {{static_cast<unsigned long long *>(reserved.memory)},
            reserved.room,
            (int32_t)((product.A->rows + rows_each - 1) / rows_each),
            reserved.most,
            product.cuda->device_mailbox,
            post};
}

/* As many blocks as are resident, or as there are tiles. */
inline unsigned int reserved_blocks(const cuda_product &product, const reserved_job &job, int resident)
{
    const int64_t most = (int64_t)std::max(resident, 1) * product.cuda->multiprocessors;
    return (unsigned int)std::min((int64_t)job.tiles, most);
}

template <typename Value> numbers<Value> reserved_numbers(const cuda_product &product, const reserved_arrays &reserved)
{
    return {static_cast<const Value *>(product.A->values), static_cast<const Value *>(product.B->values),
            reserved.columns, static_cast<Value *>(reserved.values)};
}

} // namespace spg

#endif
