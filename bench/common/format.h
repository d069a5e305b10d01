/* Numbers for people. */
#ifndef SPG_BENCH_FORMAT_H
#define SPG_BENCH_FORMAT_H

#include <stdint.h>

typedef struct text {
    char s[32];
} text;

/* "523", "52.4k", "5.24M", "1.20G". */
text count_text(int64_t count);

/* "512 B", "60.3 kB", "59.1 MB", "1.49 GB", of 1000. */
text bytes_text(int64_t bytes);

/* Milliseconds with three or four digits: "0.0123", "20.1", "1830". */
text ms_text(double ms);

/* "2.12x", "304kx" (thousands), "12Mx" (millions); "-" for what is not positive or not finite. */
text ratio_text(double ratio);

#endif
