/* Solves heat conduction through a plate of two materials by conjugate gradients with algebraic multigrid. Then the
 * materials change, and it updates the hierarchy, which keeps aggregates, patterns and plans, and solves again.
 *
 *     amg [SIDE]     SIDE x SIDE unknowns; default 200
 *
 * Build it: cc -std=c11 amg.c $(pkg-config --cflags --libs spg) */
#include <spg/spg.h>

#include <stdio.h>
#include <stdlib.h>

/* On failure, prints the call and the reason, and jumps to the clean-up. */
#define TRY(call)                                                                                                      \
    if ((status = (call)) != SPG_OK) {                                                                                 \
        fprintf(stderr, "%s: %s: %s\n", #call, spg_status_name(status), spg_context_message(context));                 \
        goto done;                                                                                                     \
    }

/* The plate's right half conducts `contrast` times as well as its left. */
static double conductivity(int column, int side, double contrast) { return column < side / 2 ? 1 : contrast; }

/* Fills A with five points a row. Between two cells is the harmonic mean of their conductivities. The temperature
 * around the plate is 0. */
static void fill(spg_csr *A, int side, double contrast)
{
    const int steps[4][2] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}}; /* in ascending order of columns */
    int32_t *offsets = A->row_offsets, k = 0;
    double *values = A->values;
    offsets[0] = 0;
    for (int32_t row = 0; row < side * side; row++) {
        const int i = row / side, j = row % side;
        const double here = conductivity(j, side, contrast);
        double sum = 0;
        int32_t diagonal = -1;
        for (int s = 0; s < 4; s++) {
            const int y = i + steps[s][0], x = j + steps[s][1];
            const int outside = y < 0 || y >= side || x < 0 || x >= side;
            const double there = outside ? here : conductivity(x, side, contrast);
            const double between = 2 * here * there / (here + there);
            if (s == 2) {
                diagonal = k++;
                A->columns[diagonal] = row;
            }
            sum += between;
            if (outside) continue;
            A->columns[k] = y * side + x;
            values[k++] = -between;
        }
        values[diagonal] = sum;
        offsets[row + 1] = k;
    }
}

static void print_line(void *user, const char *line) { fprintf(user, "%s\n", line); }

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 200;
    if (side < 1 || side > 10000) {
        fprintf(stderr, "SIDE is to be from 1 to 10000\n");
        return EXIT_FAILURE;
    }
    const int64_t rows = (int64_t)side * side;
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST; /* where the arrays below are */
    spg_context *context;
    spg_status status = spg_context_create(&config, &context);
    if (status != SPG_OK) return EXIT_FAILURE;

    spg_csr A = {0};
    spg_amg *amg = NULL;
    double *b = malloc((size_t)rows * sizeof *b), *x = calloc((size_t)rows, sizeof *x), history[201];
    if (b == NULL || x == NULL) {
        status = SPG_ERROR_MEMORY;
        goto done;
    }
    TRY(spg_csr_alloc(context, rows, rows, 5 * rows - 4 * side, SPG_I32, SPG_F64, &A));
    fill(&A, side, 10);
    for (int64_t i = 0; i < rows; i++) b[i] = 1;

    spg_amg_options options = spg_amg_options_default();
    options.smoother = SPG_SMOOTHER_CHEBYSHEV;
    options.prepare_update = 1; /* set-up takes longer, and the first update is as fast as later ones */
    TRY(spg_amg_setup(context, &A, &options, &amg));
    TRY(spg_amg_print(amg, print_line, stdout));

    spg_amg_solve_options solve = spg_amg_solve_options_default();
    spg_amg_solve_result result;
    solve.history = history;
    TRY(spg_amg_solve(context, amg, b, x, &solve, &result));
    for (int k = 0; k <= result.iterations; k++) printf("%4d  %.3e\n", k, history[k]);
    printf("Contrast 10: converged in %d iterations, %.3f each\n", result.iterations, result.convergence_factor);

    fill(&A, side, 1000); /* new values, the same pattern */
    TRY(spg_amg_update(context, amg, &A));
    TRY(spg_amg_solve(context, amg, b, x, &solve, &result)); /* x is the first guess: the solution before */
    printf("Contrast 1000: converged in %d iterations, %.3f each\n", result.iterations, result.convergence_factor);

done:
    spg_amg_destroy(amg);
    spg_csr_free(context, &A);
    spg_context_destroy(context);
    free(x);
    free(b);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
