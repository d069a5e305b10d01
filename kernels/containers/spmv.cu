/* y = alpha*A*x + beta*y for CSR and COO: products of neighbouring rows' entries are computed side by side, then a lane
 * a row adds its row's in storage order (row_sums.cuh). Triples in row order are rows already; others are first ordered
 * by row, stably. */
#include "../cuda_backend.h"
#include "../launch.cuh"
#include "../primitives/row_sums.cuh"
#include "order.cuh"

namespace spg
{

namespace
{

enum { BLOCK = 256 };

/* Resident blocks a multiprocessor: as many as keep all of a tile in registers (floats: amg/smoother/relax.cu). */
template <typename Value> constexpr int blocks_held = sizeof(Value) > 8 ? 2 : sizeof(Value) > 4 ? 4 : 6;

/* Where rows begin among the entries, found from the ascending rows of the entries. */
template <typename Index> struct row_begins {
    const Index *rows;
    int64_t nnz;

    __device__ int64_t operator[](int64_t row) const { return first_not_below(rows, nnz, (Index)row); }
};

/* Entries in storage order; entry_order is for others. */
struct storage_order {
    template <typename Index> __device__ Index operator[](Index k) const { return k; }
};

/* The operands without the type of values; Begins: where rows begin, by []. */
template <typename Begins, typename Order = storage_order> struct operands {
    int64_t rows, nnz;
    Begins begins;
    Order order;
    const int32_t *columns;
    const void *values, *x;
    void *y;
};

template <typename Value> struct scales {
    Value alpha, beta;
    bool has_alpha, has_beta; /* false: alpha is 1, beta is 0 */
};

template <typename Value> __device__ Value update(Value sum, const scales<Value> &by, const Value *y)
{
    Value scaled = by.has_alpha ? multiply(by.alpha, sum) : sum;
    return by.has_beta ? add(scaled, multiply(by.beta, *y)) : scaled;
}

template <typename Value> struct entry {
    int32_t column;
    Value value;
};

template <typename Value, typename Operands>
__global__ __launch_bounds__(BLOCK, blocks_held<Value>) void spmv(Operands job, scales<Value> by, row_shares shares)
{
    __shared__ row_tile<Value> tiles[BLOCK / WARP];
    wait_and_trigger();
    const Value *values = static_cast<const Value *>(job.values), *x = static_cast<const Value *>(job.x);
    Value *y = static_cast<Value *>(job.y);
    const int32_t *columns = job.columns;
    const auto order = job.order;
    const auto read = [=](auto place) {
        const auto k = order[place];
        return entry<Value>{columns[k], values[k]};
    };
    const auto term = [=](const entry<Value> &of) { return multiply(of.value, x[of.column]); };
    for_each_row_sum(job.rows, job.begins, shares, tiles[threadIdx.x / WARP], read, term,
                     [&](int64_t row, Value sum) { y[row] = update(sum, by, y + row); });
}

template <typename Value, typename Operands>
spg_status launch(spg_context *context, const Operands &job, const void *alpha, const void *beta)
{
    const Value *a = static_cast<const Value *>(alpha), *b = static_cast<const Value *>(beta);
    scales<Value> by{zero<Value>(), zero<Value>(), a != nullptr, b != nullptr};
    if (a != nullptr) by.alpha = *a;
    if (b != nullptr) by.beta = *b;
    const row_shares shares = share_rows(job.rows, job.nnz);
    return launch_programmatic(context, spg_cuda_of(context)->stream, "a product with a vector",
                               blocks_for_shares(job.rows, shares, BLOCK), BLOCK, 0, spmv<Value, Operands>, job, by,
                               shares);
}

template <typename Operands>
spg_status multiply_by(spg_context *context, spg_type type, const Operands &job, const void *alpha, const void *beta)
{
    if (job.rows == 0) return SPG_OK;
    return with_value_type(type, [&](auto value) { return launch<decltype(value)>(context, job, alpha, beta); });
}

/* Orders the triples by row, and multiplies in that order. */
template <typename Index>
spg_status multiply_unsorted(spg_context *context, const spg_coo &matrix, const void *alpha, const void *x,
                             const void *beta, void *y)
{
    workspace work(context);
    key_order<Index, Index> sorted;
    spg_status status = allocate_order(work, matrix.nnz, "summing unsorted triples", &sorted);
    if (status != SPG_OK) return status;
    Index *keys = sorted.keys;
    const int32_t *rows = matrix.row_indices;
    status = for_each(context, matrix.nnz, "summing unsorted triples",
                      [=] __device__(int64_t k) { keys[k] = (Index)rows[k]; });
    if (status == SPG_OK)
        status = sort_order(work, matrix.nnz, bits_below(matrix.rows), "summing unsorted triples", &sorted);
    if (status != SPG_OK) return status;
    const operands<row_begins<Index>, entry_order> job{
        matrix.rows, matrix.nnz, {sorted.keys, matrix.nnz}, sorted.view(), matrix.columns, matrix.values, x, y};
    return multiply_by(context, matrix.value_type, job, alpha, beta);
}

spg_status multiply_coo(spg_context *context, const void *alpha, const spg_coo &matrix, const void *x, const void *beta,
                        void *y)
{
    const uint32_t *rows = reinterpret_cast<const uint32_t *>(matrix.row_indices); /* no row index is negative */
    bool in_order;
    spg_status status = are_in_order(context, matrix.row_indices, nullptr, matrix.nnz, &in_order);
    if (status != SPG_OK) return status;
    if (in_order) {
        const operands<row_begins<uint32_t>> job{
            matrix.rows, matrix.nnz, {rows, matrix.nnz}, {}, matrix.columns, matrix.values, x, y};
        return multiply_by(context, matrix.value_type, job, alpha, beta);
    }
    return with_index_type(
        matrix.nnz, [&](auto index) { return multiply_unsorted<decltype(index)>(context, matrix, alpha, x, beta, y); });
}

spg_status multiply_csr(spg_context *context, const void *alpha, const spg_csr &matrix, const void *x, const void *beta,
                        void *y)
{
    return with_offset_type(matrix.offset_type, [&](auto offset) {
        const auto *offsets = static_cast<const decltype(offset) *>(matrix.row_offsets);
        const operands<decltype(offsets)> job{matrix.rows,    matrix.nnz,    offsets, {},
                                              matrix.columns, matrix.values, x,       y};
        return multiply_by(context, matrix.value_type, job, alpha, beta);
    });
}

} // namespace

} // namespace spg

spg_status spg_cuda_csr_spmv(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                             const void *beta, void *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::multiply_csr(context, alpha, *matrix, x, beta, y);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_coo_spmv(spg_context *context, const void *alpha, const spg_coo *matrix, const void *x,
                             const void *beta, void *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::multiply_coo(context, alpha, *matrix, x, beta, y);
    spg_cuda_leave(context);
    return status;
}
