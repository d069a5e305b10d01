/* On the device, of libraries alone: cumulated weights by CUB's scan, then CUB's binary search a draw, by cuRAND's
 * numbers. */
#include "sampler.h"
#include "sampling_device.h"

static spg_status build(const sampling_problem *task, void **state)
{
    double *cumulated = NULL;
    const spg_status status =
        device_cumulate(task->context, task->here.value_type, task->here.nnz, task->here.values, &cumulated);
    *state = cumulated;
    return status;
}

static spg_status draw(const sampling_problem *task, void *state)
{
    return device_search(task->context, task->here.nnz, state, task->random.seed, task->count, task->draws);
}

static void destroy(const sampling_problem *task, void *state)
{
    (void)task;
    device_drop(state);
}

static int64_t table_bytes(const sampling_problem *task) { return task->here.nnz * (int64_t)sizeof(double); }

const sampler sampler_search = {"search", false, true, SPG_PLACE_DEVICE, 0, build, draw, destroy, table_bytes};
