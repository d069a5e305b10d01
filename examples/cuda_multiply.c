/* Squares a matrix on a GPU, on arrays and a stream of its own, and repeats the product with new values as a CUDA
 * graph. Checks each result by its row sums.
 *
 *     cuda_multiply [SIDE]     a grid of SIDE x SIDE points; default 500
 *
 * Exit status 77 where there is no GPU. Build it, where the CUDA toolkit and an spg with CUDA are:
 *
 *     cc -std=c11 cuda_multiply.c $(pkg-config --cflags --libs spg) -I/usr/local/cuda/include -L/usr/local/cuda/lib64 \
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

/* The five-point Laplacian of side x side points, in arrays of the host. Returns the number of entries. */
static int32_t fill(int side, int32_t *offsets, int32_t *columns, double *values, double conductivity)
{
    const int steps[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
    int32_t k = 0;
    offsets[0] = 0;
    for (int32_t row = 0; row < side * side; row++) {
        for (int s = 0; s < 5; s++) {
            const int y = row / side + steps[s][0], x = row % side + steps[s][1];
            if (y < 0 || y >= side || x < 0 || x >= side) continue;
            columns[k] = y * side + x;
            values[k++] = (s == 2 ? 4 : -1) * conductivity;
        }
        offsets[row + 1] = k;
    }
    return k;
}

/* Whether the row sums of C = A*A, C times a vector of ones, are A times the row sums of A. They are whole numbers
 * here, so they must be equal. All matrices are on the host. */
static int has_right_sums(spg_context *host, const spg_csr *A, const spg_csr *C, double *ones, double *sums,
                          double *expected, double *found)
{
    for (int64_t i = 0; i < A->rows; i++) ones[i] = 1;
    if (spg_csr_spmv(host, NULL, A, ones, NULL, sums) != SPG_OK) return 0;
    if (spg_csr_spmv(host, NULL, A, sums, NULL, expected) != SPG_OK) return 0;
    if (spg_csr_spmv(host, NULL, C, ones, NULL, found) != SPG_OK) return 0;
    for (int64_t i = 0; i < A->rows; i++)
        if (found[i] != expected[i]) return 0;
    return 1;
}

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 500;
    if (side < 2 || side > 5000) {
        fprintf(stderr, "SIDE is to be from 2 to 5000\n");
        return EXIT_FAILURE;
    }
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        printf("There is no GPU here.\n");
        return NO_GPU;
    }

    const int64_t rows = (int64_t)side * side, most = 5 * rows;
    spg_context *context = NULL, *host = NULL;
    spg_status status = SPG_ERROR_MEMORY;
    cudaError_t error = cudaSuccess;
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t replay = NULL;
    spgemm_plan *plan = NULL;
    spg_csr A = {0}, C = {0}, copy = {0}; /* A: views of arrays from cudaMalloc */
    int32_t *offsets = malloc((size_t)(rows + 1) * sizeof *offsets), *columns = malloc((size_t)most * sizeof *columns);
    double *values = malloc((size_t)most * sizeof *values), *work = malloc((size_t)rows * 4 * sizeof *work);
    if (offsets == NULL || columns == NULL || values == NULL || work == NULL) goto done;
    const int32_t nnz = fill(side, offsets, columns, values, 1);

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
    config.place = SPG_PLACE_HOST; /* for the copies that are looked at */
    config.stream = NULL;
    TRY(spg_context_create(&config, &host));

    A = (spg_csr){.rows = rows,
                  .cols = rows,
                  .nnz = nnz,
                  .offset_type = SPG_I32,
                  .value_type = SPG_F64,
                  .place = SPG_PLACE_DEVICE};
    CUDA(cudaMalloc(&A.row_offsets, (size_t)(rows + 1) * sizeof *offsets));
    CUDA(cudaMalloc((void **)&A.columns, (size_t)nnz * sizeof *columns));
    CUDA(cudaMalloc(&A.values, (size_t)nnz * sizeof *values));
    CUDA(cudaMemcpyAsync(A.row_offsets, offsets, (size_t)(rows + 1) * sizeof *offsets, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemcpyAsync(A.columns, columns, (size_t)nnz * sizeof *columns, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemcpyAsync(A.values, values, (size_t)nnz * sizeof *values, cudaMemcpyHostToDevice, stream));

    /* Once. The product is queued after the copies, on the same stream. */
    const spg_csr here = {.rows = rows,
                          .cols = rows,
                          .nnz = nnz,
                          .offset_type = SPG_I32,
                          .value_type = SPG_F64,
                          .place = SPG_PLACE_HOST,
                          .row_offsets = offsets,
                          .columns = columns,
                          .values = values};
    TRY(spgemm_csr(context, &A, &A, &C));
    TRY(spg_csr_copy(host, &C, &copy)); /* waits for the device */
    int right = has_right_sums(host, &here, &copy, work, work + rows, work + 2 * rows, work + 3 * rows);
    printf("A*A has %lld entries; its row sums are %s\n", (long long)C.nnz, right ? "right" : "wrong");
    spg_csr_free(host, &copy);
    spg_csr_free(context, &C);

    /* Again and again: the first run allocates C, the captured one writes into it. */
    TRY(spgemm_plan_create(context, &A, &A, &plan));
    TRY(spgemm_plan_run(plan, &A, &A, &C));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    status = spgemm_plan_run(plan, &A, &A, &C);
    CUDA(cudaStreamEndCapture(stream, &graph));
    TRY(status);
    CUDA(cudaGraphInstantiate(&replay, graph, 0));
    for (int step = 2; right && step <= 4; step++) {
        fill(side, offsets, columns, values, step);
        CUDA(cudaMemcpyAsync(A.values, values, (size_t)nnz * sizeof *values, cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(replay, stream));
        TRY(spg_csr_copy(host, &C, &copy));
        right = has_right_sums(host, &here, &copy, work, work + rows, work + 2 * rows, work + 3 * rows);
        printf("Values times %d, by the graph: the row sums are %s\n", step, right ? "right" : "wrong");
        spg_csr_free(host, &copy);
    }
    if (!right) status = SPG_ERROR_INTERNAL;

done:
    if (replay != NULL) cudaGraphExecDestroy(replay);
    if (graph != NULL) cudaGraphDestroy(graph);
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &C);
    spg_csr_free(host, &copy);
    spg_context_destroy(host);
    spg_context_destroy(context); /* before the stream that it works on */
    cudaFree(A.values);
    cudaFree(A.columns);
    cudaFree(A.row_offsets);
    if (stream != NULL) cudaStreamDestroy(stream);
    free(work);
    free(values);
    free(columns);
    free(offsets);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_ERROR_PLACE ? NO_GPU : status == SPG_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
