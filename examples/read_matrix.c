/* Reads a Matrix Market file, plain or packed by gzip, squares the matrix, and writes the product.
 *
 *     read_matrix A.mtx.gz C.mtx.gz
 *
 * Build it: cc -std=c11 read_matrix.c $(pkg-config --cflags --libs spg-io) */
#include <spg/io.h>
#include <spg/spg.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: read_matrix A.mtx C.mtx; a file ending in .gz is packed\n");
        return 1;
    }
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST; /* files are read there; spg_csr_copy in a device's context takes a matrix there */
    spg_context *context;
    if (spg_context_create(&config, &context) != SPG_OK) return 1;

    spg_csr A = {0}, C = {0};
    spg_status status = spg_read_matrix_market(context, argv[1], &A);
    if (status == SPG_OK) status = spgemm_csr(context, &A, &A, &C);
    if (status == SPG_OK) status = spg_write_matrix_market(context, argv[2], &C);
    if (status == SPG_OK)
        printf("A: %lld entries, A*A: %lld\n", (long long)A.nnz, (long long)C.nnz);
    else
        fprintf(stderr, "%s\n", spg_context_message(context)); /* file, line and fault */

    spg_csr_free(context, &C);
    spg_csr_free(context, &A);
    spg_context_destroy(context);
    if (fflush(stdout) != 0) return 1; /* a full disk, for example */
    return status == SPG_OK ? 0 : 1;
}
