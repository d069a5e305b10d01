/* See sampling/faults.h. */
#include "faults.h"

static const char *kind_name(spg_weight_fault fault)
{
    return fault == SPG_WEIGHT_NEGATIVE ? "negative" : fault == SPG_WEIGHT_NAN ? "NaN" : "infinite";
}

spg_status spg_fail_weight(spg_context *context, spg_weight_fault fault, int64_t row, int64_t items, int64_t item,
                           double weight)
{
    long long i = (long long)row, n = (long long)items;
    switch (fault) {
    case SPG_WEIGHT_LONG:
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED,
                                "weights: row %lld has %lld items; 2147483647 are the most", i, n);
    case SPG_WEIGHT_EMPTY: return spg_context_fail(context, SPG_ERROR_FORMAT, "weights: row %lld is empty", i);
    case SPG_WEIGHT_ZEROS:
        return spg_context_fail(context, SPG_ERROR_FORMAT, "weights: row %lld: all %lld weights are zero", i, n);
    default:
        return spg_context_fail(context, SPG_ERROR_FORMAT, "weights: row %lld, item %lld: weight %g is %s", i,
                                (long long)item, weight, kind_name(fault));
    }
}

spg_status spg_fail_lda_start(spg_context *context, int64_t begin)
{
    return spg_context_fail(context, SPG_ERROR_FORMAT, "lda: document 0: word_offsets begin at %lld, not at 0",
                            (long long)begin);
}

spg_status spg_fail_lda_offsets(spg_context *context, int64_t document, int64_t begin, int64_t end)
{
    return spg_context_fail(context, SPG_ERROR_FORMAT, "lda: document %lld: word_offsets fall from %lld to %lld",
                            (long long)document, (long long)begin, (long long)end);
}

spg_status spg_fail_lda_end(spg_context *context, int64_t end, int64_t words_total)
{
    return spg_context_fail(context, SPG_ERROR_FORMAT, "lda: word_offsets end at %lld, words_total is %lld",
                            (long long)end, (long long)words_total);
}

spg_status spg_fail_lda_word(spg_context *context, int64_t document, int64_t word, int32_t id, int64_t vocabulary)
{
    return spg_context_fail(context, SPG_ERROR_FORMAT, "lda: document %lld, word %lld: %d lies outside [0, %lld)",
                            (long long)document, (long long)word, (int)id, (long long)vocabulary);
}

spg_status spg_fail_lda_products(spg_context *context, int64_t document, int64_t word, spg_weight_fault fault,
                                 int32_t topic)
{
    long long m = (long long)document, w = (long long)word;
    if (fault == SPG_WEIGHT_ZEROS)
        return spg_context_fail(context, SPG_ERROR_FORMAT,
                                "lda: document %lld, word %lld: all products of theta and phi are zero", m, w);
    if (topic < 0)
        return spg_context_fail(context, SPG_ERROR_FORMAT,
                                "lda: document %lld, word %lld: the sum of theta * phi is %s", m, w, kind_name(fault));
    return spg_context_fail(context, SPG_ERROR_FORMAT,
                            "lda: document %lld, word %lld: the product of theta and phi of topic %d is %s", m, w,
                            (int)topic, kind_name(fault));
}

spg_status spg_fail_row_number(spg_context *context, int64_t i, int32_t row, int64_t rows)
{
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "rows: entry %lld: row %d lies outside [0, %lld)",
                            (long long)i, (int)row, (long long)rows);
}

spg_status spg_fail_uniform(spg_context *context, int64_t i, double uniform)
{
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "uniforms: number %lld, %.17g, lies outside [0, 1)",
                            (long long)i, uniform);
}

spg_status spg_fail_start(spg_context *context, int64_t i, int32_t node, int64_t rows)
{
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "starts: entry %lld: node %d lies outside [0, %lld)",
                            (long long)i, (int)node, (long long)rows);
}

spg_status spg_fail_row_order(spg_context *context, int64_t row)
{
    return spg_context_fail(context, SPG_ERROR_FORMAT,
                            "alias: row %lld: columns do not ascend; with p or q they must (spg_csr_sort)",
                            (long long)row);
}

spg_status spg_fail_few(spg_context *context, int64_t row, int64_t positive, int64_t k)
{
    return spg_context_fail(context, SPG_ERROR_FORMAT,
                            "weights: row %lld has %lld items of weight above zero; k is %lld", (long long)row,
                            (long long)positive, (long long)k);
}

spg_status spg_fail_trials(spg_context *context, int64_t row, int64_t trials)
{
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "trials: row %lld: %lld; it must not be negative",
                            (long long)row, (long long)trials);
}

spg_status spg_fail_list_order(spg_context *context, int64_t i, int32_t row)
{
    return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                            "rows: entry %lld: row %d does not come after the one before; rows must ascend",
                            (long long)i, (int)row);
}

spg_status spg_fail_pattern(spg_context *context, int64_t row)
{
    return spg_context_fail(context, SPG_ERROR_FORMAT,
                            "weights: row %lld: not the pattern that the table was built from", (long long)row);
}
