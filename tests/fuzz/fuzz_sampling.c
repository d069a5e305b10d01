/* Any weights for the samplers: sound ones are drawn from, in range and never an item of weight 0, others are refused
 * with a message. */
#include "fuzz.h"

#include "spg/sampling.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 5, MOST_ITEMS = 40, DRAWS = 24 };

/* Weights of all sizes; from 240 on faulty ones. */
static double weight_of(int64_t byte, spg_type type)
{
    const double largest = type == SPG_F32 ? (double)FLT_MAX : DBL_MAX;
    const double least = type == SPG_F32 ? 1.40129846432481707e-45 : 4.94065645841246544e-324;
    switch (byte) {
    case 239: return largest;
    case 238: return largest / 4;
    case 240: return -1;
    case 241: return -least;
    case 242: return (double)INFINITY;
    case 243: return (double)NAN;
    default: break;
    }
    if (byte < 60) return 0;
    if (byte < 120) return (double)(byte - 59);
    if (byte < 160) return least * (double)(byte - 119);
    if (byte < 238) return ldexp(1, type == SPG_F32 ? (int)(byte - 199) * 3 : (int)(byte - 199) * 25);
    return -0.0;
}

static double weight_at(const spg_csr *weights, int64_t k)
{
    return weights->value_type == SPG_F32 ? (double)((const float *)weights->values)[k]
                                          : ((const double *)weights->values)[k];
}

static void take_weights(fuzz_input *in, spg_csr *weights)
{
    const int64_t kind = fuzz_take(in, 1);
    int64_t lengths[MOST_ROWS + 1] = {0};
    *weights = (spg_csr){.cols = MOST_ITEMS, .place = SPG_PLACE_HOST, .value_type = kind & 1 ? SPG_F32 : SPG_F64};
    weights->offset_type = kind & 2 ? SPG_I32 : SPG_I64;
    weights->rows = fuzz_take(in, 1) % (MOST_ROWS + 1);
    for (int64_t i = 0; i < weights->rows; ++i) weights->nnz += lengths[i] = fuzz_take(in, 1) % (MOST_ITEMS + 1);
    const size_t nnz = (size_t)weights->nnz;
    weights->row_offsets = malloc((size_t)(weights->rows + 1) * spg_type_size(weights->offset_type));
    weights->values = nnz > 0 ? malloc(nnz * spg_type_size(weights->value_type)) : NULL;
    int64_t offset = 0;
    for (int64_t i = 0; i <= weights->rows; offset += lengths[i++]) fuzz_set_offset(weights, i, offset);
    for (int64_t k = 0; k < weights->nnz; ++k) {
        const double weight = weight_of(fuzz_take(in, 1), weights->value_type);
        if (weights->value_type == SPG_F32)
            ((float *)weights->values)[k] = (float)weight;
        else
            ((double *)weights->values)[k] = weight;
    }
    if (kind >= 230) fuzz_set_offset(weights, fuzz_take(in, 1) % (weights->rows + 1), fuzz_take_entry(in));
}

static bool offsets_are_sound(const spg_csr *weights)
{
    bool sound = fuzz_offset(weights, 0) == 0 && fuzz_offset(weights, weights->rows) == weights->nnz;
    for (int64_t i = 0; i < weights->rows; ++i) sound &= fuzz_offset(weights, i + 1) >= fuzz_offset(weights, i);
    return sound;
}

/* empty_rows: rows without any weight are sound. */
static bool are_sound(const spg_csr *weights, bool empty_rows)
{
    if (!offsets_are_sound(weights)) return false;
    for (int64_t i = 0; i < weights->rows; ++i) {
        bool has_weight = empty_rows;
        for (int64_t k = fuzz_offset(weights, i); k < fuzz_offset(weights, i + 1); ++k) {
            const double weight = weight_at(weights, k);
            if (!(weight >= 0) || isinf(weight)) return false;
            has_weight |= weight > 0;
        }
        if (!has_weight) return false;
    }
    return true;
}

static bool can_be_drawn_from(const spg_csr *weights) { return are_sound(weights, false); }

static bool has_weight(const spg_csr *weights, int64_t row)
{
    for (int64_t k = fuzz_offset(weights, row); k < fuzz_offset(weights, row + 1); ++k)
        if (weight_at(weights, k) > 0) return true;
    return false;
}

static void require_draw(const spg_csr *weights, int64_t row, int32_t draw)
{
    const int64_t begin = fuzz_offset(weights, row);
    REQUIRE(draw >= 0 && draw < fuzz_offset(weights, row + 1) - begin);
    REQUIRE(weight_at(weights, begin + draw) > 0);
}

/* The status of a call by the weights' soundness; whether it went well. */
static bool is_as_expected(const spg_context *context, spg_status status, bool sound)
{
    REQUIRE((status == SPG_OK) == sound);
    if (status != SPG_OK) REQUIRE(status != SPG_ERROR_INTERNAL && strlen(spg_context_message(context)) > 0);
    return status == SPG_OK;
}

/* Uniforms, the ends among them; now and then one that is none. */
static bool take_uniforms(fuzz_input *in, int count, double *uniforms)
{
    static const double odd[] = {0, 0x1.fffffffffffffp-1, 0x1p-1074, 0.5, 0x1.fffffep-1};
    static const double wrong[] = {1, -0x1p-1074, 2, -1};
    bool sound = true;
    for (int k = 0; k < count; ++k) {
        const int64_t byte = fuzz_take(in, 1);
        uniforms[k] = byte < 5 ? odd[byte] : (double)fuzz_take(in, 2) / 65536;
        if (byte >= 254) uniforms[k] = wrong[fuzz_take(in, 1) % 4];
        sound &= uniforms[k] >= 0 && uniforms[k] < 1;
    }
    return sound;
}

static void try_alias(fuzz_input *in, spg_context *context, const spg_csr *weights, const spg_random *random)
{
    const int64_t kind = fuzz_take(in, 1);
    const spg_alias_options options = {.builder = (spg_alias_builder)(kind % 4),
                                       .resolution = (spg_alias_resolution)(kind / 4 % 2)};
    const spg_alias_draw_options drawing = {.grouped = kind / 8 % 2 != 0};
    spg_alias *alias = NULL;
    int32_t draws[DRAWS];
    const spg_status status = spg_alias_build(context, weights, &options, &alias);
    if (!is_as_expected(context, status, can_be_drawn_from(weights))) {
        REQUIRE(alias == NULL);
        return;
    }
    for (int64_t i = 0; i < weights->rows; ++i) {
        REQUIRE(spg_alias_draw(context, alias, i, DRAWS, random, &drawing, draws) == SPG_OK);
        for (int k = 0; k < DRAWS; ++k) require_draw(weights, i, draws[k]);
    }
    REQUIRE(spg_alias_draw_rows(context, alias, weights->rows, NULL, random, draws) == SPG_OK);
    for (int64_t i = 0; i < weights->rows; ++i) require_draw(weights, i, draws[i]);
    spg_alias_destroy(alias);
}

static void try_forest(fuzz_input *in, spg_context *context, const spg_csr *weights, const spg_random *random)
{
    static const double cells[] = {0, 1, 0.01, 16};
    const int64_t kind = fuzz_take(in, 1);
    const spg_forest_options options = {(spg_forest_method)(kind % 3), cells[kind / 3 % 4]};
    double uniforms[DRAWS], probabilities[DRAWS], remapped[DRAWS];
    int32_t draws[DRAWS], rows[DRAWS];
    spg_forest *forest = NULL;
    const spg_status status = spg_forest_build(context, weights, &options, &forest);
    if (!is_as_expected(context, status, can_be_drawn_from(weights))) {
        REQUIRE(forest == NULL);
        return;
    }
    if (weights->rows > 0) {
        const bool sound = take_uniforms(in, DRAWS, uniforms);
        for (int k = 0; k < DRAWS; ++k) rows[k] = k % (int32_t)weights->rows;
        spg_status drawn = spg_forest_draw(context, forest, DRAWS, rows, NULL, uniforms, draws,
                                           &(spg_forest_details){probabilities, remapped});
        for (int k = 0; is_as_expected(context, drawn, sound) && k < DRAWS; ++k) {
            require_draw(weights, rows[k], draws[k]);
            REQUIRE(probabilities[k] >= 0 && probabilities[k] <= 1 && remapped[k] >= 0 && remapped[k] < 1);
        }
        REQUIRE(spg_forest_draw_stratified(context, forest, 0, DRAWS, random, draws, NULL) == SPG_OK);
        for (int k = 0; k < DRAWS; ++k) {
            require_draw(weights, 0, draws[k]);
            REQUIRE(k == 0 || draws[k] >= draws[k - 1]);
        }
    }
    spg_forest_destroy(forest);
}

static void try_rows(fuzz_input *in, spg_context *context, const spg_csr *weights, const spg_random *random)
{
    const spg_butterfly_method method = (spg_butterfly_method)(fuzz_take(in, 1) % 4);
    double uniforms[MOST_ROWS];
    float narrow[MOST_ROWS];
    int32_t draws[MOST_ROWS];
    bool sound = weights->rows == 0 || can_be_drawn_from(weights); /* of no rows there is nothing to draw */
    spg_status status = spg_butterfly_draw(context, weights, method, random, NULL, draws);
    for (int64_t i = 0; is_as_expected(context, status, sound) && i < weights->rows; ++i)
        require_draw(weights, i, draws[i]);
    take_uniforms(in, (int)weights->rows, uniforms);
    for (int64_t i = 0; i < weights->rows; ++i) {
        narrow[i] = (float)uniforms[i];
        const double uniform = weights->value_type == SPG_F32 ? (double)narrow[i] : uniforms[i];
        sound &= uniform >= 0 && uniform < 1;
    }
    const void *given = weights->value_type == SPG_F32 ? (const void *)narrow : uniforms;
    status = spg_butterfly_draw(context, weights, method, NULL, given, draws);
    for (int64_t i = 0; is_as_expected(context, status, sound) && i < weights->rows; ++i)
        require_draw(weights, i, draws[i]);
}

/* Counts add up, to n or to nothing; items of weight 0 have none. */
static void try_counts(fuzz_input *in, spg_context *context, const spg_csr *weights, const spg_random *random)
{
    const int64_t kind = fuzz_take(in, 1), n = (int64_t)((uint64_t)fuzz_take_entry(in) & INT64_MAX) >> kind % 64;
    const spg_draw_options options = {.empty_rows = kind % 2 != 0};
    int64_t counts[MOST_ROWS * MOST_ITEMS + 1] = {0}, trials[MOST_ROWS];
    bool sound = weights->rows == 0 || are_sound(weights, kind % 2 != 0);
    for (int64_t i = 0; i < weights->rows; ++i) {
        trials[i] = kind & 4 ? fuzz_take_entry(in) : n;
        sound &= trials[i] >= 0;
    }
    spg_context_set_draw_options(context, &options);
    const spg_status status = spg_multinomial_draw(context, weights, n, kind & 4 ? trials : NULL, random, counts);
    for (int64_t i = 0; is_as_expected(context, status, sound) && i < weights->rows; ++i) {
        uint64_t sum = 0;
        for (int64_t k = fuzz_offset(weights, i); k < fuzz_offset(weights, i + 1); ++k) {
            REQUIRE(counts[k] >= 0 && (counts[k] == 0 || weight_at(weights, k) > 0));
            sum += (uint64_t)counts[k];
        }
        REQUIRE(sum == (uint64_t)(has_weight(weights, i) ? trials[i] : 0));
    }
    spg_context_set_draw_options(context, NULL);
}

/* Different items, then -1. */
static void try_subsets(fuzz_input *in, spg_context *context, const spg_csr *weights, const spg_random *random)
{
    const int64_t k = fuzz_take(in, 1) % DRAWS;
    const spg_draw_options options = {.empty_rows = 1};
    int32_t draws[MOST_ROWS * DRAWS + 1];
    const bool sound = weights->rows == 0 || k == 0 || are_sound(weights, true);
    bool seen[MOST_ROWS * MOST_ITEMS];
    spg_context_set_draw_options(context, &options);
    const spg_status status = spg_subset_draw(context, weights, k, random, draws);
    for (int64_t i = 0; is_as_expected(context, status, sound) && k > 0 && i < weights->rows; ++i) {
        memset(seen, 0, sizeof seen);
        for (int64_t d = 0; d < k; ++d) {
            const int32_t draw = draws[i * k + d];
            if (draw == -1) continue;
            REQUIRE(d == 0 || draws[i * k + d - 1] != -1);
            require_draw(weights, i, draw);
            REQUIRE(!seen[draw]);
            seen[draw] = true;
        }
    }
    spg_context_set_draw_options(context, NULL);
}

/* New weights for the table of a graph, whose columns may be anything in range; then walks over it. */
static void try_graph(fuzz_input *in, spg_context *context, spg_csr *weights, const spg_random *random)
{
    const int64_t kind = fuzz_take(in, 1), steps = fuzz_take(in, 1) % 20;
    const spg_alias_options options = {.builder = (spg_alias_builder)(kind % 4),
                                       .resolution = (spg_alias_resolution)(kind / 4 % 2)};
    const spg_walk_options bias = {(double)(kind / 8 % 3) / 2, (double)(fuzz_take(in, 1) + 1) / 16};
    const spg_draw_options sinks = {.empty_rows = 1};
    int32_t columns[MOST_ROWS * MOST_ITEMS + 1], walks[MOST_ROWS * 21], rows[MOST_ROWS];
    spg_alias *alias = NULL;
    if (weights->rows == 0) return;
    for (int64_t k = 0; k < weights->nnz; ++k) columns[k] = (int32_t)(fuzz_take(in, 1) % weights->rows);
    weights->columns = columns;
    weights->cols = weights->rows;
    spg_context_set_draw_options(context, &sinks);
    if (is_as_expected(context, spg_alias_build(context, weights, &options, &alias), are_sound(weights, true))) {
        bool listed_are_sound = true;
        int64_t listed = 0;
        for (int64_t k = 0; k < weights->nnz; ++k) {
            const double weight = weight_of(fuzz_take(in, 1), weights->value_type);
            if (weights->value_type == SPG_F32)
                ((float *)weights->values)[k] = (float)weight;
            else
                ((double *)weights->values)[k] = weight;
        }
        for (int64_t i = kind % 2; i < weights->rows; i += 1 + kind / 64) {
            rows[listed++] = (int32_t)i;
            for (int64_t k = fuzz_offset(weights, i); k < fuzz_offset(weights, i + 1); ++k)
                listed_are_sound &= weight_at(weights, k) >= 0 && !isinf(weight_at(weights, k));
        }
        is_as_expected(context, spg_alias_rebuild(context, alias, weights, listed, rows), listed_are_sound);
        is_as_expected(context, spg_alias_rebuild(context, alias, weights, 0, NULL), are_sound(weights, true));
        const spg_status status = spg_alias_walk(context, alias, weights->rows, NULL, steps, random, &bias, walks);
        for (int64_t w = 0; status == SPG_OK && w < weights->rows * (steps + 1); ++w)
            REQUIRE(walks[w] >= -1 && walks[w] < weights->rows);
        REQUIRE(status == SPG_OK || status == SPG_ERROR_FORMAT); /* columns that do not ascend */
        spg_alias_destroy(alias);
    }
    weights->columns = NULL;
    spg_context_set_draw_options(context, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    spg_context *context = fuzz_open_context((size_t)1 << 20);
    const int64_t kind = fuzz_take(&in, 1);
    const spg_random random = {.seed = (uint64_t)fuzz_take(&in, 2), .stream = (uint64_t)fuzz_take(&in, 1)};
    spg_csr weights;
    take_weights(&in, &weights);
    switch (kind % 6) {
    case 0: try_alias(&in, context, &weights, &random); break;
    case 1: try_forest(&in, context, &weights, &random); break;
    case 2: try_rows(&in, context, &weights, &random); break;
    case 3: try_counts(&in, context, &weights, &random); break;
    case 4: try_subsets(&in, context, &weights, &random); break;
    default: try_graph(&in, context, &weights, &random); break;
    }
    free(weights.row_offsets);
    free(weights.values);
    fuzz_close_context(context);
    return 0;
}
