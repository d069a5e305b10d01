/* Shared by the stages of class global (sort_global/slices.cu): slices of rows are expanded to memory, sorted,
 * contracted. Private. */
#ifndef SPG_KERNELS_SPGEMM_SORT_GLOBAL_GLOBAL_CUH
#define SPG_KERNELS_SPGEMM_SORT_GLOBAL_GLOBAL_CUH

#include "../../primitives/search.cuh"
#include "../rows.cuh"

namespace spg
{

/* Threads of a block; bytes of an entry of A, and of a row, in a slice; bytes set aside for the rounding of arrays. */
enum { GLOBAL_BLOCK = 256, ENTRY_BYTES = 12, ROW_BYTES = 8, SLACK_BYTES = 4096 };

/* Consecutive rows of a set. Row r of the slice has products[r] - products[0] products before it, and entries[r] -
 * entries[0] entries of A; entries of rows without products are not counted. */
struct global_slice {
    row_set set;
    int32_t first, rows; /* rows first <= k < first + rows of the set */
    const int64_t *products, *entries;
    int64_t product_count, entry_count;
};

/* Consecutive entries of A of a slice, all of them if the slice fits: entry e, counted from `first`, belongs to row
 * rows[e] of the slice, and its products begin at starts[e]; starts[count] is the number of products. */
struct global_entries {
    int64_t first, count;
    int64_t *starts;
    uint32_t *rows;
};

/* Keys row << column_bits | column, in 32 bits or in 64. */
struct global_keys {
    void *data;
    bool wide;
    int row_bits, column_bits;
};

/* The bits for numbers below `count`; 0 for one number. */
inline int key_bits(int64_t count)
{
    int bits = 0;
    while (bits < 31 && ((int64_t)1 << bits) < count) ++bits;
    return bits;
}
inline global_keys keys_for(int64_t rows, int64_t columns)
{
    const int row_bits = key_bits(rows), column_bits = key_bits(columns);
    return {nullptr, row_bits + column_bits > 32, row_bits, column_bits};
}

__device__ inline uint64_t key_at(const global_keys &keys, int64_t k)
{
    return keys.wide ? static_cast<const uint64_t *>(keys.data)[k] : static_cast<const uint32_t *>(keys.data)[k];
}
__device__ inline void set_key(const global_keys &keys, int64_t k, uint32_t row, uint32_t column)
{
    if (keys.wide)
        static_cast<uint64_t *>(keys.data)[k] = (uint64_t)row << keys.column_bits | column;
    else
        static_cast<uint32_t *>(keys.data)[k] = row << keys.column_bits | column;
}

/* Workspace for CUB. */
struct cub_memory {
    void *memory;
    size_t bytes;
};

/* The products of a slice, or of a part of one row, while they are sorted and contracted. Each half holds keys
 * and, if values are wanted, the order of the products; after the sort, the products themselves take the other half. */
struct global_products {
    int64_t count;
    global_keys keys;
    void *halves[2];
    int64_t order_at; /* byte offset of the order in a half; 0: there is none */
    int current;      /* the half that holds the keys */
    uint32_t *heads;  /* where the runs of equal keys begin; each run is an entry of C */
    uint32_t *head_count;
    int64_t *bases; /* row r's run j is entry bases[r] + j of C */
    cub_memory temporary;
};

inline uint32_t *order_of(const global_products &products)
{
    return reinterpret_cast<uint32_t *>(static_cast<char *>(products.halves[products.current]) + products.order_at);
}
inline void *spare_of(const global_products &products) { return products.halves[1 - products.current]; }

/* last_at_most for all k in [first, last]: the range in which the block's threads need to search. All threads call
 * it. */
__device__ inline span<int64_t> range_at_most(const int64_t *ascending, int64_t count, int64_t first, int64_t last)
{
    __shared__ int64_t bounds[2];
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64)
        bounds[threadIdx.x / 32] = last_at_most(ascending, 0, count, threadIdx.x == 0 ? first : last);
    __syncthreads();
    span<int64_t> range{bounds[0], bounds[1] + 1};
    __syncthreads();
    return range;
}

/* The source of product k of some entries. */
template <typename Offset> struct product_source {
    Offset a, b; /* entries of A and B; b < 0: none, the operands are malformed */
    uint32_t row;
};

/* range: from range_at_most over the entries' starts. */
template <typename Offset>
__device__ inline product_source<Offset> source_of(const patterns<Offset> &pattern, const global_slice &slice,
                                                   const global_entries &entries, span<int64_t> range, int64_t k)
{
    int64_t e = last_at_most(entries.starts, range.begin, range.end, k);
    uint32_t row = entries.rows[e];
    unsigned int faults = 0;
    span<Offset> a = checked_a_row(pattern, row_at(slice.set, slice.first + (int32_t)row), faults);
    int64_t in_row = entries.first + e - (slice.entries[row] - slice.entries[0]);
    product_source<Offset> source{(Offset)(a.begin + in_row), -1, row};
    if (source.a >= a.end) return source;
    span<Offset> b = checked_b_row(pattern, pattern.a_columns[source.a], faults);
    int64_t in_b = k - entries.starts[e];
    if (in_b < b.end - b.begin) source.b = (Offset)(b.begin + in_b);
    return source;
}

/* The column of a product; if the operands are malformed, -1, with a fault recorded. */
template <typename Offset>
__device__ inline int32_t column_of(const patterns<Offset> &pattern, const product_source<Offset> &source,
                                    unsigned int &faults)
{
    const int32_t column = source.b >= 0 ? pattern.b_columns[source.b] : -1;
    if ((uint32_t)column < (uint32_t)pattern.cols) return column;
    faults |= source.b >= 0 ? SPG_FAULT_B : SPG_FAULT_A;
    return -1;
}

/* sort_global/expand.cu. Finds the entries first <= e < first + count of a slice: starts (count + 1 numbers) and
 * rows. */
spg_status find_entries(cuda_product &product, const global_slice &slice, const global_entries &entries,
                        const cub_memory &temporary);
/* The bytes that CUB needs to scan `count` numbers. */
spg_status scan_bytes(cuda_product &product, int64_t count, size_t *bytes);
/* Exclusive scan in place. */
spg_status scan(cuda_product &product, int64_t *values, int64_t count, const cub_memory &temporary);
spg_status expand_keys(cuda_product &product, const global_slice &slice, const global_entries &entries,
                       const global_products &products);
/* Writes the products' values, in the order of expansion, to spare_of(products). */
spg_status expand_numbers(cuda_product &product, const global_slice &slice, const global_entries &entries,
                          const global_products &products);

/* sort_global/contract.cu. Lays out the arrays of `count` products and `rows` rows; the keys' bits must be set. */
void lay_out_products(const cuda_product &product, bool counting, int64_t count, int32_t rows, part_taker *parts,
                      global_products *products);
spg_status sort_bytes(cuda_product &product, const global_products &products, size_t *bytes);
/* The most bytes a product of any slice needs, and the bytes CUB needs for slices of `bytes` bytes. */
int64_t bytes_per_product(const cuda_product &product, bool counting);
spg_status temporary_bytes_within(cuda_product &product, bool counting, int64_t bytes, int64_t *temporary);
spg_status sort_products(cuda_product &product, global_products *products);
spg_status find_heads(cuda_product &product, const global_products &products);
/* Writes the lengths of the slice's rows of C and adds to the counters. */
spg_status count_heads(cuda_product &product, const global_slice &slice, const global_products &products);
spg_status place_rows(cuda_product &product, const global_slice &slice, const global_products &products);
/* Writes C's columns and values, after place_rows. */
spg_status contract(cuda_product &product, const global_products &products);
/* Adds the products of a slice of one row, whose columns are in C, to its values. */
spg_status add_to_row(cuda_product &product, const global_slice &slice, const global_products &products);

/* sort_global/long_row.cu. Does one row that is larger than a slice of `budget` bytes. */
spg_status do_long_row(cuda_product &product, const global_slice &slice, bool counting, int64_t budget);

} // namespace spg

#endif
