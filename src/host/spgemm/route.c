/* Rows of a chunk to kernels: by class where limits were asked for, else to the kernel that has been fastest for such
 * rows so far. All kernels give the same bits, so the choice may follow the clock. */
#include "route.h"

#include "row_class.h"

#include <time.h>

#define KERNELS_OF(suffix)                                                                                             \
    {                                                                                                                  \
        spg_row_list_##suffix, spg_row_sort_##suffix, spg_row_window_##suffix, spg_long_row_window_##suffix            \
    }

static const row_kernels *kernels_of(const spg_product *product)
{
    static const row_kernels none = KERNELS_OF(none), f32 = KERNELS_OF(f32), f64 = KERNELS_OF(f64),
                             c32 = KERNELS_OF(c32), c64 = KERNELS_OF(c64);
    if (product->pattern_only) return &none;
    switch (product->A->value_type) {
    case SPG_F32: return &f32;
    case SPG_C32: return &c32;
    case SPG_C64: return &c64;
    default: return &f64;
    }
}

double spg_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The kernel of a class. */
static int kernel_of_class(spg_row_class class)
{
    if (class == SPG_ROW_THREAD) return KERNEL_LIST;
    if (class == SPG_ROW_WARP) return KERNEL_SORT;
    return KERNEL_WINDOW;
}

/* Chunks of like rows share measurements: by the logarithm of the products a row. */
static int bucket_of(const row_chunk *chunk)
{
    int64_t mean = chunk->rows > 0 ? chunk->products / chunk->rows : 0;
    int bucket = 0;
    for (int64_t bound = 16; bound < mean && bucket + 1 < WORK_BUCKETS; bound *= 2) bucket++;
    return bucket;
}

/* Every kernel once, then the cheapest; the others again at times, in case the rows have changed. */
static int choose_kernel(kernel_costs *costs, int bucket)
{
    int64_t turn = costs->chunks[bucket]++;
    if (turn < KERNELS) return (int)turn;
    int best = 0;
    for (int k = 1; k < KERNELS; k++)
        if (costs->nanoseconds[k][bucket] < costs->nanoseconds[best][bucket]) best = k;
    if (turn % 64 == 0) {
        int other = (int)(turn / 64 % KERNELS);
        if (costs->nanoseconds[other][bucket] < 1.5 * costs->nanoseconds[best][bucket]) return other;
    }
    return best;
}

static void record_cost(kernel_costs *costs, int bucket, int kernel, double nanoseconds)
{
    double *cost = &costs->nanoseconds[kernel][bucket];
    *cost = *cost == 0 ? nanoseconds : 0.75 * *cost + 0.25 * nanoseconds;
}

/* The kernel asked for, or the window kernel, which takes any row. */
static int64_t multiply_row(spg_worker *worker, const row_kernels *kernels, int kernel, int64_t row)
{
    int64_t n = -1, most = worker->chunk.row_products[row], cols = worker->shared->product->B->cols;
    most = most < cols ? most : cols;
    if (kernel != KERNEL_WINDOW && most <= worker->shared->sizes.staging_entries) {
        if (!spg_make_room(worker, most)) return 0;
        n = kernel == KERNEL_LIST ? kernels->list(worker, row) : kernels->sort(worker, row);
    }
    return n >= 0 ? n : kernels->window(worker, row);
}

static bool multiply_long_row(spg_worker *worker, const row_kernels *kernels)
{
    int64_t n = kernels->long_row(worker);
    if (n < 0) return false;
    worker->row_counts[worker->chunk.rows] = n;
    worker->class_rows[SPG_ROW_GLOBAL]++;
    return true;
}

bool spg_multiply_chunk(spg_worker *worker)
{
    multiplication *shared = worker->shared;
    const row_chunk *chunk = &worker->chunk;
    const row_kernels *kernels = kernels_of(shared->product);
    const spg_row_limits *limits = &shared->product->limits;
    int bucket = bucket_of(chunk);
    int chosen = shared->automatic ? choose_kernel(&worker->costs, bucket) : -1;
    double begin = spg_seconds();
    for (int64_t row = 0; row < chunk->rows; row++) {
        spg_row_class class = spg_classify(chunk->row_products[row], limits);
        worker->class_rows[class]++;
        worker->row_counts[row] =
            class == SPG_ROW_EMPTY ? 0
                                   : multiply_row(worker, kernels, chosen >= 0 ? chosen : kernel_of_class(class), row);
    }
    worker->products += chunk->products;
    if (chosen >= 0 && chunk->products > 0)
        record_cost(&worker->costs, bucket, chosen, 1e9 * (spg_seconds() - begin) / (double)chunk->products);
    if (chunk->has_long_row && !multiply_long_row(worker, kernels)) return false;
    return !atomic_load_explicit(&shared->failed, memory_order_relaxed);
}
