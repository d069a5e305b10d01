/* Drawing pixels of an image by its brightness from the caller's points of the unit square: a row by the first
 * coordinate, a column of it by the second; monotone by the library's forests, or by alias tables. */
#ifndef SPG_BENCH_IMAGE_H
#define SPG_BENCH_IMAGE_H

#include "alias_map.h"
#include "sampling_report.h"

enum { IMAGE_ROWS = 128, IMAGE_COLUMNS = 256, IMAGE_PIXELS = IMAGE_ROWS * IMAGE_COLUMNS };

typedef struct image {
    double pixels[IMAGE_PIXELS]; /* shares of the whole brightness */
    double rows[IMAGE_ROWS];
    alias_cell row_cells[IMAGE_ROWS], pixel_cells[IMAGE_PIXELS];
    spg_forest *row_forest, *pixel_forest;
} image;

typedef enum image_method { IMAGE_ALIAS, IMAGE_MONOTONE } image_method;

/* Draws of a chunk of points: where they lie in the image, in pixels. NULL: not wanted. */
typedef struct image_points {
    double *x, *y;
} image_points;

/* A night sky of much dynamic range: a gradient, a moon and lamps. */
spg_status image_make(sampling_bench *bench, image *made);
void image_drop(image *made);

/* counts[pixel] += how often the points of numbers [0, count) of Hammersley's set of `count` points fall there. */
spg_status image_draw(sampling_bench *bench, const image *from, image_method method, int64_t count, int32_t *counts,
                      const image_points *points);

#endif
