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
#define TRY(context, call)                                                                                             \
    if ((status = (call)) != SPG_OK) {                                                                                 \
        fprintf(stderr, "%s: %s: %s\n", #call, spg_status_name(status), spg_context_message(context));                 \
        goto done;                                                                                                     \
    }
#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error == cudaSuccess) break;                                                                               \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                                                 \
        status = SPG_ERROR_DEVICE;                                                                                     \
        goto done;                                                                                                     \
    } while (0)

/* Fills A, on the host, with the seven-point Laplacian of side^3 points, for an upper half that conducts `contrast`
 * times as well as the lower one. Around the cube the temperature is 0. */
static void fill(int side, const spg_csr *A, double contrast)
{
    const int32_t layer = side * side, steps[7] = {-layer, -side, -1, 0, 1, side, layer};
    int32_t *offsets = A->row_offsets, k = 0;
    double *values = A->values;
    for (int32_t row = 0; row < layer * side; row++) {
        const int at[3] = {row % side, row / side % side, row / layer};
        const double conductivity = at[2] < side / 2 ? 1 : contrast;
        double sum = 0;
        int32_t diagonal = k;
        for (int s = 0; s < 7; s++) {
            if (s == 3) {
                diagonal = k;
                A->columns[k++] = row;
                continue;
            }
            /* Between the halves it is the harmonic mean, from both sides, so that A is symmetric. */
            const int is_between = (s == 0 && at[2] == side / 2) || (s == 6 && at[2] == side / 2 - 1);
            const double link = is_between ? 2 * contrast / (1 + contrast) : conductivity;
            sum += link;
            if (at[s < 3 ? 2 - s : s - 4] == (s < 3 ? 0 : side - 1)) continue; /* outside */
            A->columns[k] = row + steps[s];
            values[k++] = -link;
        }
        values[diagonal] = sum;
        offsets[row + 1] = k;
    }
}

/* A view of arrays from cudaMalloc with the contents of `from`, which is on the host. */
static cudaError_t upload(const spg_csr *from, cudaStream_t stream, spg_csr *A)
{
    const size_t offset_bytes = (size_t)(from->rows + 1) * sizeof(int32_t);
    const size_t column_bytes = (size_t)from->nnz * sizeof(int32_t), value_bytes = (size_t)from->nnz * sizeof(double);
    *A = *from;
    A->place = SPG_PLACE_DEVICE;
    A->row_offsets = A->columns = A->values = NULL;
    cudaError_t error = cudaMalloc(&A->row_offsets, offset_bytes);
    if (error == cudaSuccess) error = cudaMalloc((void **)&A->columns, column_bytes);
    if (error == cudaSuccess) error = cudaMalloc(&A->values, value_bytes);
    if (error != cudaSuccess) return error;
    error = cudaMemcpyAsync(A->row_offsets, from->row_offsets, offset_bytes, cudaMemcpyHostToDevice, stream);
    if (error != cudaSuccess) return error;
    error = cudaMemcpyAsync(A->columns, from->columns, column_bytes, cudaMemcpyHostToDevice, stream);
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync(A->values, from->values, value_bytes, cudaMemcpyHostToDevice, stream);
}

static void print_line(void *user, const char *line) { fprintf(user, "%s\n", line); }

/* Solves A x = b, and once more after new values of A. b and x are on the GPU; `here` is A on the host. */
static spg_status solve(spg_context *context, cudaStream_t stream, const spg_csr *A, const double *b, double *x,
                        int side, const spg_csr *here)
{
    spg_amg *amg = NULL;
    spg_amg_solve_result result;
    spg_status status;
    spg_amg_options options = spg_amg_options_default();
    options.smoother = SPG_SMOOTHER_CHEBYSHEV;
    options.prepare_update = 1; /* set-up takes longer, and the first update is as fast as later ones */
    TRY(context, spg_amg_setup(context, A, &options, &amg));
    TRY(context, spg_amg_print(amg, print_line, stdout));
    TRY(context, spg_amg_solve(context, amg, b, x, NULL, &result));
    printf("Contrast 10: converged in %d iterations, %.3f s\n", result.iterations, result.seconds);

    /* New values in the same arrays. The update is queued after the copy and waits for nothing. */
    fill(side, here, 1000);
    CUDA(cudaMemcpyAsync(A->values, here->values, (size_t)A->nnz * sizeof(double), cudaMemcpyHostToDevice, stream));
    TRY(context, spg_amg_update(context, amg, A));
    TRY(context, spg_amg_solve(context, amg, b, x, NULL, &result)); /* x is the first guess: the solution before */
    printf("Contrast 1000: converged in %d iterations, %.3f s\n", result.iterations, result.seconds);
done:
    spg_amg_destroy(amg);
    return status;
}

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
    const int64_t layer = (int64_t)side * side, rows = layer * side;
    spg_context *context = NULL, *host = NULL;
    spg_status status;
    cudaStream_t stream = NULL;
    spg_csr A = {0}, here = {0}; /* on the GPU and on the host */
    double *ones = NULL, *b = NULL, *x = NULL;

    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    TRY(host, spg_context_create(&config, &host));
    TRY(host, spg_csr_alloc(host, rows, rows, 7 * rows - 6 * layer, SPG_I32, SPG_F64, &here));
    ones = malloc((size_t)rows * sizeof *ones);
    TRY(host, ones != NULL ? SPG_OK : SPG_ERROR_MEMORY);
    for (int64_t i = 0; i < rows; i++) ones[i] = 1;
    fill(side, &here, 10);

    /* The context works on the GPU that is current here, on this stream. */
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    config.place = SPG_PLACE_DEVICE;
    config.stream = stream;
    status = spg_context_create(&config, &context);
    if (status == SPG_ERROR_PLACE) printf("The spg that is linked here has no CUDA.\n");
    if (status != SPG_OK) goto done;
    printf("%s\n", spg_context_describe(context));
    CUDA(upload(&here, stream, &A));
    CUDA(cudaMalloc((void **)&b, (size_t)rows * sizeof *b));
    CUDA(cudaMalloc((void **)&x, (size_t)rows * sizeof *x));
    CUDA(cudaMemcpyAsync(b, ones, (size_t)rows * sizeof *b, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemsetAsync(x, 0, (size_t)rows * sizeof *x, stream)); /* the first guess */
    status = solve(context, stream, &A, b, x, side, &here);

done:
    spg_csr_free(host, &here);
    spg_context_destroy(host);
    spg_context_destroy(context); /* before the stream that it works on */
    cudaFree(x);
    cudaFree(b);
    cudaFree(A.values);
    cudaFree(A.columns);
    cudaFree(A.row_offsets);
    if (stream != NULL) cudaStreamDestroy(stream);
    free(ones);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_ERROR_PLACE ? NO_GPU : status == SPG_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
