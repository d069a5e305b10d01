/* Row classes by the products of a row, for the host and for kernels. Private. */
#ifndef SPG_SRC_SPGEMM_ROW_CLASS_H
#define SPG_SRC_SPGEMM_ROW_CLASS_H

#include "inline.h"
#include "spg/spgemm.h"

/* The class of a row with this many products. Limits must be resolved. */
SPG_INLINE spg_row_class spg_classify(int64_t products, const spg_row_limits *limits)
{
    if (products <= 0) return SPG_ROW_EMPTY;
    if (products <= limits->thread) return SPG_ROW_THREAD;
    if (products <= limits->warp) return SPG_ROW_WARP;
    if (products <= limits->cta) return SPG_ROW_CTA;
    return SPG_ROW_GLOBAL;
}

#endif
