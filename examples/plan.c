/* Computes the Galerkin product P^T*A*P of algebraic multigrid, and repeats it with new values of A on the same
 * pattern. The plans keep the analysis and the pattern of each product, so the second run computes values only.
 *
 * Build it: cc -std=c11 plan.c $(pkg-config --cflags --libs spg) */
#include <spg/spg.h>

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 12, AGGREGATE = 3 };

/* On failure, prints the call and the reason, and jumps to the clean-up. */
#define TRY(call)                                                                                                      \
    if ((status = (call)) != SPG_OK) {                                                                                 \
        fprintf(stderr, "%s: %s: %s\n", #call, spg_status_name(status), spg_context_message(context));                 \
        goto done;                                                                                                     \
    }

/* Fills A with the second difference on a line, times the conductivity. A is tridiagonal. */
static void fill(spg_csr *A, double conductivity)
{
    int32_t *offsets = A->row_offsets;
    double *values = A->values;
    int32_t k = 0;
    for (int32_t i = 0; i < POINTS; i++) {
        for (int32_t j = i - 1; j <= i + 1; j++) {
            if (j < 0 || j >= POINTS) continue;
            A->columns[k] = j;
            values[k++] = (j == i ? 2 : -1) * conductivity;
        }
        offsets[i + 1] = k;
    }
}

/* Fills P: three neighbouring points become one coarse point. */
static void fill_aggregates(spg_csr *P)
{
    int32_t *offsets = P->row_offsets;
    double *values = P->values;
    for (int32_t i = 0; i < POINTS; i++) {
        offsets[i + 1] = i + 1;
        P->columns[i] = i / AGGREGATE;
        values[i] = 1;
    }
}

static void print_diagonal(const char *when, const spg_csr *matrix)
{
    const int32_t *offsets = matrix->row_offsets;
    const double *values = matrix->values;
    printf("%s, the coarse diagonal:", when);
    for (int32_t i = 0; i < matrix->rows; i++)
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            if (matrix->columns[k] == i) printf(" %g", values[k]);
    printf("\n");
}

int main(void)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    spg_context *context;
    spg_status status = spg_context_create(&config, &context);
    if (status != SPG_OK) return EXIT_FAILURE;

    spg_csr A = {0}, P = {0}, R = {0}, AP = {0},
            coarse = {0}; /* zeroed, so that spg_csr_free accepts them at any time */
    spgemm_plan *first = NULL, *second = NULL;
    TRY(spg_csr_alloc(context, POINTS, POINTS, 3 * POINTS - 2, SPG_I32, SPG_F64, &A));
    TRY(spg_csr_alloc(context, POINTS, POINTS / AGGREGATE, POINTS, SPG_I32, SPG_F64, &P));
    fill(&A, 1);
    fill_aggregates(&P);
    TRY(spg_csr_transpose(context, &P, &R));

    TRY(spgemm_plan_create(context, &A, &P, &first));
    TRY(spgemm_plan_run(first, &A, &P, &AP)); /* AP is zeroed, so this call allocates it */
    TRY(spgemm_plan_create(context, &R, &AP, &second));
    TRY(spgemm_plan_run(second, &R, &AP, &coarse));
    print_diagonal("First", &coarse);

    fill(&A, 10);                             /* new values, the same pattern */
    TRY(spgemm_plan_run(first, &A, &P, &AP)); /* overwrites the values of AP and allocates nothing */
    TRY(spgemm_plan_run(second, &R, &AP, &coarse));
    print_diagonal("With ten times the conductivity", &coarse);

done:
    spgemm_plan_destroy(second);
    spgemm_plan_destroy(first);
    spg_csr_free(context, &coarse);
    spg_csr_free(context, &AP);
    spg_csr_free(context, &R);
    spg_csr_free(context, &P);
    spg_csr_free(context, &A);
    spg_context_destroy(context);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
