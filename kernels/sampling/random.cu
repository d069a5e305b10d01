/* Numbers of a Philox sequence, and uniforms from them. A thread takes one generator block: two numbers. The first and
 * the last number of the call's blocks may lie outside it. */
#include "sampling.cuh"

namespace spg
{

namespace
{

template <typename Element, typename Make>
spg_status fill(spg_context *context, const spg_random &random, int64_t count, Element *to, Make make)
{
    if (count == 0) return SPG_OK;
    uint64_t seed = random.seed, stream = random.stream, first = random.first;
    int64_t odd = (int64_t)(first & 1), blocks = (odd + count + 1) / 2;
    return for_each(context, blocks, "random numbers", [=] __device__(int64_t b) {
        spg_philox_block block = spg_philox(seed, (first / 2 + (uint64_t)b) & (UINT64_MAX >> 1), stream);
        int64_t k = 2 * b - odd;
        if (k >= 0) to[k] = make(spg_philox_half(&block, 0));
        if (k + 1 < count) to[k + 1] = make(spg_philox_half(&block, 1));
    });
}

} // namespace

} // namespace spg

spg_status spg_cuda_random_bits(spg_context *context, const spg_random *random, int64_t count, uint64_t *bits)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::fill(context, *random, count, bits, [] __device__(uint64_t number) { return number; });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_random_uniforms(spg_context *context, const spg_random *random, int64_t count, spg_type type,
                                    void *uniforms)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    if (type == SPG_F32)
        status = spg::fill(context, *random, count, static_cast<float *>(uniforms),
                           [] __device__(uint64_t number) { return spg_uniform_f32(number); });
    else
        status = spg::fill(context, *random, count, static_cast<double *>(uniforms),
                           [] __device__(uint64_t number) { return spg_uniform_f64(number); });
    spg_cuda_leave(context);
    return status;
}
