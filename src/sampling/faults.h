/* Faults that the stages of sampling find in contents, and the words of their messages. Private.
 *
 * Which one is reported, on every place: offsets and columns first, by the backend's csr_check (columns NULL: offsets
 * alone). Then the first row at fault: LONG for its length, else EMPTY, else its first weight that is negative, NaN or
 * infinite (-0.0 is zero), else ZEROS. Of LDA: offsets, then words out of range, then products: the lowest word; then
 * its first product that is negative or NaN, else INFINITE for its sum (AUTO's) or a product, else ZEROS. */
#ifndef SPG_SRC_SAMPLING_FAULTS_H
#define SPG_SRC_SAMPLING_FAULTS_H

#include "context.h"

#include "spg/sampling.h"

#include <float.h>

typedef enum spg_weight_fault {
    SPG_WEIGHT_SOUND = 0,
    SPG_WEIGHT_LONG,     /* a row of 2^31 items or more */
    SPG_WEIGHT_EMPTY,    /* a row without items */
    SPG_WEIGHT_NEGATIVE, /* -infinity too */
    SPG_WEIGHT_NAN,
    SPG_WEIGHT_INFINITE,
    SPG_WEIGHT_ZEROS /* a row of zeros alone */
} spg_weight_fault;

/* What is wrong with a weight, if anything. */
static inline spg_weight_fault spg_weight_kind(double weight)
{
    if (weight != weight) return SPG_WEIGHT_NAN;
    if (weight < 0) return SPG_WEIGHT_NEGATIVE;
    return weight > DBL_MAX ? SPG_WEIGHT_INFINITE : SPG_WEIGHT_SOUND;
}

/* FORMAT (LONG: UNSUPPORTED) with a message that names the row, the item's place in it, and the kind. items: of the
 * row; item: from 0, and its weight, where the fault is of one. */
spg_status spg_fail_weight(spg_context *context, spg_weight_fault fault, int64_t row, int64_t items, int64_t item,
                           double weight);

/* FORMAT: offsets of documents that do not begin at 0, fall (document: the first where they do) or end elsewhere than
 * at words_total. */
spg_status spg_fail_lda_start(spg_context *context, int64_t begin);
spg_status spg_fail_lda_offsets(spg_context *context, int64_t document, int64_t begin, int64_t end);
spg_status spg_fail_lda_end(spg_context *context, int64_t end, int64_t words_total);
/* FORMAT: word (its place in the document, from 0) out of [0, vocabulary). */
spg_status spg_fail_lda_word(spg_context *context, int64_t document, int64_t word, int32_t id, int64_t vocabulary);
/* FORMAT: a product of the word (fault NEGATIVE, NAN, INFINITE; topic -1 for the sum), or all of them (ZEROS). */
spg_status spg_fail_lda_products(spg_context *context, int64_t document, int64_t word, spg_weight_fault fault,
                                 int32_t topic);

/* ARGUMENT: entry i of `rows` is no row; number i of `uniforms` is not in [0, 1). */
spg_status spg_fail_row_number(spg_context *context, int64_t i, int32_t row, int64_t rows);
spg_status spg_fail_uniform(spg_context *context, int64_t i, double uniform);

#endif
