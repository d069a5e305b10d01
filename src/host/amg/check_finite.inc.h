/* The first value in [begin, end) that is not finite, or with a magnitude not at most `most` (NaN included); end if
 * there is none. Template; see for_each_value_type.h. */
static int64_t NAMED(first_infinite)(const void *all, int64_t begin, int64_t end, double unused)
{
    (void)unused;
    const VALUE *values = all;
    VALUE sum = 0; /* 0 times a value that is not finite is a NaN, and a sum with a NaN stays NaN */
    for (int64_t k = begin; k < end; ++k) sum += values[k] * 0;
    if (sum == 0) return end;
    int64_t first = begin;
    while (isfinite(values[first])) ++first;
    return first;
}

static int64_t NAMED(first_beyond)(const void *all, int64_t begin, int64_t end, double most)
{
    const VALUE *values = all;
    int64_t first = begin;
    while (first < end && (double)values[first] <= most && (double)values[first] >= -most) ++first;
    return first;
}
