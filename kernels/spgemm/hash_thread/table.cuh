/* A table of columns that a thread has for itself (hash_thread/count.cu, fill.cu). Private.
 *
 * All lanes of a warp have the same place in shared memory but for the lane, so that whatever slots they look at, no
 * two meet in a bank, and nothing is synchronised. */
#ifndef SPG_KERNELS_SPGEMM_HASH_THREAD_TABLE_CUH
#define SPG_KERNELS_SPGEMM_HASH_THREAD_TABLE_CUH

#include "../driver/column_hash.cuh"
#include "../rows.cuh"
#include "packed_rows.cuh"

namespace spg
{

/* Buckets of two keys. A key is a column and, in its low bits, the column's number in the order of their coming. */
enum { BUCKETS_LOG = 4, BUCKETS = 1 << BUCKETS_LOG, NUMBER_BITS = 5 };
constexpr uint32_t EMPTY = 0xffffffffu, NUMBERS = 1u << NUMBER_BITS;
using table_memory = uint2[BUCKETS][32]; /* a warp's */
static_assert((int)HASH_THREAD_MOST < 2 * BUCKETS && HASH_THREAD_MOST < (int)NUMBERS,
              "a slot stays free, at which searches end");
static_assert(PACKED_COLUMNS == 1 << (32 - NUMBER_BITS), "a column and a number in a word, and no such word is EMPTY");

struct thread_table {
    char *memory; /* where this lane's first bucket is; the others follow, a row of the warp's buckets apart */
    uint32_t taken;
    static constexpr uint32_t APART = 32 * sizeof(uint2);

    __device__ explicit thread_table(table_memory &all)
        : memory(reinterpret_cast<char *>(&all[0][threadIdx.x % 32])), taken(0)
    {
    }
    __device__ uint2 &at(uint32_t place) { return *reinterpret_cast<uint2 *>(memory + place); }
    __device__ void clear()
    {
#pragma unroll
        for (uint32_t b = 0; b < BUCKETS; ++b) at(b * APART) = uint2{EMPTY, EMPTY};
        taken = 0;
    }
    /* The numbers of the first `live` of N columns, all different; new ones of new columns, and of more columns than
     * may have numbers none is kept. All are looked for at once: most are found where they are looked for first. */
    template <int N> __device__ void numbers_of(const uint32_t (&column)[N], int live, uint32_t (&number)[N])
    {
        constexpr uint32_t HALF_ROW = ~0u << (32 - BUCKETS_LOG); /* of the product, as COLUMN_FACTOR wants */
        static_assert(APART == 1 << 8, "the shift");
        uint32_t place[N];
        bool missing = false;
#pragma unroll
        for (int n = 0; n < N; ++n) {
            place[n] = (column[n] * COLUMN_FACTOR & HALF_ROW) >> (32 - BUCKETS_LOG - 8);
            number[n] = number_in(at(place[n]), column[n] << NUMBER_BITS);
            missing = missing || (n < live && number[n] >= NUMBERS);
        }
        if (!missing) return;
#pragma unroll
        for (int n = 0; n < N; ++n)
            if (n < live && number[n] >= NUMBERS) number[n] = search(column[n] << NUMBER_BITS, place[n]);
    }
    __device__ static uint32_t number_in(uint2 keys, uint32_t key) { return min(keys.x ^ key, keys.y ^ key); }
    /* From a bucket that had not the key when it was looked at, and where columns before it may be by now. */
    __device__ uint32_t search(uint32_t key, uint32_t place)
    {
        uint2 keys = at(place);
        while (keys.y != EMPTY) {
            place = (place + APART) % (BUCKETS * APART);
            keys = at(place);
            const uint32_t number = number_in(keys, key);
            if (number < NUMBERS) return number;
        }
        const uint32_t number = taken++;
        if (number < HASH_THREAD_MOST)
            *reinterpret_cast<uint32_t *>(memory + place + (keys.x == EMPTY ? 0 : 4)) = key | number;
        return number;
    }
};

/* Entries of A whose columns are asked for together, and entries of a row of B that are looked for together. */
enum { A_AT_ONCE = 4, B_AT_ONCE = 4 };

enum { MOST_UNPACKED = 4096 /* entries of a row of B that one thread goes through */ };

/* What a thread finds in its row while it counts. */
struct thread_found {
    unsigned int products, faults;
    bool fits;
};

/* What a thread found in its rows, or a warp in those of its lanes. */
struct thread_counts {
    unsigned int nnz, longest, rows, faults;
    unsigned long long products;

    /* A row that fits counts, if there is such a row. */
    __device__ void add(bool active, const thread_found &row, int32_t length)
    {
        faults |= row.faults;
        if (!active || !row.fits) return;
        ++rows;
        nnz += (unsigned int)length;
        products += row.products;
        longest = max(longest, (unsigned int)length);
    }
    __device__ void reduce()
    {
        nnz = __reduce_add_sync(~0u, nnz);
        for (int step = 16; step > 0; step /= 2) products += __shfl_xor_sync(~0u, products, step);
        longest = __reduce_max_sync(~0u, longest);
        rows = __reduce_add_sync(~0u, rows);
        faults = __reduce_or_sync(~0u, faults);
    }
};

/* Of a row of B that is not packed, whether its columns can be taken. */
__device__ inline bool check_unpacked(const patterns<int32_t> &pattern, const packed_row &row, thread_found &found)
{
    const uint32_t code = (uint32_t)length_of(row), length = row.beyond[0];
    if (code == PACKED_UNSORTED) found.faults |= SPG_FAULT_B_UNSORTED;
    if (code == PACKED_FAULT) found.faults |= SPG_FAULT_B;
    if (code != PACKED_NOT) return false;
    if (length > MOST_UNPACKED) found.fits = false;
    bool ascends = true, within = true;
    int32_t before = -1;
    for (uint32_t q = 0; q < length && found.fits; ++q) {
        const int32_t column = pattern.b_columns[row.begin + q];
        within = within && (uint32_t)column < (uint32_t)pattern.cols;
        ascends = ascends && column > before;
        before = column;
    }
    if (!within)
        found.faults |= SPG_FAULT_B;
    else if (!ascends)
        found.faults |= SPG_FAULT_B_UNSORTED;
    if (!within || !ascends || !found.fits) return false;
    found.products += length;
    return true;
}

/* Of the row of B of an entry of A, whose column it is, if there is such an entry; else of none. */
__device__ inline packed_row checked_packed(const patterns<int32_t> &pattern, const packed_row *packed, bool is_entry,
                                            int32_t column, thread_found &found)
{
    if (!is_entry) return packed_row{};
    if ((uint32_t)column < (uint32_t)pattern.inner) return load_packed(packed, column);
    found.faults |= SPG_FAULT_A;
    return packed_row{};
}
} // namespace spg

#endif
