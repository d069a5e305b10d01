/* Shared by the kernels that draw from discrete distributions: views of weights, item names, and the functions in the
 * table that src/sampling/sampling_backend.h defines. Private. */
#ifndef SPG_KERNELS_SAMPLING_SAMPLING_CUH
#define SPG_KERNELS_SAMPLING_SAMPLING_CUH

#include "../containers/entries.cuh"
#include "../primitives/warp.cuh"
#include "sampling.h"

#include "philox.h"
#include "sampling/sums.h"

#include <cfloat>

namespace spg
{

/* Weights of either type, as double. The type is tested at run time, which is the same for all threads. */
struct weights_view {
    const void *memory;
    bool wide;

    __device__ double operator[](int64_t k) const
    {
        return wide ? static_cast<const double *>(memory)[k] : (double)static_cast<const float *>(memory)[k];
    }
    __host__ __device__ weights_view from(int64_t k) const
    {
        return {static_cast<const char *>(memory) + k * (wide ? 8 : 4), wide};
    }
};

inline weights_view weights_of(const spg_csr &matrix) { return {matrix.values, matrix.value_type == SPG_F64}; }

/* Whether a weight is not negative, infinite or NaN: spg_weight_kind on the device. */
constexpr double LARGEST = DBL_MAX;
__device__ inline bool is_sound_weight(double weight) { return weight >= 0 && weight <= LARGEST; }

/* The name of an item: its column, or its place in the row; SPG_NO_ITEM stays. */
__device__ inline int32_t name_of(const int32_t *columns, int64_t row_begin, int64_t item)
{
    return columns != nullptr && item >= 0 ? columns[row_begin + item] : (int32_t)item;
}

/* Whether rows may be empty or all zeros, by the context's options. */
inline bool allows_empty_rows(const spg_context *context) { return context->draw_options.empty_rows != 0; }

/* Whether draws are to trust their operands and not to wait. */
inline bool trusts(const spg_context *context) { return context->draw_options.trusted != 0; }

/* Whether row numbers of the caller may be SPG_NO_ITEM. */
__device__ inline bool is_row_number(int64_t row, int64_t rows, bool empty_rows)
{
    return (row >= 0 && row < rows) || (empty_rows && row == SPG_NO_ITEM);
}

/* Signs of the mailbox, in page-locked host memory: kernels set them, and the host reads them after a wait. Unlike a
 * report in device memory, they need no clearing on the device and no copy. */
enum { SIGN_FAULT = 0, SIGN_LONG = 1 };
typedef volatile unsigned int *device_sign;

inline void clear_signs(spg_context *context)
{
    for (volatile unsigned int &sign : spg_cuda_of(context)->mailbox->signs) sign = 0;
}
inline device_sign sign_of(spg_context *context, int which)
{
    return &spg_cuda_of(context)->device_mailbox->signs[which];
}
inline bool has_sign(const spg_context *context, int which) { return spg_cuda_of(context)->mailbox->signs[which] != 0; }

/* Reports columns out of range as row 0, for find_weight_fault to examine, and sets the sign; there may be no
 * columns. */
spg_status queue_column_check(spg_context *context, const spg_csr &weights, unsigned long long *first_fault,
                              device_sign fault);

/* Copies offsets, as 64-bit numbers, and columns into a table. Offsets that do not span the entries, and columns out of
 * range, are reported as row 0, for find_weight_fault to examine. */
spg_status copy_shape(spg_context *context, const spg_csr &weights, int64_t **offsets, int32_t **columns);

/* Finds the first fault of weights and reports it; SPG_OK if there is none. Waits. */
spg_status find_weight_fault(spg_context *context, const spg_csr &weights);

/* Fails with the fault of this row, which has one. Waits. */
spg_status fail_by_weights_of(spg_context *context, const spg_csr &weights, int64_t row);

/* Fails with the fault of the row that a stage has reported in first[0] of the context's report, as find_weight_fault
 * finds it; otherwise INTERNAL. */
spg_status fail_by_report(spg_context *context, const spg_csr &weights, const spg_report &report);

} // namespace spg

#endif
