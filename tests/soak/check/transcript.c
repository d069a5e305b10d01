/* See transcript.h. */
#include "transcript.h"

#include "compare.h"
#include "host_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static soak_told *add(soak_transcript *t, const char *name)
{
    if (t->count == SOAK_MOST_TOLD) {
        fputs("spg_soak: a transcript is full\n", stderr);
        exit(3);
    }
    soak_told *told = &t->told[t->count++];
    memset(told, 0, sizeof *told);
    snprintf(told->name, sizeof told->name, "%s", name);
    told->type = SPG_I32;
    return told;
}

void soak_tell_values(soak_transcript *t, const char *name, spg_type type, int64_t count, const void *values,
                      double tolerance)
{
    soak_told *told = add(t, name);
    told->type = type;
    told->tolerance = tolerance;
    told->bytes = (size_t)count * spg_type_size(type);
    told->data = soak_array((int64_t)told->bytes, 1);
    if (told->bytes > 0) memcpy(told->data, values, told->bytes);
}

void soak_tell(soak_transcript *t, const char *name, const void *data, size_t bytes)
{
    soak_told *told = add(t, name);
    told->bytes = bytes;
    told->data = soak_array((int64_t)bytes, 1);
    if (bytes > 0) memcpy(told->data, data, bytes);
}

void soak_tell_matrix(soak_transcript *t, const char *name, const spg_csr *host, double tolerance)
{
    char part[48];
    const int64_t sizes[] = {host->rows, host->cols, host->nnz, (int64_t)host->offset_type, (int64_t)host->value_type};
    snprintf(part, sizeof part, "%.36s's sizes", name);
    soak_tell(t, part, sizes, sizeof sizes);
    snprintf(part, sizeof part, "%.36s's offsets", name);
    soak_tell(t, part, host->row_offsets, (size_t)(host->rows + 1) * spg_type_size(host->offset_type));
    snprintf(part, sizeof part, "%.36s's columns", name);
    soak_tell(t, part, host->columns, (size_t)host->nnz * sizeof *host->columns);
    snprintf(part, sizeof part, "%.36s's values", name);
    soak_tell_values(t, part, host->value_type, host->nnz, host->values, tolerance);
}

void soak_tell_nothing(soak_transcript *t, const char *name) { add(t, name); }

static bool are_near(const soak_told *a, const soak_told *b, const char *what)
{
    const bool narrow = a->type == SPG_F32 || a->type == SPG_C32;
    const int64_t count = (int64_t)(a->bytes / (narrow ? sizeof(float) : sizeof(double)));
    double largest = 0;
    if (isinf(a->tolerance)) return true;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < count; k++) {
            const double x = narrow ? (double)((const float *)a->data)[k] : ((const double *)a->data)[k];
            const double y = narrow ? (double)((const float *)b->data)[k] : ((const double *)b->data)[k];
            if (pass == 0)
                largest = fmax(largest, fabs(y));
            else if (!(fabs(x - y) <= a->tolerance * largest) && (x == x || y == y))
                return soak_fault("%s: value %lld is %.17g, expected %.17g (to %g of %g)", what, (long long)k, x, y,
                                  a->tolerance, largest);
        }
    return true;
}

static bool is_same(const soak_told *a, const soak_told *b)
{
    char what[80];
    snprintf(what, sizeof what, "beside the host: %.48s", a->name);
    if (a->data == NULL || b->data == NULL) return true;
    if (a->bytes != b->bytes) return soak_fault("%s: %zu bytes, expected %zu", what, a->bytes, b->bytes);
    if (a->tolerance > 0) return are_near(a, b, what);
    if (a->type != SPG_I32)
        return soak_are_same_values(a->data, b->data, a->type, (int64_t)(a->bytes / spg_type_size(a->type)), what);
    for (size_t k = 0; k < a->bytes; k++)
        if (((const char *)a->data)[k] != ((const char *)b->data)[k])
            return soak_fault("%s: another byte %zu of %zu", what, k, a->bytes);
    return true;
}

bool soak_is_same_told(const soak_transcript *actual, const soak_transcript *expected)
{
    for (int k = 0; k < actual->count && k < expected->count; k++) {
        if (strcmp(actual->told[k].name, expected->told[k].name) != 0)
            return soak_fault("beside the host: '%s' where '%s' was expected", actual->told[k].name,
                              expected->told[k].name);
        if (!is_same(&actual->told[k], &expected->told[k])) return false;
    }
    return actual->count == expected->count ||
           soak_fault("beside the host: %d results, expected %d", actual->count, expected->count);
}

void soak_forget(soak_transcript *t)
{
    for (int k = 0; k < t->count; k++) free(t->told[k].data);
    t->count = 0;
}
