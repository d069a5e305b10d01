/* What the stages of a product on the device share. Private.
 *
 * A product makes two passes over its rows. Counting kernels (symbolic) write the length of each row of C, a scan turns
 * lengths into C's row offsets, C is allocated at its exact size, and filling kernels (numeric) write columns and
 * values. Every row method (rows.cuh) has a kernel for each pass. Some methods do both in one pass: their rows are kept
 * in workspace until C is allocated (hash_group/kept_rows.cuh), or written to arrays reserved by an estimate
 * (assemble/reserved.cuh). */
#ifndef SPG_KERNELS_SPGEMM_PRODUCT_CUH
#define SPG_KERNELS_SPGEMM_PRODUCT_CUH

#include "../device.h"
#include "../primitives/parts.cuh"
#include "../values.cuh"

namespace spg
{

/* Workspace of the bitmap method, if rows equal their neighbours (bitmap/passes.cu). NULL: none. */
struct equal_notes {
    void *memory;
    int64_t bytes;
    uint8_t *repeats;  /* one a row of B: whether it has the columns of the row before */
    uint2 *row_groups; /* one a group of `together` rows of A: if they have the same columns, the first and the last
                        * column of their rows of C; else, or if these are empty, all bits of the first are set.
                        * Counting writes it, filling reads it. */
};

/* Workspace that is held between stages. NULL: none. */
struct held_memory {
    void *memory;
    int64_t bytes;
};

/* The list of overflow rows, in workspace: rows that a counting kernel could not hold and another kernel counts
 * (leave_row; rows.cuh). The counters hold their number. Beyond `room` they are not listed, and all rows are counted
 * another way. */
struct overflow_list {
    int32_t *rows;
    uint32_t room;
};

/* The host's view of a running product. */
struct cuda_product {
    spg_context *context;
    spg_cuda *cuda;
    const spg_csr *A, *B;
    spg_csr *C;
    bool pattern_only;                   /* symbolic: C's columns without values, numbers<none> */
    spg_type offset_type;                /* of A, B and C in the kernels */
    const void *a_offsets, *b_offsets;   /* of type offset_type: the operands' own arrays, or widened copies */
    int64_t held_bytes, most_held_bytes; /* workspace taken through take_workspace */
    equal_notes notes;
    held_memory packed; /* copy of B's rows (hash_thread/packed_rows.cuh), if the workspace limit leaves room */
    overflow_list overflow;
};

/* Takes workspace within the context's limit; freed in the order of the stream. */
spg_status take_workspace(cuda_product &product, int64_t bytes, const char *what, void **memory);
/* Optional workspace: NULL if it exceeds half of what the limit leaves, or if memory is refused. */
void *take_spare_workspace(cuda_product &product, int64_t bytes);
void give_workspace(cuda_product &product, void *memory, int64_t bytes);
/* The same for what a struct holds: `memory`, of `bytes` bytes. take_spare: whether it has it; release clears the
 * struct. */
template <typename Held> bool take_spare(cuda_product &product, int64_t bytes, Held *held)
{
    held->memory = take_spare_workspace(product, bytes);
    held->bytes = bytes;
    return held->memory != nullptr;
}
template <typename Held> void release(cuda_product &product, Held *held)
{
    give_workspace(product, held->memory, held->bytes);
    *held = {};
}

/* Workspace that is freed at the end of its scope. */
struct scoped_workspace {
    cuda_product &product;
    held_memory held = {nullptr, 0};
    explicit scoped_workspace(cuda_product &of) : product(of) {}
    scoped_workspace(const scoped_workspace &) = delete;
    scoped_workspace &operator=(const scoped_workspace &) = delete;
    spg_status take(int64_t bytes, const char *what)
    {
        held.bytes = bytes;
        return take_workspace(product, bytes, what, &held.memory);
    }
    /* Calls lay_out(parts) twice: for the size of the parts, then to place them. */
    template <typename LayOut> spg_status take(const char *what, LayOut &&lay_out)
    {
        part_taker size{nullptr, 0};
        spg_status status = lay_out(&size);
        if (status == SPG_OK) status = take(size.used, what);
        part_taker parts{static_cast<char *>(held.memory), 0};
        return status == SPG_OK ? lay_out(&parts) : status;
    }
    template <typename Part> Part *as() const { return static_cast<Part *>(held.memory); }
    ~scoped_workspace() { release(product, &held); }
};

/* The patterns as kernels see them. Columns of A are unchecked during the counting pass (checked_a_row,
 * checked_b_row). */
template <typename Offset> struct patterns {
    const Offset *a_offsets, *b_offsets;
    const int32_t *a_columns, *b_columns;
    Offset a_nnz, b_nnz;
    int32_t rows, inner, cols; /* A is rows x inner, B inner x cols */
    Offset *c_offsets;         /* counting: [i] becomes the length of row i; filling: the scanned row offsets */
    spg_counters *counters;
    overflow_list overflow;
};

/* Lists an overflow row: a row that the kernel cannot hold. */
template <typename Offset> __device__ inline void list_overflow_row(const patterns<Offset> &pattern, int32_t i)
{
    const unsigned int place = atomicAdd(&pattern.counters->overflow, 1u);
    if (place < pattern.overflow.room) pattern.overflow.rows[place] = i;
}
/* Lists an overflow row and sets its length to 0, until the kernel that takes it over has counted it. */
template <typename Offset> __device__ inline void leave_row(const patterns<Offset> &pattern, int32_t i)
{
    pattern.c_offsets[i] = 0;
    list_overflow_row(pattern, i);
}

/* Values, and C's columns, because the filling kernels write both. Value = none for a symbolic product. */
template <typename Value> struct numbers {
    const Value *a_values, *b_values;
    int32_t *c_columns;
    Value *c_values;
};

/* Whether the product has the commonest types, which some methods are limited to: 32-bit offsets, and real values. */
inline bool has_common_types(const cuda_product &product)
{
    const spg_type value = product.A->value_type;
    return product.offset_type == SPG_I32 && (value == SPG_F64 || value == SPG_F32) && !product.pattern_only;
}

/* Calls function(Value{}) with the type of the values of such a product. */
template <typename Function> auto with_common_value(const cuda_product &product, Function &&function)
{
    return product.A->value_type == SPG_F32 ? function(float{}) : function(double{});
}

/* Stands for a value in a symbolic product: nothing is read, computed or stored. */
struct none {
};
template <typename Value> constexpr bool has_values = true;
template <> constexpr bool has_values<none> = false;

template <> struct numbers<none> {
    int32_t *c_columns;
};

/* The rows that a kernel works on. Results of binning stay in device memory, so that the host need not wait for
 * them. */
struct row_set {
    const int32_t *rows;          /* row numbers; NULL: 0, 1, ..., count - 1 */
    int32_t count;                /* number of rows; an upper bound if device_count is given */
    const uint32_t *device_count; /* number of rows; NULL: count */
    const uint32_t *device_begin; /* index of the first in `rows`; NULL: 0 */
};

inline row_set all_rows(const cuda_product &product) { return {nullptr, (int32_t)product.A->rows, nullptr, nullptr}; }

__device__ inline int32_t row_count(const row_set &set)
{
    return set.device_count != nullptr ? (int32_t)*set.device_count : set.count;
}
__device__ inline int32_t row_at(const row_set &set, int32_t k)
{
    if (set.rows == nullptr) return k;
    return set.rows[set.device_begin != nullptr ? (int64_t)*set.device_begin + k : k];
}

template <typename Offset> patterns<Offset> patterns_of(const cuda_product &product)
{
    const spg_csr *A = product.A, *B = product.B;
    return {static_cast<const Offset *>(product.a_offsets),
            static_cast<const Offset *>(product.b_offsets),
            A->columns,
            B->columns,
            (Offset)A->nnz,
            (Offset)B->nnz,
            (int32_t)A->rows,
            (int32_t)A->cols,
            (int32_t)B->cols,
            static_cast<Offset *>(product.C->row_offsets),
            product.cuda->product_counters,
            product.overflow};
}

template <typename Value> numbers<Value> numbers_of(const cuda_product &product)
{
    return {static_cast<const Value *>(product.A->values), static_cast<const Value *>(product.B->values),
            product.C->columns, static_cast<Value *>(product.C->values)};
}
template <> inline numbers<none> numbers_of<none>(const cuda_product &product) { return {product.C->columns}; }

/* A range of entries, begin <= k < end. */
template <typename Offset> struct span {
    Offset begin, end;
};

/* Row i of A during counting. Invalid offsets give an empty range and record a fault. */
template <typename Offset>
__device__ inline span<Offset> checked_a_row(const patterns<Offset> &pattern, int32_t i, unsigned int &faults)
{
    span<Offset> row{pattern.a_offsets[i], pattern.a_offsets[i + 1]};
    bool ends = (i == 0 && row.begin != 0) || (i == pattern.rows - 1 && row.end != pattern.a_nnz);
    if (ends || row.begin < 0 || row.begin > row.end || row.end > pattern.a_nnz) {
        faults |= SPG_FAULT_A;
        row.begin = row.end = 0;
    }
    return row;
}

/* The row of B that an entry of A names, during counting. An invalid column or invalid offsets give an empty range and
 * record a fault. The kernel checks the columns in the range itself: SPG_FAULT_B if one is outside [0, cols),
 * SPG_FAULT_B_UNSORTED if one is not greater than the one before. */
template <typename Offset>
__device__ inline span<Offset> checked_b_row(const patterns<Offset> &pattern, int32_t a_column, unsigned int &faults)
{
    span<Offset> row{0, 0};
    if ((uint32_t)a_column >= (uint32_t)pattern.inner) {
        faults |= SPG_FAULT_A;
        return row;
    }
    row = {pattern.b_offsets[a_column], pattern.b_offsets[a_column + 1]};
    bool ends = (a_column == 0 && row.begin != 0) || (a_column == pattern.inner - 1 && row.end != pattern.b_nnz);
    if (ends || row.begin < 0 || row.begin > row.end || row.end > pattern.b_nnz) {
        faults |= SPG_FAULT_B;
        row.begin = row.end = 0;
    }
    return row;
}

/* Calls function(Offset{}, Value{}) with the types of a product that has values. */
template <typename Function> spg_status with_value_types(const cuda_product &product, Function &&function)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        return with_value_type(product.A->value_type, [&](auto value) { return function(offset, value); });
    });
}
/* The same for any product; Value = none for a symbolic one. */
template <typename Function> spg_status with_types(const cuda_product &product, Function &&function)
{
    if (!product.pattern_only) return with_value_types(product, function);
    return with_offset_type(product.offset_type, [&](auto offset) { return function(offset, none{}); });
}

/* Calls launch(Offset{}, stream) with the type of the offsets, which queues a kernel; `what` names it. */
template <typename Launch> spg_status launch_typed(const cuda_product &product, const char *what, Launch &&launch)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        launch(offset, product.cuda->stream);
        return spg_cuda_check_launch(product.context, what);
    });
}

/* Rows for a filling kernel; the counting pass has checked them. */
template <typename Offset> __device__ inline span<Offset> a_row(const patterns<Offset> &pattern, int32_t i)
{
    return {pattern.a_offsets[i], pattern.a_offsets[i + 1]};
}
template <typename Offset> __device__ inline span<Offset> b_row(const patterns<Offset> &pattern, int32_t a_column)
{
    return {pattern.b_offsets[a_column], pattern.b_offsets[a_column + 1]};
}

/* Blocks for `groups` groups of threads_each threads, at most four times what is resident. Kernels loop over rows with
 * a stride of the grid. */
int grid_for(const cuda_product &product, int64_t groups, int threads_each, int block_threads);

/* What a thread of a counting kernel found; rows: number of rows whose lengths were written. */
struct counts {
    unsigned long long nnz, products;
    unsigned int longest, rows, long_rows, faults;

    __device__ void add_row(unsigned int length, unsigned long long products_of_row)
    {
        nnz += length;
        products += products_of_row;
        longest = max(longest, length);
        ++rows;
    }
};

/* Records a row that a thread has counted: its length, or, if it does not fit, that it is an overflow row. */
template <typename Offset>
__device__ inline void record_row(const patterns<Offset> &pattern, int32_t i, bool fits, int length, int products,
                                  counts &found)
{
    if (!fits) {
        leave_row(pattern, i);
        return;
    }
    pattern.c_offsets[i] = (Offset)length;
    found.add_row((unsigned int)length, (unsigned int)products);
}

/* Adds the counts of a block, except for long_rows, to the counters. All threads of the block call it, each with its
 * own share. */
__device__ inline void add_counts(spg_counters *counters, counts found)
{
    for (int step = 16; step > 0; step /= 2) {
        found.nnz += __shfl_xor_sync(~0u, found.nnz, step);
        found.products += __shfl_xor_sync(~0u, found.products, step);
    }
    found.longest = __reduce_max_sync(~0u, found.longest);
    found.rows = __reduce_add_sync(~0u, found.rows);
    found.faults = __reduce_or_sync(~0u, found.faults);
    if (threadIdx.x % 32 != 0) return;
    if (found.nnz > 0) atomicAdd(&counters->nnz, found.nnz);
    if (found.products > 0) atomicAdd(&counters->products, found.products);
    if (found.longest > 0) atomicMax(&counters->longest_row, found.longest);
    if (found.rows > 0) atomicAdd(&counters->rows, found.rows);
    if (found.faults > 0) atomicOr(&counters->faults, found.faults);
}

} // namespace spg

#endif
