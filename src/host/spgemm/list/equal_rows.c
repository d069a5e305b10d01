/* Neighbouring rows of A with the same columns, such as the unknowns of a mesh node: each product's position is looked
 * up once for all of them, and their sums are adjacent. */
#include "host/spgemm/rows.h"
#include "list.h"

#define TEMPLATE "host/spgemm/list/equal_rows.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
