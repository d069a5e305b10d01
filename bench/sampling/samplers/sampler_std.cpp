// std::discrete_distribution of the C++ library (cumulated weights, a binary search a draw), one thread, by mt19937_64.
#include "sampler.h"

#include <new>
#include <random>

namespace
{

struct state {
    std::discrete_distribution<int32_t> distribution;
    std::mt19937_64 generator;
};

template <class value> std::discrete_distribution<int32_t> make(const sampling_problem *task)
{
    const auto *weights = static_cast<const value *>(task->host.values);
    return std::discrete_distribution<int32_t>(weights, weights + task->host.nnz);
}

spg_status build(const sampling_problem *task, void **memory)
{
    try {
        auto *made = new state{};
        *memory = made;
        made->distribution = task->host.value_type == SPG_F32 ? make<float>(task) : make<double>(task);
        return SPG_OK;
    } catch (const std::bad_alloc &) {
        return spg_context_fail(task->context, SPG_ERROR_MEMORY, "std::discrete_distribution: no memory");
    }
}

spg_status draw(const sampling_problem *task, void *memory)
{
    auto *made = static_cast<state *>(memory);
    made->generator.seed(task->random.seed);
    for (int64_t k = 0; k < task->count; k++) task->draws[k] = made->distribution(made->generator);
    return SPG_OK;
}

void destroy(const sampling_problem *, void *memory) { delete static_cast<state *>(memory); }

int64_t table_bytes(const sampling_problem *task) { return task->host.nnz * static_cast<int64_t>(sizeof(double)); }

} // namespace

extern "C" const sampler sampler_std = {"std", false, false, SPG_PLACE_HOST, 0, build, draw, destroy, table_bytes};
