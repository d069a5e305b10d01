/* Multiplies two sparse matrices given as arrays, prints the product, and shows what an error looks like.
 *
 * Build it: cc -std=c11 multiply.c $(pkg-config --cflags --libs spg) */
#include <spg/spg.h>

#include <stdio.h>

static void print(const char *name, const spg_csr *matrix)
{
    const int32_t *offsets = matrix->row_offsets;
    const double *values = matrix->values;
    printf("%s: %lld x %lld, %lld entries\n", name, (long long)matrix->rows, (long long)matrix->cols,
           (long long)matrix->nnz);
    for (int64_t i = 0; i < matrix->rows; i++) {
        printf("  row %lld:", (long long)i);
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++) printf(" (%d) %g", matrix->columns[k], values[k]);
        printf("\n");
    }
}

int main(void)
{
    /*     2 -1  .          1  .
     * A = . .   3      B = 4  .
     *                      .  5  */
    int32_t a_offsets[] = {0, 2, 3}, a_columns[] = {0, 1, 2};
    double a_values[] = {2, -1, 3};
    spg_csr A = {.rows = 2,
                 .cols = 3,
                 .nnz = 3,
                 .offset_type = SPG_I32,
                 .value_type = SPG_F64,
                 .place = SPG_PLACE_HOST,
                 .row_offsets = a_offsets,
                 .columns = a_columns,
                 .values = a_values};
    int32_t b_offsets[] = {0, 1, 2, 3}, b_columns[] = {0, 0, 1};
    double b_values[] = {1, 4, 5};
    spg_csr B = {.rows = 3,
                 .cols = 2,
                 .nnz = 3,
                 .offset_type = SPG_I32,
                 .value_type = SPG_F64,
                 .place = SPG_PLACE_HOST,
                 .row_offsets = b_offsets,
                 .columns = b_columns,
                 .values = b_values};

    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST; /* where the arrays above are */
    spg_context *context;
    spg_status status = spg_context_create(&config, &context);
    if (status != SPG_OK) {
        fprintf(stderr, "no context: %s\n", spg_status_name(status));
        return 1;
    }

    spg_csr C;
    status = spgemm_csr(context, &A, &B, &C);
    if (status != SPG_OK) {
        fprintf(stderr, "A*B: %s: %s\n", spg_status_name(status), spg_context_message(context));
        spg_context_destroy(context);
        return 1;
    }
    print("A*B", &C);
    spg_csr_free(context, &C);

    /* The sizes do not match: spgemm_csr returns a status, leaves a message and zeroes C. */
    status = spgemm_csr(context, &B, &B, &C);
    printf("B*B: %s: %s\n", spg_status_name(status), spg_context_message(context));

    spg_context_destroy(context);
    if (fflush(stdout) != 0) return 1; /* a full disk, for example */
    return status == SPG_ERROR_SHAPE && C.row_offsets == NULL ? 0 : 1;
}
