/* The products of a window's entries of C, found from these entries. Private.
 *
 * Each thread goes over the row of A of its entry, and looks for the entry's column in the rows of B. Only for short
 * rows of A and rows of B that ascend: an entry then has at most one product for each entry of its row of A, so that a
 * mask tells which. Cheaper than to go over all products (plan/products.cuh), unless few of the rows of B that are
 * looked at have the column. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_SEARCHED_CUH
#define SPG_KERNELS_SPGEMM_PLAN_SEARCHED_CUH

#include "products.cuh"

namespace spg
{

/* Entries of A whose rows of B are staged in shared memory at once. */
enum { STAGED_A = 2048 };

struct row_of_b {
    uint32_t begin, length;
};

/* The position of a column in a row that ascends strictly; -1: it is not there. */
__device__ inline int find_column(const int32_t *row, int length, int32_t column)
{
    int at = 0;
    for (int left = length; left > 1;) {
        const int half = left / 2;
        if (row[at + half] <= column) at += half;
        left -= half;
    }
    return length > 0 && row[at] == column ? at : -1;
}

/* Calls each(begin, end) for ranges of the window's entries of A, one after the other, whose rows of B are staged:
 * that of entry k is staged[k - begin]. Calls note(k, begin of the row) for every entry. The block calls it. */
template <typename Note, typename Each>
__device__ inline void for_each_staged(const window_work &work, const window_span &span, row_of_b *staged, Note note,
                                       Each each)
{
    const plan_patterns &of = work.patterns;
    for (int64_t begin = span.a_begin; begin < span.a_end; begin += STAGED_A) {
        const int64_t end = min(begin + STAGED_A, span.a_end);
        for (int64_t k = begin + threadIdx.x; k < end; k += WINDOW_THREADS) {
            const int64_t column = of.a_columns[k], b_begin = of.b[column];
            staged[k - begin] = {(uint32_t)b_begin, (uint32_t)(of.b[column + 1] - b_begin)};
            note(k, b_begin);
        }
        __syncthreads();
        each(begin, end);
        __syncthreads();
    }
}

/* The thread's entry of C. */
struct searched_entry {
    int32_t column;
    int64_t a_begin, a_end; /* its row of A; empty if there is no entry, or if it is of another class */
};
__device__ inline searched_entry find_entry(const window_work &work, const window_span &span, int64_t row, int64_t c_at,
                                            bool is_there)
{
    const plan_patterns &of = work.patterns;
    if (!is_there || !work.is_done(row)) return {0, span.a_begin, span.a_begin};
    return {of.c_columns[c_at], of.a[row], of.a[row + 1]};
}

} // namespace spg

#endif
