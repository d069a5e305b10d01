/* Expand, sort and contract as in the paper (section 3): all products of a row are keyed by column, with the number of
 * the product packed next to it, sorted stably on the bits needed, and added run by run. */
#include "host/spgemm/rows.h"
#include "host/work.h"
#include "radix.h"

enum { PRODUCT_BITS = 12, MOST_PRODUCTS = 1 << PRODUCT_BITS };

#define TEMPLATE "host/spgemm/sort/row.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
