#include "format.h"

#include <math.h>
#include <stdio.h>

static text scaled_text(double number, const char *const *units)
{
    text result;
    int unit = 0;
    while (number >= 999.5 && units[unit + 1] != NULL) {
        number /= 1000.0;
        unit++;
    }
    int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
    if (unit == 0) digits = 0;
    snprintf(result.s, sizeof result.s, "%.*f%s", digits, number, units[unit]);
    return result;
}

text count_text(int64_t count)
{
    static const char *const units[] = {"", "k", "M", "G", "T", NULL};
    return scaled_text((double)count, units);
}

text bytes_text(int64_t bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", NULL};
    return scaled_text((double)bytes, units);
}

text ms_text(double ms)
{
    text result;
    const int digits = ms < 0.0995 ? 4 : ms < 0.995 ? 3 : ms < 9.95 ? 2 : ms < 99.5 ? 1 : 0;
    snprintf(result.s, sizeof result.s, "%.*f", digits, ms);
    return result;
}

text ratio_text(double ratio)
{
    text result = {"-"};
    if (!isfinite(ratio) || !(ratio > 0.0)) return result;
    if (ratio >= 9999.5e3)
        snprintf(result.s, sizeof result.s, "%.0fMx", 1e-6 * ratio);
    else if (ratio >= 9999.5)
        snprintf(result.s, sizeof result.s, "%.0fkx", 1e-3 * ratio);
    else
        snprintf(result.s, sizeof result.s, "%.*fx", ratio < 0.0995 ? 3 : ratio < 99.5 ? 2 : 0, ratio);
    return result;
}
