/* Products, residuals and smoothing sweeps of several vectors at once: each entry of a matrix is read for all of them
 * (../../containers/row_vectors.cuh). What is done with the sum of a row is done in the same kernel: so a sweep or a
 * product also gives inner products. Never waits. */
#include "blocks.cuh"

#include "amg/numerics.h"

namespace spg
{

namespace amg
{

namespace
{

/* A lane's sums of products of its vectors. */
template <int Length> struct lane_sums {
    double of[Length];

    template <typename Value> __device__ void add(const pack<Value, Length> &x, const pack<Value, Length> &y)
    {
        for (int u = 0; u < Length; ++u) of[u] += (double)x.of[u] * (double)y.of[u];
    }
};

/* Calls each(row, the row's products) in the lanes of its first part, for the one row of a group, if there is one. */
template <typename Value, typename Weights, typename Each>
__device__ void for_parted_row(const matrix_view<Value> &A, const row_groups &groups, const Value *x, int row_bytes,
                               const Weights &weights, const Each &each)
{
    const int64_t row = groups.first_row(), begin = row < A.rows ? A.offsets[row] + groups.part() * ROW_BATCH : 0,
                  end = row < A.rows ? A.offsets[row + 1] : 0;
    pack<Value, FULL_PACK<Value>> sum = {};
    add_row(begin, end, groups.parts() * ROW_BATCH, A.columns, A.values, reinterpret_cast<const char *>(x), row_bytes,
            weights, sum);
    sum = combine_parts(groups, sum);
    if (row < A.rows && groups.part() == 0) each(row, sum);
}

/* Calls finish(row, index of the lane's elements, the row's products with its vectors, sums), after finish.begin() in
 * each thread. Parted: several groups share a row, which is the only one of each. results: of the sums; NULL: none. */
template <int Lanes, bool Parted, typename Value, typename Weights, typename Finish>
__global__ __launch_bounds__(GROUP_THREADS, 4) void sum_rows(matrix_view<Value> A, row_groups groups, const Value *x,
                                                             Weights weights, Finish finish, grid_sums of,
                                                             double *results)
{
    constexpr int LENGTH = FULL_PACK<Value>, WIDTH = Lanes * LENGTH;
    wait_and_trigger();
    weights.begin();
    finish.begin();
    const int vector = (int)threadIdx.x % Lanes * LENGTH;
    lane_sums<LENGTH> sums = {};
    const auto each = [&](int64_t row, const pack<Value, LENGTH> &sum) {
        finish(row, row * WIDTH + vector, sum, sums);
    };
    if (Parted)
        for_parted_row(A, groups, x + vector, WIDTH * (int)sizeof(Value), weights, each);
    else
        for_each_product_row<LENGTH>(A.rows, A.offsets, A.columns, A.values, groups, x + vector,
                                     WIDTH * (int)sizeof(Value), weights, each);
    if (results == nullptr) return;
    combine_blocks(sums.of, Lanes, of, [=](int of_vector, double sum) { results[of_vector] = sum; });
}

/* The kernel for so many lanes a row. */
template <typename Value, typename Weights, typename Finish> auto kernel_for(const row_groups &groups)
{
    constexpr int MOST = SPG_AMG_MOST_WIDTH / FULL_PACK<Value>;
    const bool parted = groups.part_bits > 0;
    if (groups.lanes() == MOST)
        return parted ? sum_rows<MOST, true, Value, Weights, Finish> : sum_rows<MOST, false, Value, Weights, Finish>;
    if (groups.lanes() == MOST / 2)
        return parted ? sum_rows<MOST / 2, true, Value, Weights, Finish>
                      : sum_rows<MOST / 2, false, Value, Weights, Finish>;
    return parted ? sum_rows<MOST / 4, true, Value, Weights, Finish>
                  : sum_rows<MOST / 4, false, Value, Weights, Finish>;
}

template <typename Value, typename Weights, typename Finish>
spg_status queue_rows(spg_context *context, const spg_csr &A, int width, const void *x, const char *what,
                      const Weights &weights, const Finish &finish, const spg_amg_products *products = nullptr)
{
    if (A.rows == 0) return SPG_OK;
    const row_groups groups = share_block(A.rows, A.nnz, width / FULL_PACK<Value>);
    const grid_sums of = sums_in(context, products != nullptr ? products->workspace : nullptr);
    return launch_programmatic(
        context, spg_cuda_of(context)->stream, what, blocks_for_rows(A.rows, groups, MOST_SUM_BLOCKS),
        (unsigned int)groups.threads(), 0, kernel_for<Value, Weights, Finish>(groups), view_of<Value>(A), groups,
        static_cast<const Value *>(x), weights, finish, of, products != nullptr ? products->results : nullptr);
}

template <typename Value> using numbers = pack<Value, FULL_PACK<Value>>;

template <typename Value> __device__ numbers<Value> load(const Value *from) { return *pack_at<FULL_PACK<Value>>(from); }
template <typename Value> __device__ void store(Value *to, const numbers<Value> &from)
{
    *pack_at<FULL_PACK<Value>>(to) = from;
}

/* Adds x . y to the sums. */
template <typename Value> struct product {
    const Value *x; /* NULL: no sums */
    Value *y;
    bool adds;

    __device__ void begin() {}
    __device__ void operator()(int64_t, int64_t k, numbers<Value> sum, lane_sums<FULL_PACK<Value>> &sums) const
    {
        if (adds) {
            const numbers<Value> before = load(y + k);
            for (int u = 0; u < FULL_PACK<Value>; ++u) sum.of[u] += before.of[u];
        }
        store(y + k, sum);
        if (x != nullptr) sums.add(load(x + k), sum);
    }
};

template <typename Value> struct residual {
    const Value *b;
    Value *r;

    __device__ void begin() {}
    __device__ void operator()(int64_t, int64_t k, const numbers<Value> &sum, lane_sums<FULL_PACK<Value>> &) const
    {
        numbers<Value> difference = load(b + k);
        for (int u = 0; u < FULL_PACK<Value>; ++u) difference.of[u] -= sum.of[u];
        store(r + k, difference);
    }
};

/* The factors of a sweep. */
struct sweep_factors {
    const double *rho;   /* NULL: 1 */
    double scale, ratio; /* scale: Jacobi's, divided by rho; ratio: Chebyshev's */
    int step;            /* of Chebyshev's recurrence; -1: Jacobi */

    explicit sweep_factors(const spg_amg_relaxation &of) : rho(of.rho), scale(of.scale), ratio(of.ratio), step(of.step)
    {
    }

    /* All threads of a block call it. */
    __device__ spg_amg_chebyshev_step find() const
    {
        __shared__ spg_amg_chebyshev_step shared;
        if (threadIdx.x == 0) {
            const double of = rho != nullptr ? *rho : 1;
            shared = step < 0 ? spg_amg_chebyshev_step{scale / of, 0} : spg_amg_chebyshev(of, ratio, step);
        }
        __syncthreads();
        return shared;
    }
};

/* y = x + step, where step = coefficient .* inverse .* (b - A x) [+ keep d, and then d = step]. Adds b . y to the
 * sums. */
template <typename Value> struct block_sweep {
    sweep_factors factors;
    const Value *inverse, *b, *x; /* x NULL: zero */
    Value *d, *y;                 /* d NULL: no direction is kept */
    Value coefficient, keep;

    explicit block_sweep(const spg_amg_relaxation &of)
        : factors(of), inverse(static_cast<const Value *>(of.inverse)), b(static_cast<const Value *>(of.b)),
          x(static_cast<const Value *>(of.x)), d(static_cast<Value *>(of.d)), y(static_cast<Value *>(of.y)),
          coefficient(0), keep(0)
    {
    }

    __device__ void begin()
    {
        const spg_amg_chebyshev_step by = factors.find();
        coefficient = (Value)by.coefficient;
        keep = (Value)by.keep;
    }

    __device__ void operator()(int64_t row, int64_t k, const numbers<Value> &sum,
                               lane_sums<FULL_PACK<Value>> &sums) const
    {
        const numbers<Value> of_b = load(b + k), from = x != nullptr ? load(x + k) : numbers<Value>{};
        const numbers<Value> before = keep != 0 ? load(d + k) : numbers<Value>{};
        const Value by = coefficient * inverse[row];
        numbers<Value> change, to;
        for (int u = 0; u < FULL_PACK<Value>; ++u) {
            change.of[u] = by * (of_b.of[u] - sum.of[u]);
            if (keep != 0) change.of[u] = keep * before.of[u] + change.of[u];
            to.of[u] = x != nullptr ? from.of[u] + change.of[u] : change.of[u];
        }
        if (d != nullptr) store(d + k, change);
        store(y + k, to);
        sums.add(of_b, to);
    }
};

template <typename Value>
__global__ __launch_bounds__(THREADS) void relax_from_zero(int64_t packs, int lane_bits, block_sweep<Value> sweep)
{
    wait_and_trigger();
    sweep.begin();
    lane_sums<FULL_PACK<Value>> unused = {};
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < packs; k += step)
        sweep(k >> lane_bits, k * FULL_PACK<Value>, numbers<Value>{}, unused);
}

template <typename Value> struct values_as_weights : plain_weights<Value> {
    __device__ void begin() {}
};

/* Entries times what a first sweep takes of b. */
template <typename Value> struct swept_weights {
    sweep_factors factors;
    const Value *inverse;
    Value coefficient;

    explicit swept_weights(const spg_amg_relaxation &of)
        : factors(of), inverse(static_cast<const Value *>(of.inverse)), coefficient(0)
    {
    }
    __device__ void begin() { coefficient = (Value)factors.find().coefficient; }
    __device__ Value read(int32_t column) const { return inverse[column]; }
    __device__ Value operator()(Value value, Value factor) const { return value * (coefficient * factor); }
};

/* y = the first sweep's coefficient .* inverse .* b + the sum. */
template <typename Value> struct correction {
    swept_weights<Value> swept;
    const Value *b;
    Value *y;

    __device__ void begin() { swept.begin(); }
    __device__ void operator()(int64_t row, int64_t k, numbers<Value> sum, lane_sums<FULL_PACK<Value>> &) const
    {
        const numbers<Value> of_b = load(b + k);
        const Value by = swept.coefficient * swept.inverse[row];
        for (int u = 0; u < FULL_PACK<Value>; ++u) sum.of[u] += by * of_b.of[u];
        store(y + k, sum);
    }
};

template <typename Value>
spg_status queue_sweep(spg_context *context, const spg_csr &A, int width, const spg_amg_relaxation &of,
                       const spg_amg_products *products)
{
    const char *const what = "a smoothing sweep of several vectors";
    const block_sweep<Value> sweep(of);
    if (of.x != nullptr)
        return queue_rows<Value>(context, A, width, of.x, what, values_as_weights<Value>(), sweep, products);
    if (A.rows == 0) return SPG_OK;
    const int lanes = width / FULL_PACK<Value>;
    return launch_programmatic(context, spg_cuda_of(context)->stream, what, blocks_for_groups(context, A.rows, lanes),
                               THREADS, 0, relax_from_zero<Value>, A.rows * lanes, bits_of(lanes), sweep);
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_many_multiply(spg_context *context, const spg_csr *A, int width, const void *x, bool adds, void *y,
                                  const spg_amg_products *products)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        const Value *of_sums = products != nullptr ? static_cast<const Value *>(x) : nullptr;
        const spg::amg::product<Value> finish = {of_sums, static_cast<Value *>(y), adds};
        return spg::amg::queue_rows<Value>(context, *A, width, x, "a product with several vectors",
                                           spg::amg::values_as_weights<Value>(), finish, products);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_residual(spg_context *context, const spg_csr *A, int width, const void *b, const void *x,
                                  void *r)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        const spg::amg::residual<Value> finish = {static_cast<const Value *>(b), static_cast<Value *>(r)};
        return spg::amg::queue_rows<Value>(context, *A, width, x, "residuals of several vectors",
                                           spg::amg::values_as_weights<Value>(), finish);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_relax(spg_context *context, const spg_csr *A, int width, const spg_amg_relaxation *sweep,
                               const spg_amg_products *products)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        return spg::amg::queue_sweep<decltype(value)>(context, *A, width, *sweep, products);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_first_residual(spg_context *context, const spg_csr *A, int width,
                                        const spg_amg_relaxation *first, void *r)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        const spg::amg::residual<Value> finish = {static_cast<const Value *>(first->b), static_cast<Value *>(r)};
        return spg::amg::queue_rows<Value>(context, *A, width, first->b, "residuals of several vectors",
                                           spg::amg::swept_weights<Value>(*first), finish);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_first_correction(spg_context *context, const spg_csr *P, int width,
                                          const spg_amg_relaxation *first, const void *x)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(P->value_type, [&](auto value) {
        using Value = decltype(value);
        const spg::amg::correction<Value> finish = {spg::amg::swept_weights<Value>(*first),
                                                    static_cast<const Value *>(first->b),
                                                    static_cast<Value *>(first->y)};
        return spg::amg::queue_rows<Value>(context, *P, width, x, "corrections of several vectors",
                                           spg::amg::values_as_weights<Value>(), finish);
    });
    spg_cuda_leave(context);
    return status;
}
