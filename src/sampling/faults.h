/* Faults that the stages of sampling find in array contents, and their messages. Private.
 *
 * All places report the same fault. Offsets and columns come first, by the backend's csr_check (columns NULL: only
 * offsets). Then the first faulty row: LONG for its length, else EMPTY, else its first weight that is negative, NaN or
 * infinite (-0.0 is zero), else ZEROS. For LDA: offsets, then words out of range, then products: the lowest word; in it
 * the first product that is negative or NaN, else INFINITE for its sum (AUTO's) or a product, else ZEROS. */
#ifndef SPG_SRC_SAMPLING_FAULTS_H
#define SPG_SRC_SAMPLING_FAULTS_H

#include "context.h"

#include "spg/sampling.h"

#include <float.h>

typedef enum spg_weight_fault {
    SPG_WEIGHT_SOUND = 0,
    SPG_WEIGHT_LONG,     /* a row of 2^31 items or more */
    SPG_WEIGHT_EMPTY,    /* a row without items */
    SPG_WEIGHT_NEGATIVE, /* including -infinity */
    SPG_WEIGHT_NAN,
    SPG_WEIGHT_INFINITE,
    SPG_WEIGHT_ZEROS /* a row of only zeros */
} spg_weight_fault;

/* The fault of a weight, if any. */
static inline spg_weight_fault spg_weight_kind(double weight)
{
    if (weight != weight) return SPG_WEIGHT_NAN;
    if (weight < 0) return SPG_WEIGHT_NEGATIVE;
    return weight > DBL_MAX ? SPG_WEIGHT_INFINITE : SPG_WEIGHT_SOUND;
}

/* FORMAT (LONG: UNSUPPORTED); the message names the row, the item's position in it, and the fault. items: the number in
 * the row. item, from 0, and weight: for a fault of a single item. */
spg_status spg_fail_weight(spg_context *context, spg_weight_fault fault, int64_t row, int64_t items, int64_t item,
                           double weight);

/* FORMAT: offsets of documents that do not start at 0, decrease (document: the first such one), or do not end at
 * words_total. */
spg_status spg_fail_lda_start(spg_context *context, int64_t begin);
spg_status spg_fail_lda_offsets(spg_context *context, int64_t document, int64_t begin, int64_t end);
spg_status spg_fail_lda_end(spg_context *context, int64_t end, int64_t words_total);
/* FORMAT: a word (word: its position in the document, from 0) outside [0, vocabulary). */
spg_status spg_fail_lda_word(spg_context *context, int64_t document, int64_t word, int32_t id, int64_t vocabulary);
/* FORMAT: a product of the word (fault NEGATIVE, NAN, INFINITE; topic -1 for the sum), or all of them (ZEROS). */
spg_status spg_fail_lda_products(spg_context *context, int64_t document, int64_t word, spg_weight_fault fault,
                                 int32_t topic);

/* ARGUMENT: entry i of `rows` is not a row; entry i of `starts` is not a node; number i of `uniforms` is not in
 * [0, 1). */
spg_status spg_fail_row_number(spg_context *context, int64_t i, int32_t row, int64_t rows);
spg_status spg_fail_start(spg_context *context, int64_t i, int32_t node, int64_t rows);
spg_status spg_fail_uniform(spg_context *context, int64_t i, double uniform);
/* FORMAT: a row has fewer than k items of weight above 0, all weights being sound. */
spg_status spg_fail_few(spg_context *context, int64_t row, int64_t positive, int64_t k);
/* ARGUMENT: entry i of the caller's rows does not ascend. */
spg_status spg_fail_list_order(spg_context *context, int64_t i, int32_t row);
/* FORMAT: a row of new weights for a table begins or ends elsewhere, or names other columns. */
spg_status spg_fail_pattern(spg_context *context, int64_t row);
/* ARGUMENT: the number of draws of a row, for multinomial counts, is negative. */
spg_status spg_fail_trials(spg_context *context, int64_t row, int64_t trials);
/* FORMAT: columns of a row, which walks of second order search, do not ascend. */
spg_status spg_fail_row_order(spg_context *context, int64_t row);

#endif
