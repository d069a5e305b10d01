/* Orders triples by row, then column: a stable radix sort, least digit first, over the digits that differ. Its
 * workspace grows with the triples alone, not with the rows. */
#include "by_type.h"
#include "host.h"
#include "memory.h"
#include "work.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static inline uint32_t digit_of(int32_t index, int shift) { return ((uint32_t)index >> shift) & (DIGITS - 1); }

typedef struct triples {
    int32_t *rows, *columns;
    void *values;
} triples;

/* Triples go from one set of arrays to the other by one digit of the keys, part after part. */
typedef struct sort_pass {
    triples from, to;
    const int32_t *keys; /* from.rows or from.columns */
    int64_t nnz, parts;
    int64_t *cursors; /* DIGITS a part */
    int shift, threads;
} sort_pass;

#define TEMPLATE "host/coo_sort.inc.h"
#include "host/for_each_value_type.h"

typedef void place_function(const sort_pass *pass, int64_t part);

static bool is_sorted(const spg_coo *matrix, int threads)
{
    const int32_t *rows = matrix->row_indices, *columns = matrix->columns;
    int falls = 0;
#pragma omp parallel for num_threads(threads) reduction(| : falls)
    for (int64_t k = 1; k < matrix->nnz; ++k)
        falls |= rows[k - 1] > rows[k] || (rows[k - 1] == rows[k] && columns[k - 1] > columns[k]);
    return !falls;
}

/* The bits in which any two indices differ. */
static uint32_t differing_bits(const int32_t *indices, int64_t count, int threads)
{
    uint32_t bits = 0;
#pragma omp parallel for num_threads(threads) reduction(| : bits)
    for (int64_t k = 1; k < count; ++k) bits |= (uint32_t)(indices[k] ^ indices[0]);
    return bits;
}

static void count_digits(const sort_pass *pass, int64_t part)
{
    int64_t *counts = pass->cursors + part * DIGITS;
    memset(counts, 0, DIGITS * sizeof *counts);
    int64_t end = spg_host_cut(pass->nnz, part + 1, pass->parts);
    for (int64_t k = spg_host_cut(pass->nnz, part, pass->parts); k < end; ++k)
        ++counts[digit_of(pass->keys[k], pass->shift)];
}

static void sort_by_digit(sort_pass *pass, place_function *place)
{
#pragma omp parallel for num_threads(pass->threads)
    for (int64_t part = 0; part < pass->parts; ++part) count_digits(pass, part);
    int64_t next = 0;
    for (int digit = 0; digit < DIGITS; ++digit)
        for (int64_t part = 0; part < pass->parts; ++part) {
            int64_t count = pass->cursors[part * DIGITS + digit];
            pass->cursors[part * DIGITS + digit] = next;
            next += count;
        }
#pragma omp parallel for num_threads(pass->threads)
    for (int64_t part = 0; part < pass->parts; ++part) place(pass, part);
    triples swapped = pass->from;
    pass->from = pass->to;
    pass->to = swapped;
}

static void sort_by(sort_pass *pass, bool by_row, place_function *place)
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
    static place_function *const place[4] = BY_VALUE_TYPE(place_digits);
    sort_pass pass = {.nnz = matrix->nnz, .threads = spg_host_threads(context, matrix->nnz)};
    if (is_sorted(matrix, pass.threads)) return SPG_OK;
    int64_t index_bytes = matrix->nnz * (int64_t)sizeof(int32_t);
    int64_t value_bytes = matrix->nnz * (int64_t)spg_type_size(matrix->value_type);
    int64_t spare_bytes = value_bytes + 2 * index_bytes, part_bytes = DIGITS * (int64_t)sizeof *pass.cursors;
    pass.parts = spg_pieces_within_limit(context, spare_bytes, part_bytes, pass.threads);
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
