/* Chooses the kernel for the rows of a chunk: by class if limits are set, else the fastest so far for similar rows. All
 * kernels give the same bits, so the choice may depend on measured time. */
#include "rows.h"

#include "clock.h"
#include "list/list.h"
#include "repeat/known.h"
#include "sort/batch.h"
#include "spgemm/row_class.h"

#define KERNELS_OF(suffix)                                                                                             \
    {                                                                                                                  \
        spg_rows_repeated_##suffix, spg_rows_list_##suffix, spg_rows_network_##suffix, spg_row_sort_##suffix,          \
            spg_row_window_##suffix, spg_long_row_window_##suffix                                                      \
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

/* The kernel of a class, if limits are set: as with the paper's threads, the smallest rows are sorted by a network; the
 * classes above take longer rows with more memory. */
static int kernel_of_class(spg_row_class class)
{
    switch (class) {
    case SPG_ROW_THREAD: return KERNEL_NETWORK;
    case SPG_ROW_WARP: return KERNEL_LIST;
    case SPG_ROW_CTA: return KERNEL_SORT;
    default: return KERNEL_WINDOW;
    }
}

/* Chunks of similar rows share measurements: by the logarithm of the products per row. */
static int bucket_of(const row_chunk *chunk)
{
    int64_t mean = chunk->rows > 0 ? chunk->products / chunk->rows : 0;
    int bucket = 0;
    for (int64_t bound = 16; bound < mean && bucket + 1 < WORK_BUCKETS; bound *= 2) bucket++;
    return bucket;
}

/* Chosen with spgemm_bench on one thread (A*P and A*A of tri2d, tet3d, fe2d9 and fd2d5, 28 to 530 chunks). Half or
 * twice the trials, a retry every 16 to 256 chunks, retries of kernels 1.1 to 9 times as expensive, and costs that grow
 * by 0 to 10 percent a chunk are within 2 percent of each other on average. Trials in products of 28 to 58 chunks gain
 * 8 to 18 percent on meshes and lose 4 to 11 on grids; without trials, products of 100 to 121 chunks lose 5 to 23
 * percent on meshes. */
enum { TRIALS = 2 * AUTOMATIC_KERNELS, RETRY = 64 };
enum { WORTH_TRIALS = 16 * TRIALS }; /* chunks; a product of fewer may end before the trials have paid off */
#define NEAR 1.5
#define AGEING 1.01

/* Tries every kernel twice, then takes the cheapest; from time to time tries another that is not much slower, in case
 * the rows have changed. */
static int choose_kernel(kernel_costs *costs, int bucket)
{
    const int64_t turn = costs->chunks[bucket]++;
    if (turn < TRIALS) return (int)(turn % AUTOMATIC_KERNELS);
    int best = 0;
    for (int k = 1; k < AUTOMATIC_KERNELS; k++)
        if (costs->nanoseconds[k][bucket] < costs->nanoseconds[best][bucket]) best = k;
    const int other = (int)(turn / RETRY % AUTOMATIC_KERNELS);
    const bool is_near = costs->nanoseconds[other][bucket] < NEAR * costs->nanoseconds[best][bucket];
    return turn % RETRY == 0 && is_near ? other : best;
}

/* Whether the network takes the rows of the chunk one and all, known or not: as many short rows, it computes them as
 * fast as they are compared with known ones. spgemm_bench on one thread, AVX-512, with comparing in brackets: A*P of
 * econ:5000 0.62 ms (1.40), of fd3d7:22 1.01 (1.82), of tri2d:100 0.94 (0.99), of fd2d5:100 0.43 (0.57), of fe2d9:100
 * 0.77 (0.77). Where nearly all rows are known nothing is faster than to see that (A*A of fd2d5:200 2.7 ms, 3.9 by the
 * network), so a worker compares its first rows. With AVX2 grids lose: A*P of fd2d5:100 0.79 (0.61), of fe2d9:100 1.45
 * (0.87). */
static bool network_needs_no_known(const spg_worker *worker)
{
    const row_chunk *chunk = &worker->chunk;
    return worker->shared->vector >= SPG_VECTOR_AVX512 && worker->known.is_sampled && !worker->known.repeats &&
           chunk->products <= SHORT_ROW * chunk->rows;
}

/* For a product that ends before trials pay off. Equal rows of A share
 * the work of a list (spgemm_bench on one thread, elast3d:10: A*P 1.04 ms, 1.63 by the window; A*A 14 and 35). Of
 * longer rows, reading a whole row of C in order beats sorting it where one column in COLUMNS_A_PRODUCT or more has a
 * product (python/bench/overhead.py, one thread, random squares: 1000 rows, 100 products a row 1.0 ms, 1.9 by lists;
 * 3000 rows, 81 products 3.9 and 4.2). Where some rows repeat earlier ones, lists are best for the others; where none
 * do, branches mispredict, and a network is (A*P of econ:10000 1.92 ms, 2.34 by lists; of tri2d:128 2.25 and 2.45). */
enum { COLUMNS_A_PRODUCT = 32 };
static int untried_kernel(const spg_worker *worker)
{
    const row_chunk *chunk = &worker->chunk;
    const int64_t cols = worker->shared->product->B->cols;
    if (chunk->rows > 1 && spg_equal_rows(worker, 0, chunk->rows) > 1) return KERNEL_LIST;
    if (network_needs_no_known(worker)) return KERNEL_NETWORK;
    if (cols / COLUMNS_A_PRODUCT * chunk->rows <= chunk->products) return KERNEL_WINDOW;
    return worker->known.scattered && worker->shared->vector > SPG_VECTOR_NONE ? KERNEL_NETWORK : KERNEL_LIST;
}

/* Stores the lowest cost seen, since a lost core can only raise a cost, and lets it decay slowly. */
static void record_cost(kernel_costs *costs, int bucket, int kernel, double nanoseconds)
{
    double *cost = &costs->nanoseconds[kernel][bucket];
    *cost = *cost == 0 || nanoseconds < *cost ? nanoseconds : AGEING * *cost;
}

/* One row by the kernel asked for, or by the one that takes any row. */
static int64_t multiply_row(spg_worker *worker, const row_kernels *kernels, int kernel, int64_t row)
{
    const int64_t most = worker->chunk.row_products[row];
    int64_t n = -1;
    if (kernel == KERNEL_SORT && most <= worker->shared->sizes.staging_entries) {
        if (!spg_make_room(worker, most)) return 0;
        n = kernels->sort(worker, row);
    }
    return n >= 0 ? n : kernels->window(worker, row);
}

/* True for a row of one entry of A if only lengths count and B repeats no column. */
static bool count_is_known(const spg_worker *worker, int64_t row)
{
    const int64_t *bounds = worker->chunk.bounds;
    return worker->shared->mode == HANDOVER_COUNT && worker->shared->b.sorted && bounds[row + 1] - bounds[row] == 1;
}

/* Computes rows from `row` to before `end`, at least one, by the kernel or by one that takes them. Returns how many. */
static int64_t multiply_by_kernel(spg_worker *worker, const row_kernels *kernels, int kernel, int64_t row, int64_t end)
{
    int64_t done = 0;
    if (kernel == KERNEL_NETWORK) done = kernels->network_rows(worker, row, end);
    if (kernel == KERNEL_NETWORK && done == 0) done = kernels->list_rows(worker, row, row + 1);
    if (kernel == KERNEL_LIST) done = kernels->list_rows(worker, row, end);
    if (done > 0) return done;
    worker->row_counts[row] = multiply_row(worker, kernels, kernel, row);
    return 1;
}

/* The same, first without a kernel. */
static int64_t multiply_rows(spg_worker *worker, const row_kernels *kernels, int kernel, int64_t row, int64_t end)
{
    if (worker->chunk.row_products[row] == 0 || count_is_known(worker, row)) {
        worker->row_counts[row] = worker->chunk.row_products[row];
        return 1;
    }
    if (!worker->shared->automatic || (kernel == KERNEL_NETWORK && network_needs_no_known(worker)) ||
        !spg_comparing_pays(worker))
        return multiply_by_kernel(worker, kernels, kernel, row, end);
    int64_t done = kernels->repeated_rows(worker, row, end);
    if (done > 0) return done;
    const int equal = spg_equal_rows(worker, row, end);
    done = multiply_by_kernel(worker, kernels, kernel, row, row + equal);
    if (equal == 1) spg_keep_row(worker, row, worker->row_counts[row]);
    return done;
}

/* The end of the run of rows from `row` on in the same class, or a little before it. */
static int64_t end_of_class(const row_chunk *chunk, const spg_row_limits *limits, int64_t row)
{
    const spg_row_class class = spg_classify(chunk->row_products[row], limits);
    const int64_t end = chunk->rows - row < 64 ? chunk->rows : row + 64;
    while (row < end && spg_classify(chunk->row_products[row], limits) == class) row++;
    return row;
}

static bool multiply_long_row(spg_worker *worker, const row_kernels *kernels)
{
    const row_chunk *chunk = &worker->chunk;
    int64_t products, n = kernels->long_row(worker, &products);
    if (n < 0) return false;
    worker->row_counts[chunk->rows] = n;
    worker->products += products;
    worker->class_rows[spg_classify(products, &worker->shared->product->limits)]++;
    return true;
}

bool spg_multiply_chunk(spg_worker *worker)
{
    const multiplication *shared = worker->shared;
    const row_chunk *chunk = &worker->chunk;
    const row_kernels *kernels = kernels_of(shared->product);
    const spg_row_limits *limits = &shared->product->limits;
    const int bucket = bucket_of(chunk);
    int chosen = -1;
    if (shared->automatic)
        chosen = shared->chunks < WORTH_TRIALS ? untried_kernel(worker) : choose_kernel(&worker->costs, bucket);
    const double begin = spg_seconds();
    for (int64_t row = 0; row < chunk->rows; row++)
        worker->class_rows[spg_classify(chunk->row_products[row], limits)]++;
    for (int64_t row = 0; row < chunk->rows && !atomic_load_explicit(&shared->failed, memory_order_relaxed);) {
        const spg_row_class class = spg_classify(chunk->row_products[row], limits);
        const int kernel = chosen >= 0 ? chosen : kernel_of_class(class);
        row +=
            multiply_rows(worker, kernels, kernel, row, chosen >= 0 ? chunk->rows : end_of_class(chunk, limits, row));
    }
    worker->products += chunk->products;
    if (chosen >= 0 && chunk->products > 0)
        record_cost(&worker->costs, bucket, chosen, 1e9 * (spg_seconds() - begin) / (double)chunk->products);
    if (chunk->has_long_row && !multiply_long_row(worker, kernels)) return false;
    return !atomic_load_explicit(&shared->failed, memory_order_relaxed);
}
