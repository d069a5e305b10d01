/* By columns: elements of a vector lie side by side down the rows. Where neighbouring rows name neighbouring columns,
 * as in the interior of a grid, they are multiplied at once: a run. Each row's sum is in storage order. */
#define REAL_ONLY
#include "spmm.h"

#include "host/by_type.h"

#ifdef __GNUC__

/* A run has as many rows as elements fill RUN_BYTES. What lies PREFETCHED bytes on is fetched ahead, as several streams
 * of memory are more than a processor fetches by itself (products of 16 vectors with 5-, 7-, 9- and 27-point
 * stencils). */
enum { RUN_BYTES = 32, PREFETCHED = 1024 };

#define TEMPLATE "host/update.inc.h"
#include "host/for_each_value_type.h"

#define TEMPLATE "host/operations/spmm/groups.inc.h"
#include "host/for_each_value_type.h"

#define TEMPLATE "host/operations/spmm/columns.inc.h"
#include "host/for_each_value_type.h"

spg_work *const spg_host_multiply_columns[2] = BY_REAL_VALUE_TYPE(multiply_columns);
#ifdef WIDE
spg_work *const spg_host_multiply_columns_wide[2] = BY_REAL_VALUE_TYPE(multiply_columns_wide);
#endif

#endif
