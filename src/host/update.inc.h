/* alpha*sum + beta*y for one element, each product and the sum rounded. alpha NULL: 1; beta NULL: 0, and y is not read.
 * Template; see value_types.h. */
static inline VALUE NAMED(update)(VALUE sum, const VALUE *alpha, const VALUE *beta, const VALUE *y)
{
    VALUE scaled = alpha != NULL ? PRODUCT(*alpha, sum) : sum;
    return beta != NULL ? SUM(scaled, PRODUCT(*beta, *y)) : scaled;
}
