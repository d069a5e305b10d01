/* The turn that the warps of a block pass on, each to the next. Private. */
#ifndef SPG_KERNELS_PRIMITIVES_WARP_TURNS_CUH
#define SPG_KERNELS_PRIMITIVES_WARP_TURNS_CUH

#include <cuda/barrier>

namespace spg
{

/* A warp waits for a phase of its own barrier, at which the previous warp arrives. Named barriers take as long
 * (spgemm_bench, H100: rmat16), and racecheck does not see the order they impose. */
using turn_barrier = cuda::barrier<cuda::thread_scope_block>;
struct turns_of_warp {
    turn_barrier *own, *next;
    bool odd; /* the phase to wait for */

    __device__ void wait()
    {
        own->wait_parity(odd);
        odd = !odd;
    }
    __device__ void give() { (void)next->arrive(); }
};

} // namespace spg

#endif
