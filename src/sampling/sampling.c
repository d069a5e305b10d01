/* The public calls of sampling without tables: checks, and dispatch to the backend. */
#include "backend.h"
#include "check.h"

spg_status spg_context_set_draw_options(spg_context *context, const spg_draw_options *options)
{
    static const spg_draw_options defaults = {0};
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    context->draw_options = options != NULL ? *options : defaults;
    return SPG_OK;
}

spg_status spg_random_bits(spg_context *context, const spg_random *random, int64_t count, uint64_t *bits)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_random(context, random, NULL);
    if (status == SPG_OK) status = spg_check_count(context, count, "count");
    if (status == SPG_OK) status = spg_check_array(context, count, bits, sizeof *bits, "bits");
    if (status != SPG_OK || count == 0) return status;
    return context->backend->sampling->random_bits(context, random, count, bits);
}

spg_status spg_random_uniforms(spg_context *context, const spg_random *random, int64_t count, spg_type type,
                               void *uniforms)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_random(context, random, NULL);
    if (status == SPG_OK) status = spg_check_count(context, count, "count");
    if (status == SPG_OK && type != SPG_F32 && type != SPG_F64)
        status = spg_context_fail(context, SPG_ERROR_ARGUMENT, "type %s; uniforms are f32 or f64", spg_type_name(type));
    if (status == SPG_OK) status = spg_check_array(context, count, uniforms, spg_type_size(type), "uniforms");
    if (status != SPG_OK || count == 0) return status;
    return context->backend->sampling->random_uniforms(context, random, count, type, uniforms);
}

static spg_status check_method(spg_context *context, spg_butterfly_method method)
{
    if (method >= SPG_BUTTERFLY_AUTO && method <= SPG_BUTTERFLY_TABLE) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "method %d is not an spg_butterfly_method", (int)method);
}

static spg_status check_draws(spg_context *context, const spg_csr *weights, const void *uniforms, const int32_t *draws)
{
    spg_status status = spg_check_array(context, weights->rows, draws, sizeof *draws, "draws");
    const spg_call_array arrays[] = {{draws, weights->rows, sizeof *draws, "draws"},
                                     {uniforms, weights->rows, spg_type_size(weights->value_type), "uniforms"}};
    return status == SPG_OK ? spg_check_apart(context, weights, 1, 2, arrays) : status;
}

spg_status spg_butterfly_draw(spg_context *context, const spg_csr *weights, spg_butterfly_method method,
                              const spg_random *random, const void *uniforms, int32_t *draws)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_weights(context, weights);
    if (status == SPG_OK) status = check_method(context, method);
    if (status == SPG_OK) status = spg_check_random(context, random, uniforms);
    if (status == SPG_OK && uniforms != NULL)
        status = spg_check_array(context, weights->rows, uniforms, spg_type_size(weights->value_type), "uniforms");
    if (status == SPG_OK) status = check_draws(context, weights, uniforms, draws);
    if (status != SPG_OK || weights->rows == 0) return status;
    return context->backend->sampling->row_draws(context, weights, method, random, uniforms, draws);
}

static spg_status check_lda_sizes(spg_context *context, const spg_lda *lda)
{
    spg_status status = spg_check_count(context, lda->documents, "lda: documents");
    if (status == SPG_OK) status = spg_check_count(context, lda->vocabulary, "lda: vocabulary");
    if (status == SPG_OK) status = spg_check_count(context, lda->words_total, "lda: words_total");
    if (status != SPG_OK) return status;
    if (lda->vocabulary > INT32_MAX)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "lda: vocabulary is %lld; it must be at most 2147483647",
                                (long long)lda->vocabulary);
    if (lda->topics < 1)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "lda: topics is %d; it must be at least 1",
                                (int)lda->topics);
    if (lda->type != SPG_F32 && lda->type != SPG_F64)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "lda: type %s; theta and phi are f32 or f64",
                                spg_type_name(lda->type));
    if (lda->words_total > 0 && lda->documents == 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "lda: words_total is %lld, but documents is 0",
                                (long long)lda->words_total);
    return SPG_OK;
}

static spg_status check_lda(spg_context *context, const spg_lda *lda)
{
    if (lda == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "lda is NULL");
    spg_status status = check_lda_sizes(context, lda);
    if (status == SPG_OK)
        status =
            spg_check_array(context, lda->documents, lda->word_offsets, sizeof *lda->word_offsets, "lda: word_offsets");
    if (status == SPG_OK)
        status = spg_check_array(context, lda->words_total, lda->words, sizeof *lda->words, "lda: words");
    if (status == SPG_OK)
        status = spg_check_array(context, lda->words_total, lda->theta, spg_type_size(lda->type), "lda: theta");
    if (status == SPG_OK && lda->vocabulary > 0)
        status = spg_check_array(context, lda->words_total, lda->phi, spg_type_size(lda->type), "lda: phi");
    return status;
}

static spg_status check_topics(spg_context *context, const spg_lda *lda, const int32_t *topics)
{
    spg_status status = spg_check_array(context, lda->words_total, topics, sizeof *topics, "topics");
    const size_t row_bytes = (size_t)lda->topics * spg_type_size(lda->type);
    const int64_t offsets = lda->documents < INT64_MAX ? lda->documents + 1 : INT64_MAX;
    const spg_call_array arrays[] = {{topics, lda->words_total, sizeof *topics, "topics"},
                                     {lda->theta, lda->documents, row_bytes, "the theta of lda"},
                                     {lda->phi, lda->vocabulary, row_bytes, "the phi of lda"},
                                     {lda->word_offsets, offsets, sizeof *lda->word_offsets, "the word_offsets of lda"},
                                     {lda->words, lda->words_total, sizeof *lda->words, "the words of lda"}};
    return status == SPG_OK ? spg_check_apart(context, NULL, 1, 5, arrays) : status;
}

spg_status spg_lda_draw(spg_context *context, const spg_lda *lda, spg_butterfly_method method, const spg_random *random,
                        int32_t *topics)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = check_lda(context, lda);
    if (status == SPG_OK) status = check_method(context, method);
    if (status == SPG_OK) status = spg_check_random(context, random, NULL);
    if (status == SPG_OK) status = check_topics(context, lda, topics);
    if (status != SPG_OK || lda->documents == 0) return status;
    return context->backend->sampling->lda_draws(context, lda, method, random, topics);
}
