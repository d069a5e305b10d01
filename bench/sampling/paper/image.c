#include "image.h"

#include "sampling_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18 };

/* Brightness at a place of the unit square. */
static double brightness(double x, double y)
{
    static const struct lamp {
        double x, y, width, strength;
    } lamps[] = {{0.72, 0.22, 0.012, 4000.0}, {0.15, 0.70, 0.006, 900.0}, {0.38, 0.74, 0.008, 600.0},
                 {0.55, 0.66, 0.004, 1500.0}, {0.90, 0.78, 0.010, 300.0}, {0.70, 0.25, 0.120, 3.0}};
    double sum = 0.02 + 0.5 * y * y * (1.2 + sin(9.0 * x)) + 0.01 * cos(40.0 * x) * cos(25.0 * y);
    for (size_t k = 0; k < sizeof lamps / sizeof *lamps; k++) {
        const double a = (x - lamps[k].x) / lamps[k].width, b = (y - lamps[k].y) / lamps[k].width;
        sum += lamps[k].strength * exp(-0.5 * (a * a + b * b));
    }
    return sum > 0.001 ? sum : 0.001;
}

static void paint(image *made)
{
    double total = 0.0;
    for (int k = 0; k < IMAGE_PIXELS; k++) {
        const double x = ((double)(k % IMAGE_COLUMNS) + 0.5) / IMAGE_COLUMNS,
                     y = (floor((double)k / IMAGE_COLUMNS) + 0.5) / IMAGE_ROWS;
        made->pixels[k] = brightness(x, y);
        total += made->pixels[k];
    }
    for (int row = 0; row < IMAGE_ROWS; row++) made->rows[row] = 0.0;
    for (int k = 0; k < IMAGE_PIXELS; k++) {
        made->pixels[k] /= total;
        made->rows[k / IMAGE_COLUMNS] += made->pixels[k];
    }
}

static spg_status build_forest(sampling_bench *bench, int64_t rows, int64_t columns, const double *weights,
                               spg_forest **forest)
{
    int64_t offsets[IMAGE_ROWS + 1];
    void *offsets_there = NULL, *weights_there = NULL;
    for (int64_t i = 0; i <= rows; i++) offsets[i] = i * columns;
    spg_status status = array_lend(bench->context, offsets, (rows + 1) * (int64_t)sizeof *offsets, &offsets_there);
    if (status == SPG_OK)
        status = array_lend(bench->context, weights, rows * columns * (int64_t)sizeof *weights, &weights_there);
    const spg_csr matrix = {.rows = rows,
                            .cols = columns,
                            .nnz = rows * columns,
                            .offset_type = SPG_I64,
                            .value_type = SPG_F64,
                            .place = bench->here.place,
                            .row_offsets = offsets_there,
                            .values = weights_there};
    const spg_forest_options options_of_forest = {SPG_FOREST_RADIX, 0};
    if (status == SPG_OK) status = spg_forest_build(bench->context, &matrix, &options_of_forest, forest);
    array_unlend(bench->context, weights_there);
    array_unlend(bench->context, offsets_there);
    return status;
}

spg_status image_make(sampling_bench *bench, image *made)
{
    memset(made, 0, sizeof *made);
    paint(made);
    bool ready = alias_map_build(IMAGE_ROWS, made->rows, made->row_cells);
    for (int row = 0; row < IMAGE_ROWS && ready; row++)
        ready =
            alias_map_build(IMAGE_COLUMNS, &made->pixels[row * IMAGE_COLUMNS], &made->pixel_cells[row * IMAGE_COLUMNS]);
    if (!ready) return spg_context_fail(bench->context, SPG_ERROR_MEMORY, "no memory for alias tables");
    spg_status status = build_forest(bench, 1, IMAGE_ROWS, made->rows, &made->row_forest);
    if (status == SPG_OK) status = build_forest(bench, IMAGE_ROWS, IMAGE_COLUMNS, made->pixels, &made->pixel_forest);
    return status;
}

void image_drop(image *made)
{
    spg_forest_destroy(made->pixel_forest);
    spg_forest_destroy(made->row_forest);
}

/* The bits of i, mirrored behind the point. */
static double radical_inverse(uint64_t i)
{
    double result = 0.0, digit = 0.5;
    for (; i != 0; i >>= 1, digit *= 0.5)
        if ((i & 1) != 0) result += digit;
    return result;
}

/* A chunk of points and what became of them, on the host; the same at the place in `there`. */
typedef struct chunk {
    int64_t first, count;
    double *u, *v, *rest_u, *rest_v; /* coordinates; their places in the interval of the row and of the pixel */
    int32_t *rows, *columns;
} chunk;

static void draw_by_alias(const image *from, chunk *part)
{
    for (int64_t k = 0; k < part->count; k++) {
        const int32_t row = alias_map(IMAGE_ROWS, from->row_cells, part->u[k], &part->rest_u[k]);
        part->rows[k] = row;
        part->columns[k] =
            alias_map(IMAGE_COLUMNS, &from->pixel_cells[row * IMAGE_COLUMNS], part->v[k], &part->rest_v[k]);
    }
}

static spg_status draw_by_forest(sampling_bench *bench, const image *from, chunk *part, chunk *there)
{
    spg_context *context = bench->context;
    const int64_t numbers = part->count * (int64_t)sizeof(double), draws = part->count * (int64_t)sizeof(int32_t);
    spg_status status = array_put(context, there->u, part->u, numbers);
    if (status == SPG_OK) status = array_put(context, there->v, part->v, numbers);
    if (status == SPG_OK)
        status = spg_forest_draw(context, from->row_forest, part->count, NULL, NULL, there->u, there->rows,
                                 &(spg_forest_details){NULL, there->rest_u});
    if (status == SPG_OK)
        status = spg_forest_draw(context, from->pixel_forest, part->count, there->rows, NULL, there->v, there->columns,
                                 &(spg_forest_details){NULL, there->rest_v});
    if (status == SPG_OK) status = array_get(context, part->rows, there->rows, draws);
    if (status == SPG_OK) status = array_get(context, part->columns, there->columns, draws);
    if (status == SPG_OK) status = array_get(context, part->rest_u, there->rest_u, numbers);
    if (status == SPG_OK) status = array_get(context, part->rest_v, there->rest_v, numbers);
    return status;
}

static spg_status allocate_chunk(spg_context *context, chunk *part)
{
    double **const numbers[] = {&part->u, &part->v, &part->rest_u, &part->rest_v};
    int32_t **const draws[] = {&part->rows, &part->columns};
    spg_status status = SPG_OK;
    void *array = NULL;
    for (int k = 0; k < 4 && status == SPG_OK; k++) {
        status = array_allocate(context, CHUNK, sizeof(double), &array);
        *numbers[k] = array;
    }
    for (int k = 0; k < 2 && status == SPG_OK; k++) {
        status = array_allocate(context, CHUNK, sizeof(int32_t), &array);
        *draws[k] = array;
    }
    return status;
}

static void free_chunk(const spg_context *context, chunk *part)
{
    array_free(context, part->u);
    array_free(context, part->v);
    array_free(context, part->rest_u);
    array_free(context, part->rest_v);
    array_free(context, part->rows);
    array_free(context, part->columns);
}

static void fill_points(int64_t all, chunk *part)
{
    for (int64_t k = 0; k < part->count; k++) {
        part->u[k] = (double)(part->first + k) / (double)all;
        part->v[k] = radical_inverse((uint64_t)(part->first + k));
    }
}

static void take(const chunk *part, int32_t *counts, const image_points *points)
{
    for (int64_t k = 0; k < part->count; k++) {
        const bool inside = part->rows[k] >= 0 && part->rows[k] < IMAGE_ROWS && part->columns[k] >= 0 &&
                            part->columns[k] < IMAGE_COLUMNS;
        if (!inside) continue; /* missing in the counts, and so an error */
        counts[part->rows[k] * IMAGE_COLUMNS + part->columns[k]]++;
        if (points == NULL) continue;
        points->x[part->first + k] = (double)part->columns[k] + part->rest_v[k];
        points->y[part->first + k] = (double)part->rows[k] + part->rest_u[k];
    }
}

spg_status image_draw(sampling_bench *bench, const image *from, image_method method, int64_t count, int32_t *counts,
                      const image_points *points)
{
    chunk part = {0}, there = {0};
    spg_status status = allocate_chunk(bench->host, &part);
    if (status == SPG_OK) status = allocate_chunk(bench->context, &there);
    for (int64_t first = 0; first < count && status == SPG_OK; first += CHUNK) {
        part.first = first;
        part.count = count - first < CHUNK ? count - first : CHUNK;
        fill_points(count, &part);
        if (method == IMAGE_ALIAS)
            draw_by_alias(from, &part);
        else
            status = draw_by_forest(bench, from, &part, &there);
        if (status == SPG_OK) take(&part, counts, points);
    }
    free_chunk(bench->context, &there);
    free_chunk(bench->host, &part);
    return status;
}
