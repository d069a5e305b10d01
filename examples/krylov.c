/* Solves convection and diffusion on a square by FGMRES, without a matrix of it: the operator is a function. The
 * preconditioner is a multigrid hierarchy of the diffusion alone, whose matrix is symmetric.
 *
 *     krylov [SIDE [WIND]]     SIDE x SIDE unknowns, default 200; WIND from left to right over diffusion, default 20
 *
 * Build it: cc -std=c11 krylov.c $(pkg-config --cflags --libs spg) */
#include <spg/spg.h>

#include <stdio.h>
#include <stdlib.h>

/* On failure, prints the call and the reason, and jumps to the clean-up. */
#define TRY(call)                                                                                                      \
    if ((status = (call)) != SPG_OK) {                                                                                 \
        fprintf(stderr, "%s: %s: %s\n", #call, spg_status_name(status), spg_context_message(context));                 \
        goto done;                                                                                                     \
    }

/* The equation -(u_xx + u_yy) + wind u_x = 1 on the unit square, u = 0 around it, times the square of the distance of
 * points. Upwind differences. */
typedef struct flow {
    int side;
    double wind; /* times the distance of points; at least 0 */
} flow;

/* y = the operator times x, both on the host. The signature is that of spg_operator.apply. */
static spg_status apply_flow(void *user, spg_context *context, const void *x, void *y)
{
    const flow *of = user;
    const int n = of->side;
    const double *u = x;
    double *result = y;
    (void)context; /* its spg_context_fail would give a message with a status other than SPG_OK */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double *at = u + (size_t)i * (size_t)n + j;
            const double left = j > 0 ? at[-1] : 0, right = j < n - 1 ? at[1] : 0;
            const double above = i > 0 ? at[-n] : 0, below = i < n - 1 ? at[n] : 0;
            result[(size_t)i * (size_t)n + (size_t)j] =
                4 * *at - left - right - above - below + of->wind * (*at - left);
        }
    return SPG_OK;
}

/* Fills A with the diffusion. */
static void fill_diffusion(spg_csr *A, int side)
{
    int32_t *offsets = A->row_offsets, k = 0;
    double *values = A->values;
    offsets[0] = 0;
    for (int32_t row = 0; row < side * side; row++) {
        const int i = row / side, j = row % side;
        const int is_there[5] = {i > 0, j > 0, 1, j < side - 1, i < side - 1};
        const int32_t columns[5] = {row - side, row - 1, row, row + 1, row + side};
        for (int s = 0; s < 5; s++) {
            if (!is_there[s]) continue;
            A->columns[k] = columns[s];
            values[k++] = s == 2 ? 4 : -1;
        }
        offsets[row + 1] = k;
    }
}

/* Called after each iteration; another result than 0 would end the solve. */
static int print_residual(void *user, int iteration, double residual)
{
    fprintf(user, "%4d  %.3e\n", iteration, residual);
    return 0;
}

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 200;
    const double wind = argc > 2 ? atof(argv[2]) : 20;
    if (side < 1 || side > 10000 || !(wind >= 0)) {
        fprintf(stderr, "SIDE is to be from 1 to 10000, WIND at least 0\n");
        return EXIT_FAILURE;
    }
    const int64_t rows = (int64_t)side * side;
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST; /* where the arrays below are */
    spg_context *context;
    spg_status status = spg_context_create(&config, &context);
    if (status != SPG_OK) return EXIT_FAILURE;

    spg_csr diffusion = {0};
    spg_amg *amg = NULL;
    double *b = malloc((size_t)rows * sizeof *b), *x = malloc((size_t)rows * sizeof *x);
    if (b == NULL || x == NULL) {
        status = SPG_ERROR_MEMORY;
        goto done;
    }
    const double distance = 1.0 / (side + 1);
    for (int64_t i = 0; i < rows; i++) b[i] = distance * distance;
    TRY(spg_csr_alloc(context, rows, rows, 5 * rows - 4 * side, SPG_I32, SPG_F64, &diffusion));
    fill_diffusion(&diffusion, side);
    TRY(spg_amg_setup(context, &diffusion, NULL, &amg));

    flow of = {side, wind * distance};
    const spg_operator A = {.rows = rows, .type = SPG_F64, .user = &of, .apply = apply_flow};
    const spg_operator M = spg_amg_operator(amg);
    spg_krylov_options options = spg_krylov_options_default();
    spg_krylov_result result;
    options.method = SPG_KRYLOV_FGMRES;
    options.zero_guess = 1; /* x need not be initialised */
    options.monitor = print_residual;
    options.monitor_user = stdout;
    TRY(spg_krylov_solve(context, &A, &M, b, x, &options, &result));
    printf("%d iterations to %.1e of the right-hand side; in the middle u is %.4f\n", result.iterations,
           result.relative_residual, x[side / 2 * (side + 1)]);

done:
    spg_amg_destroy(amg);
    spg_csr_free(context, &diffusion);
    spg_context_destroy(context);
    free(x);
    free(b);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
