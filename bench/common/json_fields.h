/* Fields of a JSON object on one line, each with ", " after it. */
#ifndef SPG_BENCH_JSON_FIELDS_H
#define SPG_BENCH_JSON_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is not UTF-8 becomes U+FFFD. */
void put_string(FILE *stream, const char *key, const char *value);
void put_integer(FILE *stream, const char *key, int64_t value);

/* null unless known and finite. */
void put_number(FILE *stream, const char *key, bool known, double value);

#endif
