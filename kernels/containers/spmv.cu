/* y = alpha*A*x + beta*y for CSR and COO. A block takes some neighbouring rows: its threads compute the products of a
 * tile of their entries side by side, and then one thread a row adds its row's products in the order of storage.
 * Triples in the order of rows are rows already; others are put in an order of rows first, stably. */
#include "../cuda_backend.h"
#include "../values.cuh"
#include "order.cuh"

namespace spg
{

namespace
{

enum { BLOCK = 256, TILE_BYTES = 16384, BLOCKS_A_MULTIPROCESSOR = 8 };

template <typename Value> constexpr int tile_entries() { return TILE_BYTES / (int)sizeof(Value); }

/* Products lie in shared memory with a gap after every 32, so that rows of even lengths do not meet in the banks. */
__device__ __host__ constexpr int slot_of(int k) { return k + k / 32; }

static_assert(slot_of(TILE_BYTES / 4) * 4 + (BLOCK + 1) * 8 <= 48 * 1024, "a tile must fit static shared memory");
static_assert(tile_entries<complex<double>>() % BLOCK == 0, "threads take equally many entries of a tile");

/* Where rows begin among the entries: by offsets, or by the ascending rows of the entries. */
struct row_begins {
    numbers_view offsets; /* one of the three is given */
    const uint32_t *narrow_rows;
    const uint64_t *wide_rows;
    int64_t nnz;

    __device__ int64_t operator[](int64_t row) const
    {
        if (offsets.memory != nullptr) return offsets[row];
        if (wide_rows != nullptr) return first_not_below(wide_rows, nnz, (uint64_t)row);
        return first_not_below(narrow_rows, nnz, (uint32_t)row); /* without entries there are none to read */
    }
};

/* What to multiply, without the type of its values. */
struct operands {
    int64_t rows, nnz;
    row_begins begins;
    entry_order order;
    const int32_t *columns;
    const void *values, *x;
    void *y;
};

template <typename Value> struct scales {
    Value alpha, beta;
    bool has_alpha, has_beta; /* else 1 and 0 */
};

template <typename Value> __device__ Value update(Value sum, const scales<Value> &by, const Value *y)
{
    Value scaled = by.has_alpha ? multiply(by.alpha, sum) : sum;
    return by.has_beta ? add(scaled, multiply(by.beta, *y)) : scaled;
}

/* The products of entries [tile, end), at most a tile. */
template <typename Value> __device__ void multiply_tile(const operands &job, int64_t tile, int64_t end, Value *products)
{
    const Value *values = static_cast<const Value *>(job.values), *x = static_cast<const Value *>(job.x);
#pragma unroll
    for (int step = 0; step < tile_entries<Value>(); step += BLOCK) {
        int place = step + (int)threadIdx.x;
        if (tile + place >= end) continue;
        int64_t k = job.order[tile + place];
        products[slot_of(place)] = multiply(values[k], x[job.columns[k]]);
    }
}

/* Rows [first, first + count); begins[i] is where row first + i begins. */
template <typename Value>
__device__ void multiply_rows(const operands &job, const scales<Value> &by, int64_t first, int count,
                              const int64_t *begins, Value *products)
{
    bool has_row = (int)threadIdx.x < count;
    int64_t k = has_row ? begins[threadIdx.x] : 0, end = has_row ? begins[threadIdx.x + 1] : 0;
    Value sum = zero<Value>();
    for (int64_t tile = begins[0]; tile < begins[count]; tile += tile_entries<Value>()) {
        int64_t tile_end = tile + tile_entries<Value>() < begins[count] ? tile + tile_entries<Value>() : begins[count];
        multiply_tile(job, tile, tile_end, products);
        __syncthreads();
        if (k < end && k < tile_end) {
            int place = (int)(k - tile), stop = (int)((end < tile_end ? end : tile_end) - tile);
            for (; place < stop; ++place) sum = add(sum, products[slot_of(place)]);
            k = tile + stop;
        }
        __syncthreads();
    }
    if (!has_row) return;
    Value *y = static_cast<Value *>(job.y) + first + threadIdx.x;
    *y = update(sum, by, y);
}

template <typename Value>
__global__ __launch_bounds__(BLOCK) void spmv(operands job, scales<Value> by, int rows_a_block)
{
    __shared__ Value products[slot_of(tile_entries<Value>())];
    __shared__ int64_t begins[BLOCK + 1];
    int64_t step = (int64_t)gridDim.x * rows_a_block;
    for (int64_t first = (int64_t)blockIdx.x * rows_a_block; first < job.rows; first += step) {
        int count = job.rows - first < rows_a_block ? (int)(job.rows - first) : rows_a_block;
        for (int i = (int)threadIdx.x; i <= count; i += BLOCK) begins[i] = job.begins[first + i];
        __syncthreads();
        multiply_rows(job, by, first, count, begins, products);
        __syncthreads();
    }
}

/* So many rows that they fill a tile. */
int choose_rows(const operands &job, int tile)
{
    int64_t mean = job.nnz / job.rows + 1, rows = tile / mean;
    return rows < 1 ? 1 : rows < BLOCK ? (int)rows : BLOCK;
}

template <typename Value>
spg_status launch(spg_context *context, const operands &job, const void *alpha, const void *beta)
{
    const Value *a = static_cast<const Value *>(alpha), *b = static_cast<const Value *>(beta);
    scales<Value> by{zero<Value>(), zero<Value>(), a != nullptr, b != nullptr};
    if (a != nullptr) by.alpha = *a;
    if (b != nullptr) by.beta = *b;
    spg_cuda *cuda = spg_cuda_of(context);
    int rows = choose_rows(job, tile_entries<Value>());
    int64_t blocks = (job.rows + rows - 1) / rows, most = (int64_t)cuda->multiprocessors * BLOCKS_A_MULTIPROCESSOR * 8;
    spmv<Value><<<(unsigned int)(blocks < most ? blocks : most), BLOCK, 0, cuda->stream>>>(job, by, rows);
    return spg_cuda_check_launch(context, "a product with a vector");
}

spg_status multiply_by(spg_context *context, spg_type type, const operands &job, const void *alpha, const void *beta)
{
    if (job.rows == 0) return SPG_OK;
    return with_value_type(type, [&](auto value) { return launch<decltype(value)>(context, job, alpha, beta); });
}

/* Puts the rows of the triples in order, and multiplies by that. */
template <typename Index>
spg_status multiply_unsorted(spg_context *context, const spg_coo &matrix, operands job, const void *alpha,
                             const void *beta)
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
    job.begins.narrow_rows = sizeof(Index) == 4 ? reinterpret_cast<const uint32_t *>(sorted.keys) : nullptr;
    job.begins.wide_rows = sizeof(Index) == 8 ? reinterpret_cast<const uint64_t *>(sorted.keys) : nullptr;
    job.order = sorted.view();
    return multiply_by(context, matrix.value_type, job, alpha, beta);
}

spg_status multiply_coo(spg_context *context, const void *alpha, const spg_coo &matrix, const void *x, const void *beta,
                        void *y)
{
    const uint32_t *rows = reinterpret_cast<const uint32_t *>(matrix.row_indices); /* none is negative */
    operands job{matrix.rows, matrix.nnz, {{}, rows, nullptr, matrix.nnz}, {}, matrix.columns, matrix.values, x, y};
    bool in_order;
    spg_status status = are_in_order(context, matrix.row_indices, nullptr, matrix.nnz, &in_order);
    if (status != SPG_OK) return status;
    if (in_order) return multiply_by(context, matrix.value_type, job, alpha, beta);
    return with_index_type(
        matrix.nnz, [&](auto index) { return multiply_unsorted<decltype(index)>(context, matrix, job, alpha, beta); });
}

} // namespace

} // namespace spg

spg_status spg_cuda_csr_spmv(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                             const void *beta, void *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg::operands job{matrix->rows,
                      matrix->nnz,
                      {spg::offsets_of(*matrix), nullptr, nullptr, matrix->nnz},
                      {},
                      matrix->columns,
                      matrix->values,
                      x,
                      y};
    status = spg::multiply_by(context, matrix->value_type, job, alpha, beta);
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
