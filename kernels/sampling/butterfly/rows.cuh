/* One draw from each row of a matrix of weights: shared by its kernels. Private. */
#ifndef SPG_KERNELS_SAMPLING_BUTTERFLY_ROWS_CUH
#define SPG_KERNELS_SAMPLING_BUTTERFLY_ROWS_CUH

#include "../sampling.cuh"
#include "sampling/sums.h"

namespace spg
{
namespace rows
{

/* Rows with more items are drawn by blocks, not by a warp: a warp's 32 pieces of 4096 bytes hold no more, including
 * what is before a row. */
template <typename Real>
constexpr int LONGEST = WARP * 4096 / (int)sizeof(Real) - (SPG_LANE_BYTES / (int)sizeof(Real) - 1);

/* The offsets of a row, as 32-bit words, so that code between this and the first call of begin or end does not wait for
 * them. */
struct row_offsets {
    bool wide;
    int32_t low[2], high[2];

    __device__ row_offsets(numbers_view offsets, int64_t row) : wide(offsets.wide)
    {
        const int32_t *words = static_cast<const int32_t *>(offsets.memory) + (wide ? 2 * row : row);
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            low[k] = words[wide ? 2 * k : k];
            high[k] = words[wide ? 2 * k + 1 : k];
        }
    }
    __device__ int64_t begin() const { return number(0); }
    __device__ int64_t end() const { return number(1); }

  private:
    __device__ int64_t number(int k) const
    {
        return wide ? (int64_t)high[k] << 32 | (uint32_t)low[k] : (int64_t)low[k];
    }
};

template <typename Real> struct row_job {
    numbers_view offsets;
    int64_t rows, nnz;
    const int32_t *columns;
    const Real *weights, *uniforms; /* uniforms may be NULL */
    spg_random random;
    int32_t *draws;
    int rows_a_warp;                                     /* 1 to 32 */
    int64_t plain_end;                                   /* end of what can be read in 16 bytes */
    unsigned long long *first_fault, *first_bad_uniform; /* rows; valid only if all bits were set before */
    device_sign fault, has_long;                         /* a fault was found; a row has more than LONGEST items */
    bool empty_rows;                                     /* are allowed: their draws are SPG_NO_ITEM */

    /* Whether a row's offsets are valid. They may be any numbers, so their difference may overflow; the first and the
     * last of all must span the entries. */
    __device__ bool is_sound(int64_t row, int64_t begin, int64_t end) const
    {
        uint64_t more = (uint64_t)end - (uint64_t)begin - 1; /* items minus one */
        return ((uint64_t)begin < (uint64_t)nnz) & (end <= nnz) & (more < (uint64_t)INT32_MAX) & spans(row, begin, end);
    }

    /* Whether a block is to draw from a row. */
    __device__ bool is_for_block(int64_t row) const
    {
        int64_t begin = offsets[row], end = offsets[row + 1];
        return is_sound(row, begin, end) && end - begin > LONGEST<Real>;
    }

    /* Whether a row that is not sound is an empty one that is allowed. */
    __device__ bool is_empty(int64_t row, int64_t begin, int64_t end) const
    {
        return empty_rows & (begin == end) & ((uint64_t)begin <= (uint64_t)nnz) & spans(row, begin, end);
    }

    /* Whether a row of more than SPG_SHORT_ROW items can be read in 16 bytes. */
    __device__ bool is_plain(int64_t begin, int64_t items) const { return begin + items <= plain_end; }

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

    /* What becomes of a row without a weight above 0. */
    __device__ void leave(int64_t row) const
    {
        if (empty_rows)
            draws[row] = SPG_NO_ITEM;
        else
            report_row(row);
    }

    __device__ void report_row(int64_t row) const
    {
        *fault = 1;
        report_first(first_fault, row);
    }

    /* Whether a warp is to draw from a row; reports rows that are faulty or for blocks. */
    __device__ bool is_for_warp(int64_t row, int64_t begin, int64_t end) const
    {
        bool sound = is_sound(row, begin, end), is_long = end - begin > LONGEST<Real>;
        if (!sound) refuse(row, begin, end);
        if (sound && is_long) *has_long = 1;
        return sound && !is_long;
    }

    /* For a row that is not sound. */
    __device__ void refuse(int64_t row, int64_t begin, int64_t end) const
    {
        if (is_empty(row, begin, end))
            leave(row);
        else
            report_row(row);
    }

    /* Item k, scaled, of a row of `items` items from `begin` on; 0 past its end. *bad: not a valid weight. */
    __device__ double weight(int64_t begin, int64_t items, int64_t k, double scale, bool *bad) const
    {
        if (k >= items) return 0;
        double value = (double)weights[begin + k];
        if (!(value >= 0)) *bad = true;
        return sizeof(Real) == 8 ? multiply(value, scale) : value;
    }

    /* Draws of faulty rows do not matter, because the call fails. */
    __device__ void write(int64_t row, int64_t begin, int64_t item) const
    {
        draws[row] = name_of(columns, begin, item);
    }

  private:
    /* Whether the first and the last row reach the ends of the entries. */
    __device__ bool spans(int64_t row, int64_t begin, int64_t end) const
    {
        bool starts_late = (row == 0) & (begin != 0), ends_early = (row == rows - 1) & (end != nnz);
        return !(starts_late | ends_early);
    }
};

/* Negative if the number or the NaN has its sign bit set. */
__device__ inline int sign_word(float value) { return __float_as_int(value); }
__device__ inline int sign_word(double value) { return __double2hiint(value); }

/* Whether all must be summed again with a smaller scale. */
template <typename Real> __device__ inline bool is_too_large(double sum, double scale)
{
    return sizeof(Real) == 8 && scale == 1 && sum > LARGEST;
}
__device__ inline bool is_sound_sum(double sum) { return sum > 0 && sum <= LARGEST; }

/* Draws from the rows of more than LONGEST items, by blocks. */
template <typename Real> spg_status draw_long_rows(workspace &work, const row_job<Real> &job);

/* The same without workspace, for rows of which any may be long, or none. */
template <typename Real> spg_status draw_any_long_rows(spg_context *context, const row_job<Real> &job);

/* The paper's methods. */
template <typename Real>
spg_status draw_rows_as_paper(workspace &work, const row_job<Real> &job, spg_butterfly_method method);

} // namespace rows

} // namespace spg

#endif
