/* Alias tables for tests, at a context's place; what fails there fails the running test. */
#ifndef SPG_TESTS_ALIAS_SUPPORT_H
#define SPG_TESTS_ALIAS_SUPPORT_H

#include "sampling/alias.h"
#include "sampling/sampling_backend.h"
#include "sampling_support.h"

#include <stdlib.h>
#include <string.h>

static inline spg_alias *test_build_alias(spg_context *context, const spg_csr *rows, int builder, int resolution)
{
    const spg_alias_options options = {.builder = (spg_alias_builder)builder,
                                       .resolution = (spg_alias_resolution)resolution};
    spg_alias *alias = NULL;
    if (spg_alias_build(context, rows, &options, &alias) != SPG_OK) fail_msg("%s", spg_context_message(context));
    return alias;
}

static inline size_t test_alias_bytes(const spg_alias *alias)
{
    bool exact = alias->resolution == SPG_ALIAS_EXACT;
    return (size_t)alias->nnz * (exact ? sizeof(spg_alias_exact) : sizeof(spg_alias_compact));
}

/* The table on the host; freed by free(). */
static inline void *test_alias_table(spg_context *context, const spg_alias *alias)
{
    void *table = malloc(test_alias_bytes(alias));
    assert_non_null(table);
    if (test_is_on_host(context))
        memcpy(table, alias->table, test_alias_bytes(alias));
    else
        test_fetch(alias->table, test_alias_bytes(alias), table);
    return table;
}

static inline void test_draw_alias(spg_context *context, const spg_alias *alias, int64_t row, spg_random random,
                                   int64_t count, int sampler, int grouped, int32_t *draws)
{
    const spg_alias_draw_options options = {(spg_alias_sampler)sampler, grouped};
    size_t bytes = (size_t)count * sizeof *draws;
    int32_t *here = test_take(context, draws, bytes);
    if (spg_alias_draw(context, alias, row, count, &random, &options, here) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    test_bring(context, here, bytes, draws);
}

#endif
