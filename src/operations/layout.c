/* Checks of several vectors in memory. */
#include "operations/layout.h"

int64_t spg_layout_extent(int64_t length, int64_t count, spg_layout layout, int64_t stride)
{
    const int64_t lines = layout == SPG_ROW_MAJOR ? length : count, line = layout == SPG_ROW_MAJOR ? count : length;
    if (lines == 0 || line == 0) return 0;
    return lines - 1 > (INT64_MAX - line) / stride ? INT64_MAX : (lines - 1) * stride + line;
}

spg_status spg_check_layout(spg_context *context, int64_t count, spg_layout layout)
{
    if (layout != SPG_ROW_MAJOR && layout != SPG_COLUMN_MAJOR)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "layout %d is neither row-major nor column-major",
                                (int)layout);
    if (count < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "count is %lld, which is negative", (long long)count);
    return SPG_OK;
}

spg_status spg_check_stride(spg_context *context, int64_t length, int64_t count, spg_layout layout, int64_t stride,
                            const char *name)
{
    const bool by_row = layout == SPG_ROW_MAJOR;
    const int64_t least = by_row ? count : length;
    if (stride >= least) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is %lld; it must be at least %lld, %s", name,
                            (long long)stride, (long long)least,
                            by_row ? "the number of vectors" : "the length of a vector");
}
