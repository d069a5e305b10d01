/* See shrink.h. Zeller's delta debugging on rows, columns and entries: parts are left out, halves first. */
#include "shrink.h"

#include "host_matrix.h"
#include "place.h"

#include <stdlib.h>
#include <string.h>

enum { SETTINGS = 8, LEVELS = 10, TARGETS = SOAK_DIMENSIONS + SOAK_MATRICES, PARTS = 1 << LEVELS };

static bool simplify(soak_settings *s, int step)
{
    const soak_settings before = *s;
    switch (step) {
    case 0: s->damage.kind = SOAK_SOUND; break;
    case 1: s->fail_at = 0; break;
    case 2: s->caller_allocates = s->fail_at > 0; break;
    case 3: s->workspace_limit = 0; break;
    case 4: s->row_limits = (spg_row_limits){-1, -1, -1}; break;
    case 5: s->threads = 1; break;
    case 6: s->timing = false; break;
    default: s->by_setters = false;
    }
    return memcmp(&before, s, sizeof before) != 0;
}

static void copy_entry(const spg_csr *from, int64_t k, spg_csr *to, int64_t column)
{
    const size_t size = spg_type_size(from->value_type);
    to->columns[to->nnz] = (int32_t)column;
    memcpy((char *)to->values + (size_t)to->nnz * size, (const char *)from->values + (size_t)k * size, size);
    to->nnz++;
}

/* Without rows [r0, r1), columns [c0, c1) and entries [e0, e1). */
static spg_csr cut(const spg_csr *m, const int64_t rows[2], const int64_t cols[2], const int64_t entries[2])
{
    spg_csr result = soak_matrix(m->rows - (rows[1] - rows[0]), m->cols - (cols[1] - cols[0]), m->nnz, m->offset_type,
                                 m->value_type);
    int64_t row = 0;
    result.nnz = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        if (i >= rows[0] && i < rows[1]) continue;
        for (int64_t k = soak_offset(m, i); k < soak_offset(m, i + 1); k++) {
            const int64_t column = m->columns[k];
            if ((k >= entries[0] && k < entries[1]) || (column >= cols[0] && column < cols[1])) continue;
            copy_entry(m, k, &result, column < cols[0] ? column : column - (cols[1] - cols[0]));
        }
        soak_set_offset(&result, ++row, result.nnz);
    }
    spg_csr exact = soak_matrix_copy(&result);
    soak_matrix_free(&result);
    return exact;
}

static int64_t size_of(const soak_case *c, int target)
{
    const int matrix = target - SOAK_DIMENSIONS;
    if (matrix < 0) return c->dimensions[target];
    return matrix < c->count && !c->whole[matrix] ? c->matrices[matrix].nnz : 0;
}

static void leave_out(soak_case *c, int target, int64_t begin, int64_t end)
{
    const int64_t none[2] = {0, 0}, part[2] = {begin, end};
    for (int k = 0; k < c->count; k++)
        c->matrices[k] = cut(&c->matrices[k], c->rows_of[k] == target ? part : none,
                             c->cols_of[k] == target ? part : none, SOAK_DIMENSIONS + k == target ? part : none);
    if (target < SOAK_DIMENSIONS) c->dimensions[target] -= end - begin;
}

static void copy_matrices(soak_case *c)
{
    for (int k = 0; k < c->count; k++) c->matrices[k] = soak_matrix_copy(&c->matrices[k]);
}

void soak_leave_out(soak_case *c, int dimension, int64_t begin, int64_t end)
{
    soak_case whole = *c;
    leave_out(c, dimension, begin, end);
    soak_case_free(&whole);
}

bool soak_candidate(const soak_case *c, int64_t number, soak_case *candidate, bool *made)
{
    *candidate = *c;
    *made = false;
    if (number < SETTINGS) {
        *made = simplify(&candidate->settings, (int)number);
        if (*made) copy_matrices(candidate);
        return true;
    }
    number -= SETTINGS;
    const int level = 1 + (int)(number / (TARGETS * PARTS)), target = (int)(number / PARTS % TARGETS);
    const int64_t part = number % PARTS, parts = (int64_t)1 << level, size = size_of(c, target);
    if (level > LEVELS) return false;
    if (part >= parts || size == 0 || parts >= 2 * size) return true;
    const int64_t begin = size * part / parts, end = size * (part + 1) / parts;
    if (begin == end) return true;
    leave_out(candidate, target, begin, end);
    *made = true;
    return true;
}

typedef struct attempt {
    const soak_case *c;
    int64_t from, end_us;
} attempt;

/* Candidates from a number on, until one is faulty. */
static int try_candidates(const soak_options *options, void *what)
{
    const attempt *of = what;
    soak_case candidate;
    bool made;
    if (!test_open_place(options->run.at[options->run.count - 1].place)) return SOAK_STATUS_NO_PLACE;
    atomic_store(&soak_common->counts, false);
    for (int64_t n = of->from; soak_now_us() < of->end_us && soak_candidate(of->c, n, &candidate, &made); n++) {
        if (!made) continue;
        atomic_store(&soak_common->candidate, n);
        const bool right = soak_check_case(options, &candidate);
        soak_case_free(&candidate);
        if (!right) return SOAK_STATUS_FAULT;
    }
    return 0;
}

int soak_shrink(const soak_options *options, soak_case *c)
{
    attempt next = {.c = c, .end_us = soak_now_us() + (int64_t)(options->shrink_seconds * 1e6)};
    char fault[SOAK_FAULT_LENGTH];
    int times = 0, in_this_sweep = 0;
    memcpy(fault, soak_common->fault, sizeof fault);
    while (soak_now_us() < next.end_us) {
        const soak_end end = soak_in_process(options, try_candidates, &next, NULL);
        if (end == SOAK_FAULTY) {
            soak_case smaller;
            bool made = false;
            next.from = atomic_load(&soak_common->candidate);
            if (!soak_candidate(c, next.from, &smaller, &made) || !made) break;
            soak_case_free(c);
            *c = smaller;
            memcpy(fault, soak_common->fault, sizeof fault);
            times++, in_this_sweep++;
        } else {
            if (end != SOAK_ENDED || in_this_sweep == 0) break;
            next.from = in_this_sweep = 0;
        }
    }
    memcpy(soak_common->fault, fault, sizeof fault);
    return times;
}
