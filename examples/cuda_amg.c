/* Solves heat conduction in a cube by multigrid on a GPU, on arrays and a stream of its own. Then the conductivity
 * changes; the hierarchy is updated and the system solved again.
 *
 *     cuda_amg [SIDE]     SIDE x SIDE x SIDE unknowns; default 60
 *
 * Exit status 77 where there is no GPU. Build it, where the CUDA toolkit and an spg with CUDA are:
 *
 *     cc -std=c11 cuda_amg.c $(pkg-config --cflags --libs spg) -I/usr/local/cuda/include -L/usr/local/cuda/lib64 \
 *         -lcudart
 */
#include <cuda_runtime_api.h>
#include <spg/spg.h>

#include <stdio.h>
#include <stdlib.h>

enum { NO_GPU = 77 };

/* On failure, print the call and the reason, and jump to the clean-up. */
#define TRY(call)                                                                                                      \
    if ((status = (call)) != SPG_OK) {                                                                                 \
        fprintf(stderr, "%s: %s: %s\n", #call, spg_status_name(status), spg_context_message(context));                 \
        goto done;                                                                                                     \
    }
#define CUDA(call)                                                                                                     \
    if ((error = (call)) != cudaSuccess) {                                                                             \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                                                 \
        status = SPG_ERROR_DEVICE;                                                                                     \
        goto done;                                                                                                     \
    }

/* The seven-point Laplacian of side^3 points, in arrays of the host, for an upper half that conducts `contrast` times
 * as well as the lower one. Returns the number of entries. */
static int32_t fill(int side, int32_t *offsets, int32_t *columns, double *values, double contrast)
{
    const int32_t layer = side * side, steps[7] = {-layer, -side, -1, 0, 1, side, layer};
    int32_t k = 0;
    offsets[0] = 0;
    for (int32_t row = 0; row < layer * side; row++) {
        const int at[3] = {row % side, row / side % side, row / layer};
        const double conductivity = at[2] < side / 2 ? 1 : contrast;
        double sum = 0;
        int32_t diagonal = k;
        for (int s = 0; s < 7; s++) {
            if (s == 3) {
                diagonal = k;
                columns[k++] = row;
                continue;
            }
            /* Between the halves it is the harmonic mean, from both sides, so that A is symmetric. */
            const int is_between = (s == 0 && at[2] == side / 2) || (s == 6 && at[2] == side / 2 - 1);
            const double link = is_between ? 2 * contrast / (1 + contrast) : conductivity;
            sum += link;
            if (at[s < 3 ? 2 - s : s - 4] == (s < 3 ? 0 : side - 1)) continue; /* outside it is cold: 0 */
            columns[k] = row + steps[s];
            values[k++] = -link;
        }
        values[diagonal] = sum;
        offsets[row + 1] = k;
    }
    return k;
}

static void print_line(void *user, const char *line) { fprintf(user, "%s\n", line); }

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 60;
    if (side < 4 || side > 600) {
        fprintf(stderr, "SIDE is to be from 4 to 600\n");
        return EXIT_FAILURE;
    }
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        printf("There is no GPU here.\n");
        return NO_GPU;
    }

    const int64_t rows = (int64_t)side * side * side, most = 7 * rows;
    spg_context *context = NULL;
    spg_status status = SPG_ERROR_MEMORY;
    cudaError_t error = cudaSuccess;
    cudaStream_t stream = NULL;
    spg_amg *amg = NULL;
    spg_csr A = {0}; /* views of arrays from cudaMalloc */
    double *b = NULL, *x = NULL;
    int32_t *offsets = malloc((size_t)(rows + 1) * sizeof *offsets), *columns = malloc((size_t)most * sizeof *columns);
    double *values = malloc((size_t)most * sizeof *values), *ones = malloc((size_t)rows * sizeof *ones);
    if (offsets == NULL || columns == NULL || values == NULL || ones == NULL) goto done;
    const int32_t nnz = fill(side, offsets, columns, values, 10);
    for (int64_t i = 0; i < rows; i++) ones[i] = 1;

    /* The context works on the GPU that is current here, on this stream. */
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_DEVICE;
    config.stream = stream;
    status = spg_context_create(&config, &context);
    if (status == SPG_ERROR_PLACE) {
        printf("The spg that is linked here has no CUDA.\n");
        goto done;
    }
    TRY(status);
    printf("%s\n", spg_context_describe(context));

    A = (spg_csr){.rows = rows,
                  .cols = rows,
                  .nnz = nnz,
                  .offset_type = SPG_I32,
                  .value_type = SPG_F64,
                  .place = SPG_PLACE_DEVICE};
    CUDA(cudaMalloc(&A.row_offsets, (size_t)(rows + 1) * sizeof *offsets));
    CUDA(cudaMalloc((void **)&A.columns, (size_t)nnz * sizeof *columns));
    CUDA(cudaMalloc(&A.values, (size_t)nnz * sizeof *values));
    CUDA(cudaMalloc((void **)&b, (size_t)rows * sizeof *b));
    CUDA(cudaMalloc((void **)&x, (size_t)rows * sizeof *x));
    CUDA(cudaMemcpyAsync(A.row_offsets, offsets, (size_t)(rows + 1) * sizeof *offsets, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemcpyAsync(A.columns, columns, (size_t)nnz * sizeof *columns, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemcpyAsync(A.values, values, (size_t)nnz * sizeof *values, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemcpyAsync(b, ones, (size_t)rows * sizeof *b, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemsetAsync(x, 0, (size_t)rows * sizeof *x, stream)); /* the first guess */

    spg_amg_options options = spg_amg_options_default();
    options.smoother = SPG_SMOOTHER_CHEBYSHEV;
    options.prepare_update = 1; /* set-up takes longer, and the first update is as fast as later ones */
    TRY(spg_amg_setup(context, &A, &options, &amg));
    TRY(spg_amg_print(amg, print_line, stdout));
    spg_amg_solve_result result;
    TRY(spg_amg_solve(context, amg, b, x, NULL, &result));
    printf("Contrast 10: converged in %d iterations, %.3f s\n", result.iterations, result.seconds);

    /* New values in the same arrays. The update is queued after the copy and waits for nothing. */
    fill(side, offsets, columns, values, 1000);
    CUDA(cudaMemcpyAsync(A.values, values, (size_t)nnz * sizeof *values, cudaMemcpyHostToDevice, stream));
    TRY(spg_amg_update(context, amg, &A));
    TRY(spg_amg_solve(context, amg, b, x, NULL, &result)); /* x is the first guess: the solution before */
    printf("Contrast 1000: converged in %d iterations, %.3f s\n", result.iterations, result.seconds);

done:
    spg_amg_destroy(amg);
    spg_context_destroy(context); /* before the stream that it works on */
    cudaFree(x);
    cudaFree(b);
    cudaFree(A.values);
    cudaFree(A.columns);
    cudaFree(A.row_offsets);
    if (stream != NULL) cudaStreamDestroy(stream);
    free(ones);
    free(values);
    free(columns);
    free(offsets);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_ERROR_PLACE ? NO_GPU : status == SPG_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
