/* Work on a stream beside the context's own: between begin and end the context's stream is that one. Products may use
 * it, too, while it works (spgemm/rows_mixed.cu): what they queue there comes after. */
#include "amg_stages.h"

spg_status spg_cuda_aside_begin(spg_context *context)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg_cuda *cuda = spg_cuda_of(context);
    cudaError_t error = cudaEventRecord(cuda->fork, cuda->stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(cuda->side_streams[0], cuda->fork, 0);
    status = spg_cuda_check(context, error, "work beside a product");
    if (status == SPG_OK) cuda->stream = cuda->side_streams[0];
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_aside_end(spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    cuda->stream = (cudaStream_t)context->config.stream;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    cudaError_t error = cudaEventRecord(cuda->joins[0], cuda->side_streams[0]);
    status = spg_cuda_check(context, error, "work beside a product");
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_aside_join(spg_context *context)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg_cuda *cuda = spg_cuda_of(context);
    status = spg_cuda_check(context, cudaStreamWaitEvent(cuda->stream, cuda->joins[0], 0), "work beside a product");
    spg_cuda_leave(context);
    return status;
}
