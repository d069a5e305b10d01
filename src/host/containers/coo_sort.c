/* Sorts triples by row, then column: a stable radix sort, least significant digit first, over the digits that differ.
 * Its workspace depends on the number of triples, not of rows. */
#include "host/by_type.h"
#include "host/host.h"
#include "host/work.h"
#include "memory.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static inline uint32_t digit_of(int32_t index, int shift) { return ((uint32_t)index >> shift) & (DIGITS - 1); }

typedef struct triples {
    int32_t *rows, *columns;
    void *values;
} triples;

/* One pass: moves triples from one set of arrays to the other by one digit of the keys, in parts. */
typedef struct sort_pass {
    triples from, to;
    const int32_t *keys; /* from.rows or from.columns */
    int64_t nnz, parts;
    int64_t *cursors; /* DIGITS per part */
    int shift;
    spg_threads threads;
} sort_pass;

#define TEMPLATE "host/containers/coo_sort.inc.h"
#include "host/for_each_value_type.h"

typedef struct order_job {
    const spg_coo *matrix;
    atomic_bool *falls;
} order_job;

/* Compares triples in the range with the next ones. */
static void find_fall(const void *data, spg_range range)
{
    const order_job *job = data;
    const int32_t *rows = job->matrix->row_indices, *columns = job->matrix->columns;
    bool falls = false;
    for (int64_t k = range.begin; k < range.end; ++k)
        falls |= rows[k] > rows[k + 1] || (rows[k] == rows[k + 1] && columns[k] > columns[k + 1]);
    if (falls) atomic_store(job->falls, true);
}

static bool is_sorted(const spg_coo *matrix, spg_threads threads)
{
    atomic_bool falls = false;
    spg_parallel(threads, matrix->nnz - 1, 0, find_fall, &(order_job){matrix, &falls});
    return !falls;
}

typedef struct bits_job {
    const int32_t *indices;
    atomic_uint *bits;
} bits_job;

static void find_bits(const void *data, spg_range range)
{
    const bits_job *job = data;
    const int32_t *indices = job->indices;
    uint32_t bits = 0;
    for (int64_t k = range.begin; k < range.end; ++k) bits |= (uint32_t)(indices[k] ^ indices[0]);
    atomic_fetch_or(job->bits, bits);
}

/* The bits in which any two indices differ. */
static uint32_t differing_bits(const int32_t *indices, int64_t count, spg_threads threads)
{
    atomic_uint bits = 0;
    spg_parallel(threads, count, 0, find_bits, &(bits_job){indices, &bits});
    return bits;
}

static void count_digits(const void *data, spg_range parts)
{
    const sort_pass *pass = data;
    for (int64_t part = parts.begin; part < parts.end; ++part) {
        int64_t *counts = pass->cursors + part * DIGITS;
        memset(counts, 0, DIGITS * sizeof *counts);
        int64_t end = spg_host_cut(pass->nnz, part + 1, pass->parts);
        for (int64_t k = spg_host_cut(pass->nnz, part, pass->parts); k < end; ++k)
            ++counts[digit_of(pass->keys[k], pass->shift)];
    }
}

static void sort_by_digit(sort_pass *pass, spg_work *place)
{
    spg_parallel(pass->threads, pass->parts, 1, count_digits, pass);
    int64_t next = 0;
    for (int digit = 0; digit < DIGITS; ++digit)
        for (int64_t part = 0; part < pass->parts; ++part) {
            int64_t count = pass->cursors[part * DIGITS + digit];
            pass->cursors[part * DIGITS + digit] = next;
            next += count;
        }
    spg_parallel(pass->threads, pass->parts, 1, place, pass);
    triples swapped = pass->from;
    pass->from = pass->to;
    pass->to = swapped;
}

static void sort_by(sort_pass *pass, bool by_row, spg_work *place)
{
    uint32_t bits = differing_bits(by_row ? pass->from.rows : pass->from.columns, pass->nnz, pass->threads);
    for (pass->shift = 0; pass->shift < 32; pass->shift += DIGIT_BITS) {
        if (digit_of((int32_t)bits, pass->shift) == 0) continue;
        pass->keys = by_row ? pass->from.rows : pass->from.columns;
        sort_by_digit(pass, place);
    }
}

spg_status spg_host_coo_sort(spg_context *context, spg_coo *matrix)
{
    static spg_work *const place[4] = BY_VALUE_TYPE(place_digits);
    sort_pass pass = {.nnz = matrix->nnz, .threads = spg_host_threads(context, matrix->nnz)};
    if (is_sorted(matrix, pass.threads)) return SPG_OK;
    int64_t index_bytes = matrix->nnz * (int64_t)sizeof(int32_t);
    int64_t value_bytes = matrix->nnz * (int64_t)spg_type_size(matrix->value_type);
    int64_t spare_bytes = value_bytes + 2 * index_bytes, part_bytes = DIGITS * (int64_t)sizeof *pass.cursors;
    pass.parts = spg_pieces_within_limit(context, spare_bytes, part_bytes, pass.threads.count);
    int64_t cursor_bytes = pass.parts * part_bytes, bytes = cursor_bytes + spare_bytes;
    void *workspace;
    spg_status status = spg_allocate_workspace(context, 0, bytes, "sorting triples", &workspace);
    if (status != SPG_OK) return status;
    char *spare = (char *)workspace + cursor_bytes;
    pass.cursors = workspace;
    pass.from = (triples){matrix->row_indices, matrix->columns, matrix->values};
    pass.to.values = spare;
    pass.to.rows = (int32_t *)(void *)(spare + value_bytes);
    pass.to.columns = pass.to.rows + matrix->nnz;
    sort_by(&pass, false, place[matrix->value_type]);
    sort_by(&pass, true, place[matrix->value_type]);
    if (pass.from.rows != matrix->row_indices) {
        spg_host_copy(context, matrix->row_indices, pass.from.rows, index_bytes);
        spg_host_copy(context, matrix->columns, pass.from.columns, index_bytes);
        spg_host_copy(context, matrix->values, pass.from.values, value_bytes);
    }
    spg_release(context, workspace, bytes);
    return SPG_OK;
}
