/* Mirror images of entries: values as words of their width, and where an image is. Private. */
#ifndef SPG_KERNELS_AMG_SYMMETRY_CUH
#define SPG_KERNELS_AMG_SYMMETRY_CUH

#include "../launch.cuh"
#include "../values.cuh"
#include "rows.cuh"

namespace spg
{

namespace amg
{

/* Where a flag goes: to a word of the device, and with a number to the host (spg_cuda_flag_on_host). */
struct flag_post {
    int32_t *flag;
    volatile unsigned int *copy;
    unsigned int number;
};

inline flag_post new_flag_post(const spg_context *context, int32_t *flag)
{
    spg_cuda *cuda = spg_cuda_of(context);
    return {flag, cuda->device_flag_copy, ++cuda->flag_copies << 1};
}

/* One thread calls it. */
__device__ inline void tell_flag(const flag_post &post, bool is_set)
{
    *post.flag = is_set ? 1 : 0;
    *post.copy = post.number | (is_set ? 1 : 0);
}

/* The entry of the row [begin, end) in column `column`; -1 if there is none. */
template <typename Value>
__device__ inline int64_t find_entry(const matrix_view<Value> &A, int64_t begin, int64_t end, int32_t column)
{
    int64_t low = first_that(begin, end, [&](int64_t k) { return A.columns[k] >= column; });
    return low < end && A.columns[low] == column ? low : -1;
}

/* The image of entry k of row [begin, ...), which is in column `column`; -1 if there is none. If rows are uniform, like
 * those of inner grid points, the image is as far from its row's end as k from its row's beginning. */
template <typename Value>
__device__ inline int64_t find_image(const matrix_view<Value> &A, int32_t row, int64_t begin, int64_t k, int32_t column)
{
    int64_t first = A.offsets[column], end = A.offsets[column + 1], guess = end - 1 - (k - begin);
    return guess >= first && A.columns[guess] == row ? guess : find_entry(A, first, end, row);
}

/* The real number in a word; not used for words of complex numbers. */
__device__ inline float real_of(uint32_t word) { return __uint_as_float(word); }
__device__ inline double real_of(uint64_t word) { return __longlong_as_double((long long)word); }
__device__ inline double real_of(uint4) { return 0; }

/* As spg_amg_backend.inverse_diagonal specifies. */
template <typename Real> __device__ inline void put_inverse(Real diagonal, void *inverse, int64_t row)
{
    const Real inverted = 1 / diagonal;
    static_cast<Real *>(inverse)[row] = diagonal != 0 && isfinite(inverted) ? inverted : (Real)0;
}

/* Calls function(Word{}) with words of the width of the values. */
template <typename Function> spg_status with_word(spg_type type, Function &&function)
{
    switch (spg_type_size(type)) {
    case 4: return function(uint32_t{});
    case 8: return function(uint64_t{});
    default: return function(uint4{});
    }
}

} // namespace amg

} // namespace spg

#endif
