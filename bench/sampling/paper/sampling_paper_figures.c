/* Figures 7 to 9 of Binder and Keller: what a low-discrepancy point set keeps of its evenness. */
#include "sampling_paper_figures.h"

#include "image.h"
#include "json_fields.h"
#include "progress.h"
#include "sampling_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of Figure 7, and bins that a step's samples are counted in: where in a step they lie shows how even they are.
 */
enum { STEPS = 64, PARTS = 4, BINS = STEPS * PARTS, FIRST_POWER = 13, SHOWN_POINTS = 4096 };

static void put_head(const sampling_bench *bench, int figure, const char *method, int64_t samples)
{
    fputc('{', bench->json);
    put_string(bench->json, "paper", "forest");
    put_integer(bench->json, "figure", figure);
    put_string(bench->json, "implementation", method);
    put_machine(bench->json, bench, bench->chosen->threads);
    put_integer(bench->json, "draws", samples);
}

static void put_array(FILE *stream, const char *key, const double *numbers, int64_t count)
{
    fprintf(stream, "\"%s\": [", key);
    for (int64_t k = 0; k < count; k++) fprintf(stream, "%s%.6g", k > 0 ? ", " : "", numbers[k]);
    fputs("], ", stream);
}

/* Even points must do no worse than random ones, whose error is about 1 / samples. */
static void put_error(sampling_bench *bench, int64_t samples, double error)
{
    const bool right = error * (double)samples < 4.0;
    bench->right = bench->right && right;
    if (bench->json == NULL) return;
    put_number(bench->json, "quadratic_error", true, error);
    fprintf(bench->json, "\"verified\": %s}\n", right ? "true" : "false");
}

/* The continuous curve of Figure 7 at 64 steps. */
static void fill_curve(double *curve)
{
    double total = 0.0;
    for (int k = 0; k < STEPS; k++) {
        const double x = ((double)k + 0.5) / STEPS;
        curve[k] = 0.15 + exp(-0.5 * pow((x - 0.3) / 0.05, 2.0)) + 0.6 * exp(-0.5 * pow((x - 0.68) / 0.11, 2.0));
        total += curve[k];
    }
    for (int k = 0; k < STEPS; k++) curve[k] /= total;
}

/* Samples of Figure 7: steps, and places in them. */
typedef struct curve_samples {
    int64_t count;
    double *points, *places;
    int32_t *steps;
} curve_samples;

static spg_status draw_curve(sampling_bench *bench, const double *curve, curve_samples *samples)
{
    const int64_t offsets[2] = {0, STEPS}, bytes = samples->count * (int64_t)sizeof(double);
    void *there[5] = {NULL, NULL, NULL, NULL, NULL}; /* offsets, weights, uniforms; draws, remapped */
    spg_forest *forest = NULL;
    spg_context *context = bench->context;
    spg_status status = array_lend(context, offsets, sizeof offsets, &there[0]);
    if (status == SPG_OK) status = array_lend(context, curve, STEPS * (int64_t)sizeof *curve, &there[1]);
    if (status == SPG_OK) status = array_lend(context, samples->points, bytes, &there[2]);
    if (status == SPG_OK) status = array_allocate(context, samples->count, sizeof(int32_t), &there[3]);
    if (status == SPG_OK) status = array_allocate(context, samples->count, sizeof(double), &there[4]);
    const spg_csr matrix = {1, STEPS, STEPS, SPG_I64, SPG_F64, bench->here.place, there[0], NULL, there[1]};
    if (status == SPG_OK) status = spg_forest_build(context, &matrix, NULL, &forest);
    if (status == SPG_OK)
        status = spg_forest_draw(context, forest, samples->count, NULL, NULL, there[2], there[3],
                                 &(spg_forest_details){NULL, there[4]});
    if (status == SPG_OK)
        status = array_get(context, samples->steps, there[3], samples->count * (int64_t)sizeof(int32_t));
    if (status == SPG_OK) status = array_get(context, samples->places, there[4], bytes);
    spg_forest_destroy(forest);
    for (int k = 3; k < 5; k++) array_free(context, there[k]);
    for (int k = 0; k < 3; k++) array_unlend(context, there[k]);
    return status;
}

static double report_curve(sampling_bench *bench, const char *method, const double *curve, const curve_samples *samples)
{
    double shares[BINS] = {0}, error = 0.0;
    for (int64_t k = 0; k < samples->count; k++) {
        const int bin = samples->steps[k] * PARTS + (int)(samples->places[k] * PARTS);
        if (bin >= 0 && bin < BINS) shares[bin] += 1.0 / (double)samples->count;
    }
    for (int k = 0; k < BINS; k++) {
        const double off = shares[k] - curve[k / PARTS] / PARTS;
        error += off * off;
    }
    if (bench->json != NULL) {
        put_head(bench, 7, method, samples->count);
        put_array(bench->json, "target", curve, STEPS);
        put_array(bench->json, "density", shares, BINS);
    }
    put_error(bench, samples->count, error);
    return error;
}

spg_status figure_7(sampling_bench *bench)
{
    enum { MOST = 1 << 11 };
    double curve[STEPS], points[MOST], places[MOST];
    int32_t steps[MOST];
    alias_cell cells[STEPS];
    fill_curve(curve);
    if (!alias_map_build(STEPS, curve, cells))
        return spg_context_fail(bench->context, SPG_ERROR_MEMORY, "no memory for an alias table");
    printf("\nFigure 7: quadratic error of a density of %d steps, even points\n", STEPS);
    for (int64_t count = 1 << 9; count <= MOST; count *= 4) {
        curve_samples samples = {count, points, places, steps};
        for (int64_t k = 0; k < count; k++) points[k] = ((double)k + 0.5) / (double)count;
        for (int64_t k = 0; k < count; k++) steps[k] = alias_map(STEPS, cells, points[k], &places[k]);
        const double by_alias = report_curve(bench, "alias", curve, &samples);
        const spg_status status = draw_curve(bench, curve, &samples);
        if (status != SPG_OK) return status;
        const double by_forest = report_curve(bench, "monotone", curve, &samples);
        printf("  %6lld samples: alias %.2e, monotone %.2e\n", (long long)count, by_alias, by_forest);
    }
    return SPG_OK;
}

static double error_of(const image *target, int64_t samples, const int32_t *counts)
{
    double error = 0.0;
    for (int k = 0; k < IMAGE_PIXELS; k++) {
        const double off = target->pixels[k] - (double)counts[k] / (double)samples;
        error += off * off;
    }
    return error;
}

static spg_status figure_8(sampling_bench *bench, const image *target, int32_t *counts)
{
    double *x = malloc(SHOWN_POINTS * sizeof *x), *y = malloc(SHOWN_POINTS * sizeof *y);
    const image_points points = {x, y};
    spg_status status =
        x != NULL && y != NULL ? SPG_OK : spg_context_fail(bench->context, SPG_ERROR_MEMORY, "no memory");
    for (int method = IMAGE_ALIAS; method <= IMAGE_MONOTONE && status == SPG_OK && bench->json != NULL; method++) {
        memset(counts, 0, IMAGE_PIXELS * sizeof *counts);
        status = image_draw(bench, target, (image_method)method, SHOWN_POINTS, counts, &points);
        if (status != SPG_OK) break;
        put_head(bench, 8, method == IMAGE_ALIAS ? "alias" : "monotone", SHOWN_POINTS);
        put_integer(bench->json, "rows", IMAGE_ROWS);
        put_integer(bench->json, "cols", IMAGE_COLUMNS);
        put_array(bench->json, "x", x, SHOWN_POINTS);
        put_array(bench->json, "y", y, SHOWN_POINTS);
        put_error(bench, SHOWN_POINTS, error_of(target, SHOWN_POINTS, counts));
    }
    free(y);
    free(x);
    return status;
}

static spg_status measure_error(sampling_bench *bench, const image *target, image_method method, int64_t samples,
                                int32_t *counts, double *error)
{
    memset(counts, 0, IMAGE_PIXELS * sizeof *counts);
    progress("Figure 9: %lld samples", (long long)samples);
    const spg_status status = image_draw(bench, target, method, samples, counts, NULL);
    *error = error_of(target, samples, counts);
    if (status != SPG_OK) return status;
    if (bench->json != NULL) {
        put_head(bench, 9, method == IMAGE_ALIAS ? "alias" : "monotone", samples);
        put_integer(bench->json, "items", IMAGE_PIXELS);
    }
    put_error(bench, samples, *error);
    return status;
}

static spg_status figure_9(sampling_bench *bench, const image *target, int64_t most, int32_t *counts)
{
    spg_status status = SPG_OK;
    progress_clear();
    printf("\nFigure 9: quadratic error of an image of %d x %d, Hammersley's points\n  %10s %10s %10s\n", IMAGE_COLUMNS,
           IMAGE_ROWS, "samples", "alias", "monotone");
    for (int64_t samples = INT64_C(1) << FIRST_POWER; samples <= most && status == SPG_OK; samples *= 2) {
        double by_alias = 0.0, by_forest = 0.0;
        status = measure_error(bench, target, IMAGE_ALIAS, samples, counts, &by_alias);
        if (status == SPG_OK) status = measure_error(bench, target, IMAGE_MONOTONE, samples, counts, &by_forest);
        progress_clear();
        if (status == SPG_OK)
            printf("  %10lld %10.2e %10.2e  %5.1fx\n", (long long)samples, by_alias, by_forest, by_alias / by_forest);
        fflush(stdout);
    }
    return status;
}

spg_status figures_8_and_9(sampling_bench *bench)
{
    const int64_t usual = bench->here.place == SPG_PLACE_DEVICE ? INT64_C(1) << 26 : INT64_C(1) << 22;
    image *target = malloc(sizeof *target);
    int32_t *counts = calloc(IMAGE_PIXELS, sizeof *counts);
    spg_status status = SPG_ERROR_MEMORY;
    if (target != NULL && counts != NULL) {
        status = image_make(bench, target);
        if (status == SPG_OK) status = figure_8(bench, target, counts);
        if (status == SPG_OK)
            status = figure_9(bench, target, bench->chosen->draws > 0 ? bench->chosen->draws : usual, counts);
        image_drop(target);
    } else {
        spg_context_fail(bench->context, status, "no memory for an image");
    }
    free(counts);
    free(target);
    return status;
}
