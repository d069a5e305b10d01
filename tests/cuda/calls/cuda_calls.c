/* See cuda_calls.h. */
#include "cuda_calls.h"

#include "test_support.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64, TEXT = 160 };

/* Another stream than the caller's, and an event. */
typedef struct side_stream {
    cudaStream_t stream;
    bool follows, is_open; /* follows the caller's; has work that the caller's does not follow */
    const char *last;      /* what was queued since an event of it; NULL: nothing */
} side_stream;
typedef struct noted_event {
    cudaEvent_t event;
    cudaStream_t stream;
} noted_event;

static struct {
    bool on;
    int64_t count, fail_at, allocations, queued;
    const char *refused;
    char astray[TEXT];
    cudaError_t last;              /* what cudaGetLastError has to tell of a call that was refused here */
    cudaStream_t stream, captured; /* the caller's, and one that is captured: nothing on that runs */
    int sides, events;
    side_stream side[MOST];
    noted_event event[MOST];
} calls;

void cuda_calls_watch(int64_t k, void *stream)
{
    memset(&calls, 0, sizeof calls);
    calls.on = true;
    calls.fail_at = k;
    calls.stream = stream;
}

static void note(const char *name, const char *what)
{
    if (calls.astray[0] == 0) snprintf(calls.astray, TEXT, "%s is queued %s", name, what);
}

int64_t cuda_calls_end(void)
{
    calls.on = false;
    calls.last = cudaSuccess;
    for (int s = 0; s < calls.sides; ++s)
        if (calls.side[s].is_open) note("work", "beside the caller's stream, which does not wait for it");
    return calls.count;
}

const char *cuda_calls_refused(void) { return calls.refused; }
const char *cuda_calls_astray(void) { return calls.astray[0] != 0 ? calls.astray : NULL; }
int64_t cuda_calls_allocations(void) { return calls.allocations; }
int64_t cuda_calls_queued(void) { return calls.queued; }

static bool refuses(const char *name)
{
    if (!calls.on || ++calls.count != calls.fail_at) return false;
    calls.refused = name;
    calls.last = cudaErrorUnknown;
    return true;
}

static side_stream *side_of(cudaStream_t stream)
{
    for (int s = 0; s < calls.sides; ++s)
        if (calls.side[s].stream == stream) return &calls.side[s];
    assert_true(calls.sides < MOST);
    calls.side[calls.sides] = (side_stream){stream, false, false, NULL};
    return &calls.side[calls.sides++];
}

static bool is_default(cudaStream_t stream)
{
    return stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

static void look_at_memory(const char *name, cudaStream_t stream)
{
    if (calls.on && is_default(stream)) note(name, "on the default stream");
}

static void look_at_work(const char *name, cudaStream_t stream)
{
    look_at_memory(name, stream);
    if (!calls.on || (calls.captured != NULL && stream == calls.captured)) return;
    ++calls.queued;
    if (stream == calls.stream || is_default(stream)) return;
    side_stream *side = side_of(stream);
    if (!side->follows) note(name, "beside the caller's stream, and does not follow it");
    side->is_open = true;
    side->last = name;
}

static void look_at_event(cudaEvent_t event, cudaStream_t stream)
{
    if (!calls.on) return;
    int e = 0;
    while (e < calls.events && calls.event[e].event != event) ++e;
    assert_true(e < MOST);
    if (e == calls.events) ++calls.events;
    calls.event[e] = (noted_event){event, stream};
    if (stream != calls.stream) side_of(stream)->last = NULL;
}

static void look_at_wait(cudaStream_t stream, cudaEvent_t event)
{
    for (int e = 0; e < calls.events && calls.on; ++e) {
        const cudaStream_t before = calls.event[e].stream;
        if (calls.event[e].event != event || stream == before) continue;
        if (before == calls.stream) side_of(stream)->follows = true;
        if (stream == calls.stream && side_of(before)->last == NULL) side_of(before)->is_open = false;
    }
}

#define DECLARE(name, parameters)                                                                                      \
    cudaError_t __real_##name parameters;                                                                              \
    cudaError_t __wrap_##name parameters;                                                                              \
    cudaError_t __wrap_##name parameters

/* A call that may be refused; one that names a stream as well. */
#define CALL(name, parameters, arguments)                                                                              \
    DECLARE(name, parameters) { return refuses(#name) ? cudaErrorUnknown : __real_##name arguments; }

#define STREAM_CALL(name, parameters, arguments)                                                                       \
    DECLARE(name, parameters)                                                                                          \
    {                                                                                                                  \
        look_at_work(#name, stream);                                                                                   \
        return refuses(#name) ? cudaErrorUnknown : __real_##name arguments;                                            \
    }

#if CUDART_VERSION >= 13000 /* what <<<>>> calls */
STREAM_CALL(__cudaLaunchKernel,
            (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
            (kernel, grid, block, arguments, shared, stream))
#else
STREAM_CALL(cudaLaunchKernel,
            (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
            (kernel, grid, block, arguments, shared, stream))
#endif
STREAM_CALL(cudaLaunchCooperativeKernel,
            (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
            (kernel, grid, block, arguments, shared, stream))
STREAM_CALL(cudaMemsetAsync, (void *memory, int value, size_t bytes, cudaStream_t stream),
            (memory, value, bytes, stream))
STREAM_CALL(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
            (to, from, bytes, kind, stream))
CALL(cudaFuncSetAttribute, (const void *kernel, enum cudaFuncAttribute attribute, int value),
     (kernel, attribute, value))
CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int *blocks, const void *kernel, int threads, size_t shared, unsigned int flags),
     (blocks, kernel, threads, shared, flags))
CALL(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned int flags), (stream, flags))
CALL(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned int flags), (event, flags))

DECLARE(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream))
{
    look_at_event(event, stream);
    return refuses("cudaEventRecord") ? cudaErrorUnknown : __real_cudaEventRecord(event, stream);
}

DECLARE(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags))
{
    look_at_wait(stream, event);
    return refuses("cudaStreamWaitEvent") ? cudaErrorUnknown : __real_cudaStreamWaitEvent(stream, event, flags);
}

DECLARE(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *kernel, void **arguments))
{
    look_at_work("cudaLaunchKernelExC", config->stream);
    return refuses("cudaLaunchKernelExC") ? cudaErrorUnknown : __real_cudaLaunchKernelExC(config, kernel, arguments);
}

DECLARE(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode))
{
    calls.captured = stream;
    return __real_cudaStreamBeginCapture(stream, mode);
}

DECLARE(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph))
{
    calls.captured = NULL;
    return __real_cudaStreamEndCapture(stream, graph);
}

STREAM_CALL(cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))

/* Waits all the same: what is queued may be reading memory of the caller's. */
DECLARE(cudaStreamSynchronize, (cudaStream_t stream))
{
    const cudaError_t error = __real_cudaStreamSynchronize(stream);
    calls.queued = 0;
    if (calls.on && stream != calls.stream) side_of(stream)->is_open = false;
    return refuses("cudaStreamSynchronize") ? cudaErrorUnknown : error;
}

DECLARE(cudaMallocFromPoolAsync, (void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream))
{
    look_at_memory("cudaMallocFromPoolAsync", stream);
    if (calls.on) ++calls.allocations;
    return __real_cudaMallocFromPoolAsync(memory, bytes, pool, stream);
}

DECLARE(cudaFreeAsync, (void *memory, cudaStream_t stream))
{
    look_at_memory("cudaFreeAsync", stream);
    return __real_cudaFreeAsync(memory, stream);
}

DECLARE(cudaMalloc, (void **memory, size_t bytes))
{
    if (calls.on) ++calls.allocations;
    return __real_cudaMalloc(memory, bytes);
}

/* Both take what is noted here, the first for good. */
DECLARE(cudaGetLastError, (void))
{
    const cudaError_t error = __real_cudaGetLastError(), last = calls.last;
    calls.last = cudaSuccess;
    return last != cudaSuccess ? last : error;
}

DECLARE(cudaPeekAtLastError, (void))
{
    const cudaError_t error = __real_cudaPeekAtLastError();
    return calls.last != cudaSuccess ? calls.last : error;
}
