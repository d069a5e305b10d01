/* One draw from each row of a matrix of weights: what its kernels share. Private. */
#ifndef SPG_KERNELS_SAMPLING_ROWS_CUH
#define SPG_KERNELS_SAMPLING_ROWS_CUH

#include "sampling.cuh"
#include "sampling_sums.h"

namespace spg
{
namespace rows
{

/* Rows of more items are not drawn by a warp but by whole blocks. */
enum { LONGEST = 32768 };

template <typename Real> struct row_job {
    numbers_view offsets;
    int64_t rows, nnz;
    const int32_t *columns;
    const Real *weights, *uniforms; /* uniforms may be NULL */
    spg_random random;
    int32_t *draws;
    int rows_a_warp;                                     /* 1 to 32 */
    bool aligned;                                        /* weights can be read by 16 bytes */
    unsigned long long *first_fault, *first_bad_uniform; /* rows; all bits set before, or of no use */
    device_sign fault, has_long;                         /* there is one of them; a row of more than LONGEST items */

    /* Whether a row's offsets can be; the first and the last of all must span the entries. */
    __device__ bool is_sound(int64_t row, int64_t begin, int64_t end) const
    {
        bool spans = (row > 0 || begin == 0) && (row + 1 < rows || end == nnz);
        return spans && begin >= 0 && end > begin && end <= nnz && end - begin <= INT32_MAX;
    }

    /* Whether a row of more than SPG_SHORT_ROW items can be read by 16 bytes. */
    __device__ bool is_plain(int64_t begin, int64_t items) const
    {
        constexpr int64_t node = SPG_LANE_BYTES / sizeof(Real);
        return aligned && (begin + items + node - 1) / node * node <= nnz;
    }

    __device__ double uniform(int64_t row) const
    {
        if (uniforms == nullptr)
            return spg_uniform_f64(spg_random_number(random.seed, random.stream, random.first + (uint64_t)row));
        double u = (double)uniforms[row];
        if (!(u >= 0 && u < 1)) {
            *fault = 1;
            report_first(first_bad_uniform, row);
        }
        return u;
    }

    __device__ void report_row(int64_t row) const
    {
        *fault = 1;
        report_first(first_fault, row);
    }

    /* Item k of a row that begins at `begin` and has `items`, scaled; past its end 0. *bad: it is none. */
    __device__ double weight(int64_t begin, int64_t items, int64_t k, double scale, bool *bad) const
    {
        if (k >= items) return 0;
        double value = (double)weights[begin + k];
        if (!(value >= 0)) *bad = true;
        return sizeof(Real) == 8 ? multiply(value, scale) : value;
    }

    /* Draws of rows at fault are not looked at: the call fails. */
    __device__ void write(int64_t row, int64_t begin, int64_t item) const
    {
        draws[row] = name_of(columns, begin, item);
    }
};

/* Negative where the number or the NaN has its sign bit set. */
__device__ inline int sign_word(float value) { return __float_as_int(value); }
__device__ inline int sign_word(double value) { return __double2hiint(value); }

/* Whether a sum calls for all of it to be done again, smaller. */
template <typename Real> __device__ inline bool is_too_large(double sum, double scale)
{
    return sizeof(Real) == 8 && scale == 1 && sum > LARGEST;
}
__device__ inline bool is_sound_sum(double sum) { return sum > 0 && sum <= LARGEST; }

/* The rows of more than LONGEST items, by blocks. */
template <typename Real> spg_status draw_long_rows(workspace &work, const row_job<Real> &job);

/* The paper's methods. */
template <typename Real>
spg_status draw_rows_as_paper(workspace &work, const row_job<Real> &job, spg_butterfly_method method);

} // namespace rows

} // namespace spg

#endif
