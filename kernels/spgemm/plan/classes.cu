/* Classifies the rows of a plan.
 *
 * Input: the patterns, and the facts of each row (plan/facts.cu). Output: the rows listed by class, and totals of each
 * class. Rows that are short in C, in A and in products go to threads. Equal neighbours are led by the first of them.
 * Rows that are long, or have very many products, are cut into parts. */
#include "plan.cuh"

#include "../../primitives/bins.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256 };

/* What is known of rows before they are classified. */
struct known_rows {
    plan_patterns patterns;
    const int64_t *row_products;
    const uint8_t *marks;
    plan_scheme scheme;

    __device__ int64_t a_length(int64_t row) const { return patterns.a[row + 1] - patterns.a[row]; }
    __device__ int64_t c_length(int64_t row) const { return patterns.c[row + 1] - patterns.c[row]; }
    __device__ bool fits_thread(int64_t row) const
    {
        return c_length(row) <= scheme.thread_sums && a_length(row) <= PLAN_THREAD_A &&
               row_products[row] <= PLAN_THREAD_PRODUCTS && (marks[row] & B_IS_SHORT);
    }
    /* Whether rows row .. row + count - 1 can be done together. */
    __device__ bool are_equal(int64_t row, int count) const
    {
        if (row + count > patterns.rows || a_length(row) >= PLAN_STRIDE_A || c_length(row) >= PLAN_STRIDE_A)
            return false;
        for (int j = 1; j < count; j++)
            if (!(marks[row + j] & IS_EQUAL)) return false;
        return true;
    }
    __device__ bool has_runs(int64_t row, int width) const
    {
        for (int k = 0; k < PLAN_WIDTHS; k++)
            if (plan_width(k) == width) return (marks[row] & HAS_RUNS << k) != 0;
        return false;
    }
    /* Whether the row leads equal rows that are done together, in blocks if there are any. */
    __device__ bool leads(int64_t row) const
    {
        const plan_scheme &of = scheme;
        if (of.equal_rows == 1 || !are_equal(row, of.equal_rows)) return false;
        if (row_products[row] / (of.run_length * of.entry_width) > of.slice_most) return false;
        return of.run_length == 1 || (has_runs(row, of.run_length) && a_length(row) <= of.most_runs * of.run_length);
    }
    __device__ int class_of(int64_t row) const
    {
        const int64_t n = c_length(row), products = row_products[row];
        if (n == 0) return PLAN_NOTHING;
        if (scheme.by_threads && fits_thread(row)) return PLAN_THREAD;
        const int64_t leader = row - row % scheme.equal_rows;
        if (leads(leader)) return row > leader ? PLAN_NOTHING : PLAN_ENTRIES;
        if (products <= scheme.slice_most &&
            (scheme.by_entries || (scheme.run_length == 1 && a_length(row) > scheme.hub)))
            return PLAN_ENTRIES;
        if (n > PLAN_MIDDLE_SUMS || products > scheme.cut_products) return PLAN_LARGE;
        return n <= PLAN_SMALL_SUMS ? PLAN_SMALL : PLAN_MIDDLE;
    }
};

__device__ inline bool is_far(const plan_patterns &of, int64_t row)
{
    if (row == 0 || of.a[row] == of.a[row - 1] || of.a[row] == of.a[row + 1]) return false;
    return abs(of.a_columns[of.a[row]] - of.a_columns[of.a[row - 1]]) > PLAN_FAR_COLUMNS;
}

/* Adds a row that has entries. */
__device__ inline void add_row(const known_rows &known, int64_t row, plan_row_facts *to)
{
    const unsigned long long products = (unsigned long long)known.row_products[row];
    to->products += products;
    to->short_products += known.fits_thread(row) ? products : 0;
    to->far_rows += is_far(known.patterns, row);
    to->longest_a = max(to->longest_a, (unsigned long long)known.a_length(row));
#pragma unroll
    for (int k = 0; k < PLAN_WIDTHS; k++) {
        const int width = plan_width(k);
        to->grouped_rows[k] += row % width == 0 && known.are_equal(row, width) ? width : 0;
        to->run_products[k] += known.has_runs(row, width) ? products : 0;
    }
}

/* Facts and totals are words: SUMS of them that are added, then others of which the maximum counts. */
template <typename Facts> __device__ inline void add_to(Facts *to, const Facts &more)
{
    auto *words = reinterpret_cast<unsigned long long *>(to);
    const auto *added = reinterpret_cast<const unsigned long long *>(&more);
#pragma unroll
    for (int k = 0; k < (int)(sizeof more / sizeof *added); k++)
        if (added[k] > 0) k < Facts::SUMS ? atomicAdd(words + k, added[k]) : atomicMax(words + k, added[k]);
}

/* In every lane, those of all lanes. */
template <typename Facts> __device__ inline Facts of_warp(const Facts &mine)
{
    Facts all;
    auto *words = reinterpret_cast<unsigned long long *>(&all);
    const auto *own = reinterpret_cast<const unsigned long long *>(&mine);
#pragma unroll
    for (int k = 0; k < (int)(sizeof mine / sizeof *own); k++)
        words[k] = k < Facts::SUMS ? reduce(own[k], plus()) : reduce(own[k], maximum());
    return all;
}

/* Sums all products, and counts the rows that could be done together. Few blocks, which add to the same facts. */
__global__ void __launch_bounds__(THREADS) sum_kernel(known_rows known, plan_facts *facts)
{
    __shared__ plan_row_facts of_block;
    const plan_patterns &of = known.patterns;
    plan_row_facts mine = {};
    if (threadIdx.x == 0) of_block = {};
    __syncthreads();
    const int64_t first = (int64_t)blockIdx.x * THREADS + threadIdx.x, step = (int64_t)gridDim.x * THREADS;
    if (first == 0) facts->a_entries = of.a[of.rows] - of.a[0], facts->c_entries = of.c[of.rows] - of.c[0];
    for (int64_t row = first; row < of.rows; row += step)
        if (known.c_length(row) > 0) add_row(known, row, &mine);
    const plan_row_facts all = of_warp(mine);
    if (lane_in_warp() == 0) add_to(&of_block, all);
    __syncthreads();
    if (threadIdx.x == 0) add_to<plan_row_facts>(facts, of_block);
}

/* Adds the warp's rows to the totals of their class. */
__device__ inline void add_totals(plan_totals *totals, int row_class, const plan_totals &mine)
{
    for (unsigned int left = ALL_LANES; left != 0;) {
        const int one = __shfl_sync(ALL_LANES, row_class, __ffs((int)left) - 1);
        const bool is_one = row_class == one;
        const plan_totals all = of_warp(is_one ? mine : plan_totals{});
        left &= ~__ballot_sync(ALL_LANES, is_one);
        if (lane_in_warp() == 0) add_to(&totals[one], all);
    }
}

__global__ void __launch_bounds__(THREADS)
    classes_kernel(known_rows known, uint8_t *row_classes, int64_t *entry_products, plan_facts *facts)
{
    __shared__ plan_totals totals[PLAN_CLASSES];
    if (threadIdx.x < PLAN_CLASSES) totals[threadIdx.x] = {};
    __syncthreads();
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t first = (int64_t)blockIdx.x * THREADS; first < known.patterns.rows; first += step) {
        const int64_t row = first + threadIdx.x;
        int row_class = PLAN_NOTHING;
        plan_totals mine = {};
        if (row < known.patterns.rows) {
            row_class = known.class_of(row);
            row_classes[row] = (uint8_t)row_class;
            entry_products[row] = row_class == PLAN_ENTRIES
                                      ? known.row_products[row] / (known.scheme.run_length * known.scheme.entry_width)
                                      : 0;
            const unsigned long long products = (unsigned long long)known.row_products[row];
            const unsigned long long a_length = (unsigned long long)known.a_length(row);
            mine = {1, products, a_length, products, a_length, (unsigned long long)known.c_length(row)};
        }
        add_totals(totals, row_class, mine);
    }
    __syncthreads();
    if (threadIdx.x < PLAN_CLASSES) add_to(&facts->classes[threadIdx.x], totals[threadIdx.x]);
}

struct listed_class {
    const uint8_t *row_classes;
    __device__ int operator()(int32_t row) const { return (int)row_classes[row] - 1; } /* leaves out PLAN_NOTHING */
};

spg_status read_facts(plan_maker &maker)
{
    plan_found found = {};
    const spg_status status =
        spg_cuda_copy_bytes(maker.context, &found, SPG_PLACE_HOST, maker.found, SPG_PLACE_DEVICE, sizeof found);
    maker.facts = found.facts;
    maker.patterns.b_ascends = found.unsorted_b == 0;
    maker.patterns.b_is_paired = found.unpaired_b == 0;
    return status;
}

spg_status list_rows(plan_maker &maker, const uint8_t *row_classes)
{
    const int32_t count = (int32_t)maker.patterns.rows;
    scratch temporary(maker);
    int64_t bytes = 0;
    char *memory = nullptr;
    spg_status status = bins_workspace_bytes(maker.context, count, PLAN_CLASSES - 1, &bytes);
    if (status == SPG_OK) status = temporary.allocate(bytes, &memory);
    if (status != SPG_OK) return status;
    return bin_rows(maker.context, {nullptr, count, nullptr}, listed_class{row_classes}, PLAN_CLASSES - 1, memory,
                    {maker.listed_rows, nullptr, nullptr});
}

} // namespace

spg_status classify_rows(plan_maker &maker)
{
    const int64_t rows = maker.patterns.rows;
    const unsigned int blocks = adding_blocks(maker.cuda, rows, THREADS);
    cudaStream_t stream = maker.cuda->stream;
    scratch bytes_memory(maker);
    plan_facts *facts = &maker.found->facts;
    uint8_t *marks = nullptr;
    spg_status status = bytes_memory.allocate(2 * rows, &marks);
    if (status == SPG_OK) status = find_row_facts(maker, marks);
    if (status != SPG_OK) return status;
    known_rows known = {maker.patterns, maker.row_products, marks, {}};
    known.scheme.thread_sums = maker.scheme.thread_sums;
    sum_kernel<<<blocks, THREADS, 0, stream>>>(known, facts);
    status = spg_cuda_check_launch(maker.context, "a plan's products");
    if (status == SPG_OK) status = read_facts(maker);
    if (status != SPG_OK) return status;
    choose_scheme(maker);
    known.scheme = maker.scheme;
    uint8_t *row_classes = marks + rows;
    classes_kernel<<<blocks, THREADS, 0, stream>>>(known, row_classes, maker.entry_products, facts);
    status = spg_cuda_check_launch(maker.context, "a plan's classes");
    if (status == SPG_OK) status = list_rows(maker, row_classes);
    return status == SPG_OK ? read_facts(maker) : status;
}

} // namespace spg
