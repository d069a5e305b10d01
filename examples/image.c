/* Importance sampling of an image, such as a light source in rendering. Points are drawn in proportion to brightness:
 * first a row, then a column of that row, from two levels of forests. The mapping is monotone, so evenly spread points
 * stay even. The remapped uniforms give the position within the pixel.
 *
 * Build it: cc -std=c11 image.c $(pkg-config --cflags --libs spg) -lm */
#include <spg/sampling.h>
#include <spg/spg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, COLUMNS = 128, PIXELS = ROWS * COLUMNS, POINTS = 1024, TRIALS = 64 };

/* On failure, prints the call and the reason, and jumps to the clean-up. */
#define TRY(call)                                                                                                      \
    if ((status = (call)) != SPG_OK) {                                                                                 \
        fprintf(stderr, "%s: %s: %s\n", #call, spg_status_name(status), spg_context_message(context));                 \
        goto done;                                                                                                     \
    }

typedef struct scene {
    double pixels[PIXELS], rows[ROWS]; /* brightness of pixels, and summed over rows */
    int64_t pixel_offsets[ROWS + 1], row_offsets[2];
} scene;

/* Paints a dim sky with a sun. */
static void paint(scene *s)
{
    for (int i = 0; i < ROWS; i++) {
        s->rows[i] = 0;
        for (int j = 0; j < COLUMNS; j++) {
            const double x = (j + 0.5) / COLUMNS - 0.7, y = (i + 0.5) / ROWS - 0.3;
            s->pixels[i * COLUMNS + j] = 0.2 + 0.3 * y + 500 * exp(-(x * x + y * y) / 0.0008);
            s->rows[i] += s->pixels[i * COLUMNS + j];
        }
        s->pixel_offsets[i] = (int64_t)i * COLUMNS;
    }
    s->pixel_offsets[ROWS] = PIXELS;
    s->row_offsets[0] = 0;
    s->row_offsets[1] = ROWS;
}

/* The share of light from (x, y) in the unit square that a surface reflects. */
static double response(double x, double y) { return (1 + sin(7 * x) * cos(5 * y)) / 2; }

/* The exact result: the integral of brightness times response, by 16 points a pixel. */
static double integrate(const scene *s)
{
    double sum = 0;
    for (int i = 0; i < 4 * ROWS; i++)
        for (int j = 0; j < 4 * COLUMNS; j++)
            sum += s->pixels[i / 4 * COLUMNS + j / 4] * response((j + 0.5) / (4 * COLUMNS), (i + 0.5) / (4 * ROWS));
    return sum / (16.0 * PIXELS);
}

/* Makes Hammersley's points, shifted by (u, v) around the unit square. */
static void make_points(double u, double v, double *down, double *across)
{
    for (int k = 0; k < POINTS; k++) {
        double mirrored = v, digit = 0.5, along = u + (k + 0.5) / POINTS;
        for (int bits = k; bits > 0; bits /= 2, digit /= 2) mirrored += bits % 2 * digit;
        down[k] = along < 1 ? along : along - 1;
        across[k] = mirrored < 1 ? mirrored : mirrored - 1;
    }
}

/* The estimate from points spread evenly over the image. */
static double estimate_plainly(const scene *s, const double *down, const double *across)
{
    double sum = 0;
    for (int k = 0; k < POINTS; k++)
        sum += s->pixels[(int)(down[k] * ROWS) * COLUMNS + (int)(across[k] * COLUMNS)] * response(across[k], down[k]);
    return sum / POINTS;
}

/* The estimate from points drawn by brightness: pixels, and positions (x, y) in them. Brightness over the density of
 * points is the mean brightness. */
static double estimate_by_brightness(double mean, const int32_t *rows, const int32_t *columns, const double *y,
                                     const double *x)
{
    double sum = 0;
    for (int k = 0; k < POINTS; k++) sum += response((columns[k] + x[k]) / COLUMNS, (rows[k] + y[k]) / ROWS);
    return mean * sum / POINTS;
}

int main(void)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    spg_context *context;
    spg_status status = spg_context_create(&config, &context);
    if (status != SPG_OK) return EXIT_FAILURE;

    static scene s;
    static double shifts[2 * TRIALS], down[POINTS], across[POINTS], y[POINTS], x[POINTS];
    static int32_t rows[POINTS], columns[POINTS];
    double mean = 0, plain_error = 0, error = 0;
    spg_forest *over_rows = NULL, *over_columns = NULL;
    const spg_random random = {.seed = 3};
    paint(&s);
    const double exact = integrate(&s);
    for (int k = 0; k < PIXELS; k++) mean += s.pixels[k] / PIXELS;

    /* Without columns, an item is named by its position in the row. */
    const spg_csr row_weights = {1, ROWS, ROWS, SPG_I64, SPG_F64, SPG_PLACE_HOST, s.row_offsets, NULL, s.rows};
    const spg_csr pixel_weights = {ROWS,           COLUMNS,         PIXELS, SPG_I64, SPG_F64,
                                   SPG_PLACE_HOST, s.pixel_offsets, NULL,   s.pixels};
    TRY(spg_forest_build(context, &row_weights, NULL, &over_rows));
    TRY(spg_forest_build(context, &pixel_weights, NULL, &over_columns));
    TRY(spg_random_uniforms(context, &random, 2 * TRIALS, SPG_F64, shifts));
    for (int t = 0; t < TRIALS; t++) {
        make_points(shifts[2 * t], shifts[2 * t + 1], down, across);
        const double plain = estimate_plainly(&s, down, across) / exact - 1;
        TRY(spg_forest_draw(context, over_rows, POINTS, NULL, NULL, down, rows, &(spg_forest_details){NULL, y}));
        TRY(spg_forest_draw(context, over_columns, POINTS, rows, NULL, across, columns,
                            &(spg_forest_details){NULL, x}));
        const double drawn = estimate_by_brightness(mean, rows, columns, y, x) / exact - 1;
        plain_error += plain * plain / TRIALS;
        error += drawn * drawn / TRIALS;
    }
    plain_error = sqrt(plain_error);
    error = sqrt(error);
    printf("%d points, error of %d trials: %.3f %% plainly, %.3f %% by brightness, %.0f times less\n", POINTS, TRIALS,
           100 * plain_error, 100 * error, plain_error / error);

done:
    spg_forest_destroy(over_columns);
    spg_forest_destroy(over_rows);
    spg_context_destroy(context);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_OK && error > 0 && plain_error > 10 * error ? EXIT_SUCCESS : EXIT_FAILURE;
}
