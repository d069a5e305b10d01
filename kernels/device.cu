/* See device.h. */
#include "device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

bool spg_cuda_is_present(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return count > 0;
    cudaGetLastError();
    return false;
}

const char *spg_cuda_absence(void)
{
    int count = 0, driver = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    const bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
    cudaGetLastError();
    if (!has_driver) return "config: place: no device: no NVIDIA driver (libcuda.so.1) was found here; use the host";
    if (error == cudaErrorInsufficientDriver)
        return "config: place: no device: the NVIDIA driver is older than the CUDA toolkit of this build needs; update "
               "the driver, or use the host";
    if (error == cudaSuccess || error == cudaErrorNoDevice)
        return "config: place: no device: the NVIDIA driver shows no GPU (is CUDA_VISIBLE_DEVICES set?); use the host";
    return cudaGetErrorString(error);
}

spg_status spg_cuda_check(spg_context *context, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return SPG_OK;
    cudaGetLastError();
    spg_status status = error == cudaErrorMemoryAllocation ? SPG_ERROR_MEMORY : SPG_ERROR_DEVICE;
    return spg_context_fail(context, status, "%s: %s", what, cudaGetErrorString(error));
}

spg_status spg_cuda_check_launch(spg_context *context, const char *kernel)
{
    return spg_cuda_check(context, cudaGetLastError(), kernel);
}

static cudaError_t create_pool(const spg_context *context, cudaMemPool_t *pool)
{
    cudaMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = spg_cuda_of(context)->device;
    cudaError_t error = cudaMemPoolCreate(pool, &properties);
    if (error != cudaSuccess) return error;
    uint64_t keep = (uint64_t)context->config.keep_bytes;
    return cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &keep);
}

/* The context has pools of its own, so that what they retain affects nobody else. */
static cudaError_t create_pools(const spg_context *context, spg_cuda *cuda)
{
    int has_pools = 0;
    cudaError_t error = cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, cuda->device);
    if (error != cudaSuccess || !has_pools) return error;
    error = create_pool(context, &cuda->pool);
    return error == cudaSuccess ? create_pool(context, &cuda->small_pool) : error;
}

/* For the context's own lane, and the counters of products. */
static cudaError_t create_reports(spg_cuda *cuda)
{
    spg_lane own = {};
    cudaError_t error = spg_cuda_create_reports(&own);
    cuda->counters = own.counters;
    cuda->report = own.report;
    cuda->mailbox = own.mailbox;
    cuda->device_mailbox = own.device_mailbox;
    if (error == cudaSuccess) error = cudaMalloc((void **)&cuda->product_counters, sizeof *cuda->product_counters);
    if (error != cudaSuccess) return error;
    cuda->flag_copy = &own.mailbox->flag;
    cuda->device_flag_copy = &own.device_mailbox->flag;
    cuda->steps = own.mailbox->steps;
    cuda->device_steps = own.device_mailbox->steps;
    return cudaSuccess;
}

static void free_reports(spg_cuda *cuda)
{
    spg_lane own = {cuda->stream, cuda->counters, cuda->report, cuda->mailbox, cuda->device_mailbox, cuda->posts};
    spg_cuda_free_reports(&own);
    cudaFree(cuda->product_counters);
}

static cudaError_t create_side_streams(spg_cuda *cuda)
{
    cudaError_t error = cudaEventCreateWithFlags(&cuda->fork, cudaEventDisableTiming);
    for (int k = 0; k < SPG_SIDE_STREAMS && error == cudaSuccess; ++k) {
        error = cudaStreamCreateWithFlags(&cuda->side_streams[k], cudaStreamNonBlocking);
        if (error == cudaSuccess) error = cudaEventCreateWithFlags(&cuda->joins[k], cudaEventDisableTiming);
    }
    int least = 0, greatest = 0;
    if (error == cudaSuccess) error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithPriority(&cuda->urgent_stream, cudaStreamNonBlocking, greatest);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&cuda->urgent_join, cudaEventDisableTiming);
    return error;
}

static void destroy_side_streams(spg_cuda *cuda)
{
    if (cuda->fork != nullptr) cudaEventDestroy(cuda->fork);
    if (cuda->urgent_join != nullptr) cudaEventDestroy(cuda->urgent_join);
    if (cuda->urgent_stream != nullptr) cudaStreamDestroy(cuda->urgent_stream);
    for (int k = 0; k < SPG_SIDE_STREAMS; ++k) {
        if (cuda->joins[k] != nullptr) cudaEventDestroy(cuda->joins[k]);
        if (cuda->side_streams[k] != nullptr) cudaStreamDestroy(cuda->side_streams[k]);
    }
}

static __global__ void do_nothing() {}

/* Whether kernels were compiled for an architecture with programmatic dependent launch. Code that the driver compiles
 * from older PTX does not wait by itself. */
static cudaError_t read_kernels_wait(spg_cuda *cuda)
{
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, do_nothing);
    cuda->kernels_wait = error == cudaSuccess && attributes.ptxVersion >= 90;
    return error;
}

/* Whether a cluster of SPG_CLUSTER_BLOCKS blocks of the most threads can run: not on a part of a GPU with too few
 * multiprocessors side by side. */
static void read_clusters(spg_cuda *cuda)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = SPG_CLUSTER_BLOCKS;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(SPG_CLUSTER_BLOCKS);
    config.blockDim = dim3(SPG_CLUSTER_THREADS);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    if (!cuda->kernels_wait) return; /* an architecture without clusters */
    if (cudaOccupancyMaxActiveClusters(&clusters, do_nothing, &config) != cudaSuccess) cudaGetLastError();
    cuda->has_clusters = clusters > 0;
}

static cudaError_t read_limits(spg_cuda *cuda)
{
    cudaError_t error = cudaDeviceGetAttribute(&cuda->multiprocessors, cudaDevAttrMultiProcessorCount, cuda->device);
    if (error == cudaSuccess)
        error =
            cudaDeviceGetAttribute(&cuda->multiprocessor_threads, cudaDevAttrMaxThreadsPerMultiProcessor, cuda->device);
    if (error == cudaSuccess)
        error =
            cudaDeviceGetAttribute(&cuda->block_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&cuda->multiprocessor_shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                                       cuda->device);
    return error;
}

spg_status spg_cuda_open(spg_context *context)
{
    int count = 0, device = context->config.device;
    cudaError_t found = cudaGetDeviceCount(&count);
    if (found == cudaSuccess && device < 0) found = cudaGetDevice(&device);
    if (found != cudaSuccess) cudaGetLastError(); /* clears the error, so that the caller does not find it */
    if (found != cudaSuccess || device >= count) return SPG_ERROR_PLACE;
    spg_cuda *cuda = (spg_cuda *)calloc(1, sizeof *cuda);
    if (cuda == nullptr) return SPG_ERROR_MEMORY;
    context->backend_state = cuda;
    context->config.device = cuda->device = device;
    cuda->pointer_attribute = spg_cuda_find_pointer_attribute();
    cuda->stream = (cudaStream_t)context->config.stream;
    spg_status status = spg_cuda_find_driver(context, &cuda->driver);
    if (status == SPG_OK) status = spg_cuda_enter(context);
    if (status == SPG_OK) {
        cudaError_t error = read_limits(cuda);
        if (error == cudaSuccess) error = read_kernels_wait(cuda);
        if (error == cudaSuccess) read_clusters(cuda);
        if (error == cudaSuccess && context->config.allocator.allocate == nullptr) error = create_pools(context, cuda);
        if (error == cudaSuccess) error = create_reports(cuda);
        if (error == cudaSuccess) error = create_side_streams(cuda);
        if (error == cudaSuccess) error = spg_cuda_create_side_stream(cuda);
        if (error == cudaSuccess) error = cudaDeviceSynchronize();
        for (int k = 0; context->config.timing && k < SPG_STAGES && error == cudaSuccess; ++k)
            error = cudaEventCreate(&cuda->events[k]);
        status = spg_cuda_check(context, error, "a context on the device");
        spg_cuda_leave(context);
    }
    if (status != SPG_OK) spg_cuda_close(context);
    return status;
}

/* Pools are destroyed when nothing that was freed into them is pending: otherwise a driver (580.159) hung or crashed if
 * another thread waited for the device meanwhile (tests/products/results/test_product_threads.c). */
void spg_cuda_close(spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    if (cuda == nullptr) return;
    if (spg_cuda_enter(context) == SPG_OK) {
        spg_cuda_give_back_kept(cuda, true, true);
        cudaStreamSynchronize(cuda->stream);
        if (cuda->other.stream != nullptr) cudaStreamSynchronize(cuda->other.stream);
        for (cudaEvent_t event : cuda->events)
            if (event != nullptr) cudaEventDestroy(event);
        destroy_side_streams(cuda);
        spg_cuda_destroy_side_stream(cuda);
        free_reports(cuda);
        if (cuda->pool != nullptr) cudaMemPoolDestroy(cuda->pool);
        if (cuda->small_pool != nullptr) cudaMemPoolDestroy(cuda->small_pool);
        cudaGetLastError();
        spg_cuda_leave(context);
    }
    spg_cuda_release_primary(cuda);
    free(cuda);
    context->backend_state = nullptr;
}

void spg_cuda_describe(const spg_context *context, char *text, size_t size)
{
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, context->config.device) != cudaSuccess) {
        cudaGetLastError();
        snprintf(text, size, "device %d", context->config.device);
        return;
    }
    snprintf(text, size, "device %d, %s, %d multiprocessors, compute capability %d.%d", context->config.device,
             properties.name, properties.multiProcessorCount, properties.major, properties.minor);
}

/* A pool counts what is in use towards its threshold as well as what was freed. So the threshold of the pool of large
 * blocks follows the bytes in use: keep_bytes more may stay, those of kept blocks included. */
static void follow_use(const spg_context *context, const spg_cuda *cuda)
{
    uint64_t threshold = 0; /* the bytes in use */
    if (cudaMemPoolGetAttribute(cuda->pool, cudaMemPoolAttrUsedMemCurrent, &threshold) == cudaSuccess) {
        threshold += (uint64_t)(context->config.keep_bytes - cuda->kept_bytes);
        if (cudaMemPoolSetAttribute(cuda->pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess) return;
    }
    cudaGetLastError();
}

/* The pool allocates and frees in the order of the stream. */
static void *allocate_from_pool(const spg_context *context, int64_t bytes)
{
    spg_cuda *cuda = spg_cuda_of(context);
    void *memory = nullptr;
    const bool is_small = bytes <= SPG_SMALL_BYTES;
    cudaMemPool_t pool = is_small ? cuda->small_pool : cuda->pool;
    cudaError_t error = cudaMallocFromPoolAsync(&memory, (size_t)bytes, pool, cuda->stream);
    if (error == cudaErrorMemoryAllocation) { /* free what is kept of the other pool, then try again */
        cudaGetLastError();
        spg_cuda_give_back_kept(cuda, true, true);
        error = cudaMallocFromPoolAsync(&memory, (size_t)bytes, pool, cuda->stream);
    }
    if (error != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    spg_cuda_note_block(cuda, memory, bytes);
    if (!is_small) follow_use(context, cuda);
    return memory;
}

/* Nothing while the stream is captured: a graph would use a block again after others have got it, or own the block. */
static void *allocate_block(const spg_context *context, int64_t bytes)
{
    spg_cuda *cuda = spg_cuda_of(context);
    void *memory = nullptr;
    if (spg_cuda_is_captured(context)) return nullptr;
    if (cuda->pool != nullptr) {
        memory = spg_cuda_take_kept(cuda, bytes);
        return memory != nullptr ? memory : allocate_from_pool(context, bytes);
    }
    if (cudaMalloc(&memory, (size_t)bytes) == cudaSuccess) return memory;
    cudaGetLastError();
    return nullptr;
}

void *spg_cuda_allocate(spg_context *context, int64_t bytes)
{
    if (spg_cuda_enter(context) != SPG_OK) return nullptr;
    void *memory = allocate_block(context, bytes);
    spg_cuda_leave(context);
    return memory;
}

void spg_cuda_release(spg_context *context, void *memory, int64_t bytes)
{
    (void)bytes;
    spg_cuda *cuda = spg_cuda_of(context);
    if (spg_cuda_enter(context) != SPG_OK) return;
    if (cuda->pool == nullptr) {
        cudaFree(memory);
    } else if (!spg_cuda_keep(cuda, memory, context->config.keep_bytes)) {
        cudaFreeAsync(memory, cuda->stream);
        follow_use(context, cuda);
    }
    cudaGetLastError();
    spg_cuda_leave(context);
}

spg_status spg_cuda_wait(spg_context *context)
{
    return spg_cuda_check(context, cudaStreamSynchronize(spg_cuda_of(context)->stream), "waiting for the device");
}

/* Queries the stream now and then, so that a kernel that fails ends the wait. */
enum { POLLS_BETWEEN_QUERIES = 4096 };

spg_status spg_cuda_poll(spg_context *context, const volatile unsigned int *word, unsigned int mask,
                         unsigned int number)
{
    spg_cuda_do_side_work(context);
    for (int64_t polls = 1; (*word & mask) != number; ++polls) {
        if (polls % POLLS_BETWEEN_QUERIES != 0) continue;
        cudaError_t error = cudaStreamQuery(spg_cuda_of(context)->stream);
        if (error == cudaErrorNotReady) continue;
        spg_status status = spg_cuda_check(context, error, "waiting for the device");
        if (status != SPG_OK) return status;
        if ((*word & mask) != number)
            return spg_context_fail(context, SPG_ERROR_INTERNAL, "no kernel posted number %u", number);
    }
    __sync_synchronize();
    return SPG_OK;
}

spg_status spg_cuda_wait_for_counters(spg_context *context, unsigned int number, spg_counters *counters)
{
    const spg_mailbox *mailbox = spg_cuda_of(context)->mailbox;
    spg_status status = spg_cuda_poll(context, &mailbox->number, ~0u, number);
    if (status == SPG_OK) memcpy(counters, (const void *)&mailbox->counters, sizeof *counters);
    return status;
}

spg_status spg_cuda_copy_bytes(spg_context *context, void *to, spg_place to_place, const void *from,
                               spg_place from_place, int64_t bytes)
{
    if (bytes == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    cudaMemcpyKind kind = to_place == SPG_PLACE_DEVICE
                              ? (from_place == SPG_PLACE_DEVICE ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                              : (from_place == SPG_PLACE_DEVICE ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
    if (kind == cudaMemcpyDeviceToHost && spg_cuda_is_small(from, bytes)) {
        status = spg_cuda_copy_small(context, to, from, bytes);
    } else {
        status = spg_cuda_check(context, cudaMemcpyAsync(to, from, (size_t)bytes, kind, spg_cuda_of(context)->stream),
                                "a copy");
        if (status == SPG_OK) status = spg_cuda_wait(context);
    }
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_copy_on_device(spg_context *context, void *to, const void *from, int64_t bytes)
{
    if (bytes == 0) return SPG_OK;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    return spg_cuda_check(context, cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, stream),
                          "a copy");
}

spg_status spg_cuda_zero_bytes(spg_context *context, void *memory, int64_t bytes)
{
    if (bytes == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    status = spg_cuda_check(context, cudaMemsetAsync(memory, 0, (size_t)bytes, stream), "zeroing");
    spg_cuda_leave(context);
    return status;
}
