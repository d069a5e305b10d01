#include "parse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "bench";

void parse_begin(const char *name) { program = name; }

bool complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    return false;
}

bool parse_int(const char *name, const char *text, long long least, long long most, long long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && *value >= least && *value <= most) return true;
    return complain("--%s: '%s' is not a whole number from %lld to %lld", name, text, least, most);
}

bool parse_count_to(const char *name, const char *text, int least, int most, int *value)
{
    long long number = 0;
    if (!parse_int(name, text, least, most, &number)) return false;
    *value = (int)number;
    return true;
}

bool parse_count(const char *name, const char *text, int least, int *value)
{
    return parse_count_to(name, text, least, 1000000, value);
}

/* To as many as a context takes. */
bool parse_threads(const char *text, int *threads) { return parse_count_to("threads", text, 1, 4096, threads); }

/* Bytes, with a suffix k, M or G (of 1024). */
bool parse_size(const char *name, const char *text, int64_t *bytes)
{
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    int shift = 0;
    if (*end == 'k' || *end == 'K') shift = 10;
    if (*end == 'M') shift = 20;
    if (*end == 'G') shift = 30;
    if (end == text || errno != 0 || number < 0 || end[shift > 0 ? 1 : 0] != '\0' || number > (INT64_MAX >> shift))
        return complain("--%s: '%s' is not a size; use a number of bytes, with k, M or G behind it", name, text);
    *bytes = (int64_t)number << shift;
    return true;
}

bool parse_place(const char *text, spg_place *place)
{
    static const char *const names[] = {"host", "device", "auto"};
    static const spg_place places[] = {SPG_PLACE_HOST, SPG_PLACE_DEVICE, SPG_PLACE_AUTO};
    for (int k = 0; k < 3; k++) {
        if (strcmp(text, names[k]) == 0) {
            *place = places[k];
            return true;
        }
    }
    return complain("--place: unknown place '%s'; use auto, host or device", text);
}

bool parse_type(const char *text, spg_type *type)
{
    for (spg_type candidate = SPG_F32; candidate <= SPG_C64; candidate++) {
        if (strcmp(text, spg_type_name(candidate)) == 0) {
            *type = candidate;
            return true;
        }
    }
    return complain("--type: unknown type '%s'; use f32, f64, c32 or c64", text);
}

bool parse_number(const char *name, const char *text, double least, double most, double *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && errno == 0 && *value >= least && *value <= most) return true;
    return complain("--%s: '%s' is not a number from %g to %g", name, text, least, most);
}

bool parse_word(const char *name, const char *text, const char *const *words, int count, int *chosen)
{
    char list[128] = "";
    for (int k = 0; k < count; k++) {
        if (strcmp(text, words[k]) == 0) {
            *chosen = k;
            return true;
        }
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k == 0 ? "" : k < count - 1 ? ", " : " or ", words[k]);
    }
    return complain("--%s: unknown word '%s'; use %s", name, text, list);
}
