/* Times the phases of building an alias table by events (build.cuh). */
#include "build.cuh"

namespace spg
{
namespace alias
{

build_clock::~build_clock()
{
    for (cudaEvent_t event : events_)
        if (event != nullptr) cudaEventDestroy(event);
}

spg_status build_clock::start(spg_context *context)
{
    cudaError_t error = cudaSuccess;
    if (!context->config.timing) return SPG_OK;
    stream_ = spg_cuda_of(context)->stream;
    for (int k = 0; k < PHASES && error == cudaSuccess; ++k) error = cudaEventCreate(&events_[k]);
    if (error == cudaSuccess) stamp(BEGIN);
    return spg_cuda_check(context, error, "timing an alias table");
}

/* Errors are reported when the times are read. */
void build_clock::stamp(phase ended)
{
    for (int k = ended; k < PHASES && events_[k] != nullptr && error_ == cudaSuccess; ++k)
        error_ = cudaEventRecord(events_[k], stream_);
}

spg_status build_clock::read(spg_context *context, spg_alias_stats *stats)
{
    double *const ms[] = {&stats->sum_ms, &stats->tiles_ms, &stats->partition_ms, &stats->split_ms, &stats->pack_ms};
    if (events_[PACK] == nullptr) return SPG_OK;
    cudaError_t error = error_ == cudaSuccess ? cudaEventSynchronize(events_[PACK]) : error_;
    for (int k = 0; k < PACK && error == cudaSuccess; ++k) {
        float elapsed = 0;
        error = cudaEventElapsedTime(&elapsed, events_[k], events_[k + 1]);
        *ms[k] = elapsed;
    }
    return spg_cuda_check(context, error, "timing an alias table");
}

} // namespace alias
} // namespace spg
