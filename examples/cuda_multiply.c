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

/* Fills A, on the host, with the five-point Laplacian of side x side points, times the conductivity. */
static void fill(int side, const spg_csr *A, double conductivity)
{
    const int steps[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
    int32_t *offsets = A->row_offsets, k = 0;
    double *values = A->values;
    for (int32_t row = 0; row < side * side; row++) {
        for (int s = 0; s < 5; s++) {
            const int y = row / side + steps[s][0], x = row % side + steps[s][1];
            if (y < 0 || y >= side || x < 0 || x >= side) continue;
            A->columns[k] = y * side + x;
            values[k++] = (s == 2 ? 4 : -1) * conductivity;
        }
        offsets[row + 1] = k;
    }
}

/* Copies C = A*A to the host and looks at its row sums, C times a vector of ones: they must be A times the row sums of
 * A. All are whole numbers here, so they must be equal. `work` has room for 4 vectors. */
static spg_status check(spg_context *host, const spg_csr *A, const spg_csr *C, double *work)
{
    double *ones = work, *sums = ones + A->rows, *expected = sums + A->rows, *found = expected + A->rows;
    for (int64_t i = 0; i < A->rows; i++) ones[i] = 1;
    spg_csr copy = {0};
    spg_status status = spg_csr_copy(host, C, &copy); /* waits for the device */
    if (status == SPG_OK) status = spg_csr_spmv(host, NULL, &copy, ones, NULL, found);
    if (status == SPG_OK) status = spg_csr_spmv(host, NULL, A, ones, NULL, sums);
    if (status == SPG_OK) status = spg_csr_spmv(host, NULL, A, sums, NULL, expected);
    for (int64_t i = 0; status == SPG_OK && i < A->rows; i++)
        if (found[i] != expected[i])
            status = spg_context_fail(host, SPG_ERROR_INTERNAL, "row %lld of A*A is wrong", (long long)i);
    spg_csr_free(host, &copy);
    return status;
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

/* A*A, once. The product is queued after the copies of A, on the same stream. */
static spg_status multiply(spg_context *context, spg_context *host, const spg_csr *A, const spg_csr *here, double *work)
{
    spg_csr C;
    spg_status status;
    TRY(context, spgemm_csr(context, A, A, &C));
    TRY(host, check(host, here, &C, work));
    printf("A*A has %lld entries, and the right row sums\n", (long long)C.nnz);
done:
    spg_csr_free(context, &C);
    return status;
}

/* A*A again and again, by a plan: the first run allocates C, the captured one writes into it. */
static spg_status replay(spg_context *context, spg_context *host, cudaStream_t stream, const spg_csr *A, int side,
                         const spg_csr *here, double *work)
{
    const size_t value_bytes = (size_t)A->nnz * sizeof(double);
    spgemm_plan *plan = NULL;
    spg_csr C = {0};
    cudaGraph_t graph = NULL;
    cudaGraphExec_t launch = NULL;
    spg_status status;
    TRY(context, spgemm_plan_create(context, A, A, &plan));
    TRY(context, spgemm_plan_run(plan, A, A, &C));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const spg_status captured = spgemm_plan_run(plan, A, A, &C);
    CUDA(cudaStreamEndCapture(stream, &graph));
    TRY(context, captured);
    CUDA(cudaGraphInstantiate(&launch, graph, 0));
    for (int step = 2; step <= 4; step++) {
        fill(side, here, step);
        CUDA(cudaMemcpyAsync(A->values, here->values, value_bytes, cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(launch, stream));
        TRY(host, check(host, here, &C, work));
        printf("With %d times the values, by the graph: the right row sums\n", step);
    }
done:
    if (launch != NULL) cudaGraphExecDestroy(launch);
    if (graph != NULL) cudaGraphDestroy(graph);
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &C);
    return status;
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
    const int64_t rows = (int64_t)side * side;
    spg_context *context = NULL, *host = NULL;
    spg_status status;
    cudaStream_t stream = NULL;
    spg_csr A = {0}, here = {0}; /* on the GPU and on the host */
    double *work = NULL;

    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    TRY(host, spg_context_create(&config, &host));
    TRY(host, spg_csr_alloc(host, rows, rows, 5 * rows - 4 * side, SPG_I32, SPG_F64, &here));
    work = malloc((size_t)rows * 4 * sizeof *work);
    TRY(host, work != NULL ? SPG_OK : SPG_ERROR_MEMORY);
    fill(side, &here, 1);

    /* The context works on the GPU that is current here, on this stream. */
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    config.place = SPG_PLACE_DEVICE;
    config.stream = stream;
    status = spg_context_create(&config, &context);
    if (status == SPG_ERROR_PLACE) printf("The spg that is linked here has no CUDA.\n");
    if (status != SPG_OK) goto done;
    printf("%s\n", spg_context_describe(context));
    CUDA(upload(&here, stream, &A));
    status = multiply(context, host, &A, &here, work);
    if (status == SPG_OK) status = replay(context, host, stream, &A, side, &here, work);

done:
    spg_csr_free(host, &here);
    spg_context_destroy(host);
    spg_context_destroy(context); /* before the stream that it works on */
    cudaFree(A.values);
    cudaFree(A.columns);
    cudaFree(A.row_offsets);
    if (stream != NULL) cudaStreamDestroy(stream);
    free(work);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_ERROR_PLACE ? NO_GPU : status == SPG_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
