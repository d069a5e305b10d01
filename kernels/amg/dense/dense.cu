/* The dense solver of the coarsest level (dense.cuh). A solve is one product with the inverse. An update queues the
 * inversion again and does not wait, unless it uses rotations. */
#include "../aggregation/components.cuh"
#include "dense.cuh"

#include "../counts.cuh"

#include "amg/numerics.h"
#include "amg/units.h"

#include <cstring>

namespace spg
{

namespace amg
{

namespace
{

/* Scales by the unknowns' magnitudes (spg_amg_dense_source), a warp a row. inverse: NULL, or R is read too. Each row
 * starts as a component of its own. */
template <typename Value>
__global__ __launch_bounds__(THREADS) void find_scaling(matrix_view<Value> A, matrix_view<Value> R,
                                                        const Value *inverse, double *scaling, int32_t *label)
{
    for_each_row(A.rows, WARP, [&](int64_t row, int lane) {
        double sum = 0, diagonal = 0, largest = 0;
        int64_t end = row >= 0 && inverse != nullptr ? R.offsets[row + 1] : 0;
        for (int64_t k = end > 0 ? R.offsets[row] + lane : 0; k < end; k += WARP) {
            const double of = fabs((double)inverse[R.columns[k]]), part = (double)R.values[k];
            if (of > 0) sum += part * part / of;
        }
        end = row >= 0 ? A.offsets[row + 1] : 0;
        for (int64_t k = row >= 0 ? A.offsets[row] + lane : 0; k < end; k += WARP) {
            const double value = (double)A.values[k];
            if (A.columns[k] == row) diagonal += value;
            largest = fmax(largest, fabs(value));
        }
        const double most = fmax(reduce(sum, plus()), fabs(reduce(diagonal, plus())));
        largest = reduce(largest, maximum());
        if (row >= 0 && lane == 0) {
            scaling[row] = spg_scaling_of(most > 0 ? most : largest);
            label[row] = (int32_t)row;
        }
    });
}

/* A lane's entry of a row. */
struct lane_entry {
    int32_t column; /* negative, and unique to the lane: no entry */
    double value;
    bool ascends; /* compared with the entry before */
};

/* The entry as it is in S A S. Updates do not check columns, so those outside the tableau count as no entry. */
template <typename Value>
__device__ lane_entry read_entry(const matrix_view<Value> &A, const double *scaling, int64_t row, int64_t begin,
                                 int64_t k, int64_t end)
{
    if (k >= end || (uint32_t)A.columns[k] >= (uint32_t)A.rows) return {-1 - lane_in_warp(), 0, true};
    const int32_t column = A.columns[k];
    const double value = (double)A.values[k] * (scaling[row] * scaling[column]);
    return {column, value, k == begin || A.columns[k - 1] < column};
}

/* Adds to what is there; duplicates are summed in order by the first lane that has one. A whole warp calls it. */
__device__ inline void add_entries(const spg_amg_dense &dense, int64_t row, const lane_entry &mine)
{
    __syncwarp();
    double sum = 0;
    unsigned int alike = __match_any_sync(ALL_LANES, mine.column);
    bool has_duplicates = __any_sync(ALL_LANES, __popc(alike) > 1);
    for (int source = 0; source < WARP && has_duplicates; ++source) {
        double passed = __shfl_sync(ALL_LANES, mine.value, source);
        if (alike >> source & 1) sum += passed;
    }
    if (mine.column >= 0 && (alike & lanes_below()) == 0)
        *dense.entry(row, mine.column) += has_duplicates ? sum : mine.value;
    __syncwarp();
}

/* Adds a row's entries to the zeroed tableau, a warp a row. While columns ascend, no entry is there yet and nothing is
 * read. */
template <typename Value> __global__ __launch_bounds__(THREADS) void spread(matrix_view<Value> A, spg_amg_dense dense)
{
    for_each_row(A.rows, WARP, [&](int64_t row, int lane) {
        const int64_t begin = row >= 0 ? A.offsets[row] : 0, end = row >= 0 ? A.offsets[row + 1] : 0;
        bool ascend = true, is_used = false;
        for (int64_t k = begin; k < end; k += ENTRIES_IN_FLIGHT * WARP) {
            lane_entry entries[ENTRIES_IN_FLIGHT];
#pragma unroll
            for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u)
                entries[u] = read_entry(A, dense.scaling, row, begin, k + u * WARP + lane, end);
#pragma unroll
            for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
                const lane_entry &mine = entries[u];
                const bool reads = mine.column >= 0;
                ascend = __all_sync(ALL_LANES, mine.ascends) && ascend;
                if (!ascend)
                    add_entries(dense, row, mine);
                else if (reads)
                    *dense.entry(row, mine.column) = mine.value;
                if (reads && mine.value != 0) {
                    is_used = dense.column_used[mine.column] = 1;
                    if (mine.column != row) connect(dense.label, (int32_t)row, mine.column);
                }
                if (reads && !isfinite(mine.value)) *dense.infinite = 1;
            }
        }
        if (is_used) dense.row_used[row] = 1;
    });
}

template <typename Value>
spg_status load(spg_context *context, const spg_amg_dense_source &source, const spg_amg_dense &dense)
{
    spg_cuda *cuda = spg_cuda_of(context);
    const matrix_view<Value> A = view_of<Value>(*source.A), R = source.R != nullptr ? view_of<Value>(*source.R) : A;
    const Value *inverse = source.R != nullptr ? static_cast<const Value *>(source.inverse) : nullptr;
    const int64_t n = dense.n, padded = dense.padded;
    cudaError_t error =
        cudaMemsetAsync(dense.tableau, 0, (size_t)(padded * padded) * sizeof *dense.tableau, cuda->stream);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(dense.row_used, 0, (3 * (size_t)padded + DENSE_FLAGS) * sizeof *dense.row_used,
                                cuda->stream);
    spg_status status = spg_cuda_check(context, error, "a dense operator");
    if (status != SPG_OK) return status;
    const unsigned int blocks = blocks_for_groups(context, n, WARP);
    find_scaling<<<blocks, THREADS, 0, cuda->stream>>>(A, R, inverse, dense.scaling, dense.label);
    spread<<<blocks, THREADS, 0, cuda->stream>>>(A, dense);
    status = spg_cuda_check_launch(context, "a dense operator");
    if (status != SPG_OK) return status;
    bool by_pivots = dense.vectors == nullptr;
    status = for_each(context, padded, "a dense operator", [=] __device__(int64_t i) {
        dense.column_of[i] = -1;
        bool is_used = i < n && dense.is_used(i);
        if (!is_used && by_pivots) *dense.entry(i, i) = 1;
        put_label(dense.label, (int32_t)i, is_used || (i < n && dense.is_in_candidates(i)));
    });
    return status == SPG_OK ? find_null_space(context, *source.A, dense) : status;
}

/* Writes S A S to the tableau, labels, and N. Queued. */
spg_status load_any(spg_context *context, const spg_amg_dense_source &source, const spg_amg_dense &dense)
{
    return with_real_type(dense.type, [&](auto value) { return load<decltype(value)>(context, source, dense); });
}

/* Whether all pivots, except those of unused unknowns, are large enough. */
__global__ __launch_bounds__(THREADS) void judge_pivots(spg_amg_dense dense)
{
    double least = INFINITY, most = 0;
    for (int64_t j = threadIdx.x; j < dense.n; j += THREADS) {
        bool is_used = dense.is_used(j);
        double pivot = dense.pivots[j];
        if (is_used) least = pivot < least ? pivot : pivot >= least ? least : -INFINITY, most = fmax(most, pivot);
    }
    least = combine_block(least, INFINITY, minimum());
    most = combine_block(most, 0.0, maximum());
    if (threadIdx.x != 0) return;
    bool is_regular = least == INFINITY || least > dense.least_share * fmax(most, dense.least);
    *dense.singular = is_regular ? 0 : 1;
}

/* Inverts what the tableau holds, A + N N^T, subtracts N N^T, and checks the pivots. Queued. */
spg_status invert(spg_context *context, const spg_amg_dense &dense)
{
    spg_status status = add_null_space(context, dense);
    if (status == SPG_OK) status = invert_definite(context, dense);
    if (status == SPG_OK) status = invert_by_pivots(context, dense);
    if (status == SPG_OK) status = subtract_null_space(context, dense);
    if (status != SPG_OK) return status;
    judge_pivots<<<1, THREADS, 0, spg_cuda_of(context)->stream>>>(dense);
    return spg_cuda_check_launch(context, "a dense operator");
}

template <typename Value>
__global__ __launch_bounds__(THREADS) void multiply(int64_t n, const double *matrix, const double *scaling,
                                                    const Value *b, Value *x)
{
    wait_and_trigger();
    for_each_row(n, WARP, [&](int64_t row, int lane) {
        double sum = 0;
        for (int64_t k = lane; k < n && row >= 0; k += WARP)
            sum = fma(matrix[row * n + k], scaling[k] * (double)b[k], sum);
        sum = reduce(sum, plus());
        if (row >= 0 && lane == 0) x[row] = (Value)(scaling[row] * sum);
    });
}

/* The arrays that a dense operator owns. */
enum { ARRAYS = 8 };

struct dense_array {
    void **memory;
    int64_t bytes;
};

void list_arrays(spg_amg_dense &dense, dense_array (&arrays)[ARRAYS])
{
    const int64_t n = dense.n, padded = dense.padded, size = sizeof(double);
    arrays[0] = {(void **)&dense.tableau, padded * padded * size};
    arrays[1] = {(void **)&dense.inverse, n * n * size};
    arrays[2] = {(void **)&dense.pivots, (padded + 1) * size};
    arrays[3] = {(void **)&dense.row_of, (6 * padded + DENSE_FLAGS) * (int64_t)sizeof(int32_t)};
    arrays[4] = {(void **)&dense.panels, 2 * padded * DENSE_PAD * size};
    arrays[5] = {(void **)&dense.scaling, n * size};
    arrays[6] = {(void **)&dense.candidate, 4 * n * dense.candidates * size};
    arrays[7] = {(void **)&dense.vectors, n * n * size};
}

/* Allocates all but the vectors. */
spg_status allocate(spg_context *context, spg_amg_dense &dense)
{
    dense_array arrays[ARRAYS];
    list_arrays(dense, arrays);
    spg_status status = SPG_OK;
    for (int k = 0; k + 1 < ARRAYS && status == SPG_OK; ++k)
        status = spg_allocate(context, arrays[k].bytes, "the dense coarse operator", arrays[k].memory);
    dense.column_of = dense.row_of + dense.padded;
    dense.row_used = dense.column_of + dense.padded;
    dense.column_used = dense.row_used + dense.padded;
    dense.nullity = dense.column_used + dense.padded;
    dense.indefinite = dense.nullity + dense.padded;
    dense.infinite = dense.indefinite + 1;
    dense.deflated = dense.indefinite + 2;
    dense.singular = dense.indefinite + 3;
    dense.label = dense.indefinite + DENSE_FLAGS;
    return status;
}

spg_status make_pseudo_inverse(spg_context *context, const spg_amg_dense_source &source, spg_amg_dense &dense)
{
    dense_array arrays[ARRAYS];
    list_arrays(dense, arrays);
    const dense_array &vectors = arrays[ARRAYS - 1];
    spg_status status = SPG_OK;
    if (dense.vectors == nullptr)
        status = spg_allocate(context, vectors.bytes, "the dense coarse operator", vectors.memory);
    if (status == SPG_OK) status = clear_counts(context);
    if (status == SPG_OK) status = load_any(context, source, dense);
    return status == SPG_OK ? invert_by_rotations(context, dense) : status;
}

/* Reads the results of the queued work. If it found the operator singular apart from N, makes a pseudo-inverse;
 * *declines: there are too many rows for that. There may be vectors already: a captured update goes by the pivots, as
 * it did when it was captured. Waits. */
spg_status settle(spg_context *context, const spg_amg_dense_source &source, spg_amg_dense &dense, bool *declines)
{
    int32_t flags[DENSE_FLAGS] = {0};
    spg_status status =
        spg_cuda_copy_bytes(context, flags, SPG_PLACE_HOST, dense.indefinite, SPG_PLACE_DEVICE, (int64_t)sizeof flags);
    if (status != SPG_OK) return status;
    if (flags[dense.infinite - dense.indefinite] != 0)
        return spg_context_fail(context, SPG_ERROR_BREAKDOWN, "the coarsest operator has values that are not finite");
    dense.is_deflated = flags[dense.deflated - dense.indefinite] != 0;
    if (flags[dense.singular - dense.indefinite] == 0) return SPG_OK;
    *declines = dense.n > SPG_AMG_MOST_SINGULAR;
    return *declines ? SPG_OK : make_pseudo_inverse(context, source, dense);
}

spg_status factor(spg_context *context, const spg_amg_dense_source &source, spg_amg_dense &dense, bool *declines)
{
    if (dense.n == 0) return SPG_OK;
    spg_status status = allocate(context, dense);
    if (status == SPG_OK) status = keep_candidates(context, source, dense);
    if (status == SPG_OK) status = load_any(context, source, dense);
    if (status == SPG_OK) status = invert(context, dense);
    return status == SPG_OK ? settle(context, source, dense, declines) : status;
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_dense_create(spg_context *context, const spg_amg_dense_source *source, spg_amg_dense **dense)
{
    const spg_csr *A = source->A;
    void *memory = nullptr;
    *dense = nullptr;
    spg_status status = spg_allocate_on_host(context, sizeof(spg_amg_dense), "a dense solver", &memory);
    if (status != SPG_OK) return status;
    spg_amg_dense *created = static_cast<spg_amg_dense *>(memory);
    memset(created, 0, sizeof *created);
    created->n = A->rows;
    created->padded = (A->rows + spg::amg::DENSE_PAD - 1) / spg::amg::DENSE_PAD * spg::amg::DENSE_PAD;
    created->type = A->value_type;
    created->candidates = source->candidates;
    created->roundings =
        SPG_AMG_NULL_ROUNDINGS * sqrt(fmax(1, source->finest_rows / (A->rows > 0 ? (double)A->rows : 1)));
    created->least = source->R != nullptr ? 1 : 0;
    created->least_share = spg_amg_least_share(A->rows, A->value_type == SPG_F32);
    bool declines = false;
    status = spg_cuda_enter(context);
    if (status == SPG_OK) {
        status = spg::amg::factor(context, *source, *created, &declines);
        spg_cuda_leave(context);
    }
    if (status != SPG_OK || declines) {
        spg_cuda_dense_destroy(context, created);
        return status;
    }
    *dense = created;
    return SPG_OK;
}

int64_t spg_cuda_dense_bytes(const spg_amg_dense *dense)
{
    spg_amg_dense of = *dense;
    spg::amg::dense_array arrays[spg::amg::ARRAYS];
    spg::amg::list_arrays(of, arrays);
    int64_t bytes = sizeof of;
    for (const spg::amg::dense_array &array : arrays) bytes += *array.memory != nullptr ? array.bytes : 0;
    return bytes;
}

spg_status spg_cuda_dense_update(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source)
{
    if (dense->n == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = dense->vectors != nullptr ? spg::amg::clear_counts(context) : SPG_OK;
    if (status == SPG_OK) status = spg::amg::load_any(context, *source, *dense);
    if (status == SPG_OK)
        status = dense->vectors != nullptr ? spg::amg::invert_by_rotations(context, *dense)
                                           : spg::amg::invert(context, *dense);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_dense_tell(spg_context *context, const spg_amg_dense *dense, double *state)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const spg_amg_dense of = *dense;
    status = spg::for_each(context, 1, "the state of a dense operator", [=] __device__(int64_t) {
        const bool is_open = *of.infinite != 0 || *of.singular != 0;
        *state = is_open ? SPG_AMG_DENSE_UNSETTLED : *of.deflated != 0 ? SPG_AMG_DENSE_DEFLATED : SPG_AMG_DENSE_PLAIN;
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_dense_settle(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source)
{
    bool declines = false;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::settle(context, *source, *dense, &declines);
    spg_cuda_leave(context);
    if (!declines) return status;
    return spg_context_fail(context, SPG_ERROR_BREAKDOWN, SPG_AMG_BECAME_SINGULAR, (long long)dense->n);
}

spg_status spg_cuda_dense_solve(spg_context *context, spg_amg_dense *dense, const void *b, void *x)
{
    if (dense->n == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(dense->type, [&](auto value) {
        using Value = decltype(value);
        unsigned int blocks = spg::amg::blocks_for_groups(context, dense->n, spg::WARP);
        return spg::launch_programmatic(context, spg_cuda_of(context)->stream, "a dense solve", blocks,
                                        spg::amg::THREADS, 0, spg::amg::multiply<Value>, dense->n, dense->inverse,
                                        dense->scaling, static_cast<const Value *>(b), static_cast<Value *>(x));
    });
    spg_cuda_leave(context);
    return status;
}

bool spg_cuda_dense_is_singular(const spg_amg_dense *dense) { return dense->vectors != nullptr || dense->is_deflated; }

void spg_cuda_dense_destroy(spg_context *context, spg_amg_dense *dense)
{
    if (dense == nullptr) return;
    spg::amg::dense_array arrays[spg::amg::ARRAYS];
    spg::amg::list_arrays(*dense, arrays);
    for (const spg::amg::dense_array &array : arrays) spg_release(context, *array.memory, array.bytes);
    spg_release_on_host(context, dense, sizeof *dense);
}
