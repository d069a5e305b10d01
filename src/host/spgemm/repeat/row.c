/* Rows that repeat a known row: each product is added at the place that it had there, while its column is compared.
 * Nothing is looked up or sorted. */
#include "host/spgemm/list/list.h"
#include "host/spgemm/rows.h"
#include "known.h"

enum { LONG = 8 }; /* products of an entry of A from which on comparing alone, in vectors, is faster */

/* Entries of C written at once; the arrays have room for as many more. */
enum { TOGETHER = 4 };

static inline bool make_room(spg_worker *worker, int64_t n)
{
    return worker->staged + n <= worker->shared->sizes.staging_entries || spg_make_room(worker, n);
}

#define TEMPLATE "host/spgemm/repeat/row.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
