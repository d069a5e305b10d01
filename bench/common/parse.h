/* Words of a command line. Each function says on stderr what is wrong and returns false. */
#ifndef SPG_BENCH_PARSE_H
#define SPG_BENCH_PARSE_H

#include "spg/spg.h"

#include <stdbool.h>

/* The program's name, before every message. */
void parse_begin(const char *name);

bool complain(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* `name` is the option's, without its dashes. */
bool parse_int(const char *name, const char *text, long long least, long long most, long long *value);
bool parse_count(const char *name, const char *text, int least, int *value); /* to a million */
bool parse_count_to(const char *name, const char *text, int least, int most, int *value);
bool parse_threads(const char *text, int *threads);
bool parse_number(const char *name, const char *text, double least, double most, double *value);

/* Bytes, with a suffix k, M or G (of 1024). */
bool parse_size(const char *name, const char *text, int64_t *bytes);

/* *chosen = which of the words it is. */
bool parse_word(const char *name, const char *text, const char *const *words, int count, int *chosen);

bool parse_place(const char *text, spg_place *place);
bool parse_type(const char *text, spg_type *type);

#endif
