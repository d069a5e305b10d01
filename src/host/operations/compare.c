/* How two matrices differ: merges their rows, or those of sorted copies. */
#include "host/by_type.h"
#include "host/work.h"
#include "host_operations.h"
#include "operations/modulus.h"
#include "parts.h"

#include <string.h>

/* Moduli are compared as the bits of doubles: those that are not negative have the same order, and NaN is above all. */
typedef struct compare_job {
    const spg_csr *A, *B;       /* rows ascend */
    atomic_llong *first_row;    /* that differs */
    atomic_llong *other_places; /* 1: a place has an entry in one matrix only */
    atomic_llong *absolute, *relative;
} compare_job;

/* What the entries of one row give. */
typedef struct row_difference {
    int64_t column; /* the first that differs, or -1 */
    bool other_places;
    int64_t absolute, relative;
} row_difference;

static int64_t bits_of(double modulus)
{
    int64_t bits;
    modulus = fabs(modulus);
    memcpy(&bits, &modulus, sizeof bits);
    return bits;
}

static double from_bits(int64_t bits)
{
    double modulus;
    memcpy(&modulus, &bits, sizeof modulus);
    return modulus;
}

/* One entry of both matrices: real and imaginary parts. */
static void note(row_difference *found, int32_t column, const double parts[4])
{
    const double distance = spg_distance(parts[0], parts[1], parts[2], parts[3]);
    if (distance == 0) return;
    if (found->column < 0) found->column = column;
    const int64_t absolute = bits_of(distance);
    const int64_t relative = bits_of(spg_relative_distance(parts[0], parts[1], parts[2], parts[3]));
    if (absolute > found->absolute) found->absolute = absolute;
    if (relative > found->relative) found->relative = relative;
}

#define TEMPLATE "host/operations/compare.inc.h"
#include "host/for_each_value_type.h"

typedef row_difference compare_function(const compare_job *job, int64_t row);
static compare_function *const compare_row[4] = BY_VALUE_TYPE(compare_row);

static void compare_rows(const void *data, spg_range rows)
{
    const compare_job *job = data;
    int64_t first = job->A->rows, absolute = 0, relative = 0;
    bool other_places = false;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const row_difference found = compare_row[job->A->value_type](job, i);
        if (found.column >= 0 && i < first) first = i;
        other_places |= found.other_places;
        if (found.absolute > absolute) absolute = found.absolute;
        if (found.relative > relative) relative = found.relative;
    }
    spg_lower(job->first_row, first);
    spg_raise(job->other_places, other_places);
    spg_raise(job->absolute, absolute);
    spg_raise(job->relative, relative);
}

static void compare_sorted(const spg_context *context, const spg_csr *A, const spg_csr *B, spg_difference *difference)
{
    atomic_llong first_row = A->rows, other_places = 0, absolute = 0, relative = 0;
    const compare_job job = {A, B, &first_row, &other_places, &absolute, &relative};
    spg_parallel(spg_host_threads(context, A->nnz + B->nnz + A->rows), A->rows, 0, compare_rows, &job);
    difference->same_pattern = other_places == 0;
    difference->same_values = first_row == A->rows;
    difference->absolute = from_bits(absolute);
    difference->relative = from_bits(relative);
    if (difference->same_values) return;
    difference->row = first_row;
    difference->column = compare_row[A->value_type](&job, first_row).column;
}

spg_status spg_host_compare(spg_context *context, const spg_csr *A, const spg_csr *B, spg_difference *difference)
{
    spg_host_sorted a, b;
    spg_status status = spg_host_sorted_rows(context, A, 0, &a);
    if (status != SPG_OK) return status;
    status = spg_host_sorted_rows(context, B, a.copy_bytes, &b);
    if (status == SPG_OK) {
        compare_sorted(context, &a.rows, &b.rows, difference);
        spg_host_free_sorted(context, &b);
    }
    spg_host_free_sorted(context, &a);
    return status;
}
