/* Neighbouring rows of A with the same columns, as several unknowns at a mesh node have: each product's place is looked
 * up once for all of them, and their sums stand side by side. */
#include "host/spgemm/rows.h"
#include "list.h"

#define TEMPLATE "host/spgemm/list/equal_rows.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
