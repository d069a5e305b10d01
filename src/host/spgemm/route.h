/* Rows to kernels. Private; the function itself is declared in worker.h. */
#ifndef SPG_SRC_HOST_SPGEMM_ROUTE_H
#define SPG_SRC_HOST_SPGEMM_ROUTE_H

#include "rows.h"

double spg_seconds(void);

#endif
