/* A hash table of columns for one thread (hash_thread/passes.cu). Private.
 *
 * The tables of a warp's lanes are interleaved in shared memory, so that any slots the lanes access are in different
 * banks, and nothing needs synchronisation. */
#ifndef SPG_KERNELS_SPGEMM_HASH_THREAD_TABLE_CUH
#define SPG_KERNELS_SPGEMM_HASH_THREAD_TABLE_CUH

#include "../rows.cuh"
#include "packed_rows.cuh"

namespace spg
{

/* Buckets of two keys. A key is a column and, in its low bits, the number of the column in order of arrival. */
enum { BUCKETS_LOG = 4, BUCKETS = 1 << BUCKETS_LOG, NUMBER_BITS = 5 };
constexpr uint32_t EMPTY = 0xffffffffu, NUMBERS = 1u << NUMBER_BITS;
using table_memory = uint2[BUCKETS][32]; /* of a warp */
static_assert((int)HASH_THREAD_MOST < 2 * BUCKETS && HASH_THREAD_MOST < (int)NUMBERS,
              "a slot stays free, at which searches end");
static_assert(PACKED_COLUMNS == 1 << (32 - NUMBER_BITS), "a column and a number in a word, and no such word is EMPTY");

struct thread_table {
    char *memory; /* this lane's first bucket; the others follow at a stride of a warp's buckets */
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
    /* Looks up the numbers of the first `live` of N columns, all different; a new column gets a new number, and beyond
     * the most numbers none is stored. All are looked up together: most are found in the first bucket. */
    template <int N> __device__ void numbers_of(const uint32_t (&column)[N], int live, uint32_t (&number)[N])
    {
        constexpr uint32_t HALF_ROW = ~0u << (32 - BUCKETS_LOG); /* of the hash, for COLUMN_FACTOR */
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
    /* Continues the search at a bucket that did not hold the key when it was read; keys inserted since may be there
     * now. */
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

/* Entries of A whose columns are loaded together, and entries of a row of B that are looked up together. */
enum { A_AT_ONCE = 4, B_AT_ONCE = 4 };

enum { MOST_UNPACKED = 4096 /* entries of a row of B that one thread processes */ };

/* A thread's result for its row, while counting. */
struct thread_found {
    unsigned int products, faults;
    bool fits;
};

/* A thread's results for its rows, or a warp's for those of its lanes. */
struct thread_counts {
    unsigned int nnz, longest, rows, faults;
    unsigned long long products;

    /* Adds a row that fits, if `active`. */
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

/* Whether the columns of a row of B that is not packed can be used. */
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

/* The row of B that an entry of A names by its column, if is_entry; else an empty row. */
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
