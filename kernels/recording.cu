/* Work that is queued again and again, kept as a CUDA graph: one launch queues all of it. Captured on the side stream,
 * which is idle then, because the context's stream may be the legacy one, which cannot be captured. */
#include "device.h"

#include <utility>

/* A recording is its graph. */
static cudaGraphExec_t graph_of(const spg_recording *recording)
{
    return reinterpret_cast<cudaGraphExec_t>(const_cast<spg_recording *>(recording));
}

bool spg_cuda_is_captured(const spg_context *context)
{
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusActive;
    const bool is_known = cudaStreamIsCapturing(spg_cuda_of(context)->stream, &state) == cudaSuccess;
    if (!is_known) cudaGetLastError();
    return !is_known || state != cudaStreamCaptureStatusNone;
}

/* *graph stays NULL if the work cannot be captured. */
static spg_status capture(spg_context *context, spg_status (*queue)(void *state), void *state, cudaGraph_t *graph)
{
    spg_cuda *cuda = spg_cuda_of(context);
    cudaStream_t stream = cuda->other.stream;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return SPG_OK;
    std::swap(cuda->stream, stream);
    const spg_status status = queue(state);
    std::swap(cuda->stream, stream);
    if (cudaStreamEndCapture(stream, graph) != cudaSuccess) *graph = nullptr;
    return status;
}

spg_status spg_cuda_record(spg_context *context, spg_status (*queue)(void *state), void *state,
                           spg_recording **recording)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t instance = nullptr;
    *recording = nullptr;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = capture(context, queue, state, &graph);
    if (status == SPG_OK && graph != nullptr && cudaGraphInstantiate(&instance, graph, 0) == cudaSuccess)
        *recording = reinterpret_cast<spg_recording *>(instance);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_replay(spg_context *context, const spg_recording *recording)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const cudaError_t error = cudaGraphLaunch(graph_of(recording), spg_cuda_of(context)->stream);
    status = spg_cuda_check(context, error, "recorded work");
    spg_cuda_leave(context);
    return status;
}

/* Work that runs goes on: CUDA frees the graph after it. */
void spg_cuda_forget(spg_context *context, spg_recording *recording)
{
    if (spg_cuda_enter(context) != SPG_OK) return;
    cudaGraphExecDestroy(graph_of(recording));
    cudaGetLastError();
    spg_cuda_leave(context);
}
