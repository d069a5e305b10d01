/* Philox in kernels that make very many numbers of one sequence. Private. */
#ifndef SPG_KERNELS_SAMPLING_RANDOM_CUH
#define SPG_KERNELS_SAMPLING_RANDOM_CUH

#include "sampling.cuh"

namespace spg
{

/* A sequence with the keys of all rounds. As a kernel argument they are read where used, without registers or
 * additions, which saves a fifth of the work. */
struct sequence {
    uint64_t stream;
    uint32_t keys[2 * SPG_PHILOX_ROUNDS];

    explicit sequence(const spg_random &random) : stream(random.stream)
    {
        for (uint32_t round = 0; round < SPG_PHILOX_ROUNDS; ++round) {
            keys[2 * round] = (uint32_t)random.seed + round * SPG_PHILOX_STEP_0;
            keys[2 * round + 1] = (uint32_t)(random.seed >> 32) + round * SPG_PHILOX_STEP_1;
        }
    }

    /* spg_philox(seed, number, stream) */
    __device__ spg_philox_block block(uint64_t number) const
    {
        spg_philox_block block = {
            {(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
#pragma unroll
        for (int round = 0; round < SPG_PHILOX_ROUNDS; ++round)
            spg_philox_round(&block, keys[2 * round], keys[2 * round + 1]);
        return block;
    }
};

} // namespace spg

#endif
