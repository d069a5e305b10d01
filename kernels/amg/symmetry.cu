/* Tests whether a matrix is symmetric bit for bit, and makes a product symmetric.
 *
 * Entry (i, j) above the diagonal and entry (j, i) below it have the same fingerprint, 64 bits from i, j and the
 * value's bits. A is symmetric if the fingerprints above and below have the same sum. So A is read once, in order,
 * without searches: bisection took 338 us on tet3d, this 60 (spgemm_bench, H200, R*A*P). A single differing pair is
 * always found, because the fingerprint of an entry distinguishes all values of 8 bytes; several differences cancel
 * with a probability of about 2^-62.
 *
 * An update also asks for the inverse of the diagonal, which needs no second pass.
 *
 * To make a product symmetric, a group of lanes takes a row and finds the image of entry (i, j) by bisection in row j.
 * Allocates nothing, and never waits. */
#include "symmetry.cuh"

#include <algorithm>

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_A_LANE = 2, FINGERPRINTS_A_LANE = 8 }; /* amg_bench, H100 */
enum { LONG_FOR_A_LANE = 64 };

/* Entries that a lane loads before it uses the first, and resident blocks a multiprocessor, which bound the registers
 * (spgemm_bench, H200, R*A*P, this kernel: fe3d27 103 us, fd2d5 28; one entry and 8 blocks 122 and 31; 4 entries and 6
 * blocks 113 and 31). */
enum { IN_FLIGHT = 4, BLOCKS_AT_ONCE = 5 };

/* Bijections. They take half the instructions of the mixer in amg/random.h, which bound this kernel. */
__device__ uint64_t fold(uint64_t x) { return x ^ x >> 32; }
__device__ uint64_t mix(uint64_t x) { return fold(fold(x) * UINT64_C(0x9E3779B97F4A7C15)); }

/* `place` is odd, so that this is a bijection of the value, too, or of each half of 16 bytes. */
__device__ uint64_t mix_value(uint64_t place, uint64_t value) { return mix(value) * place; }
__device__ uint64_t mix_value(uint64_t place, uint32_t value) { return mix_value(place, (uint64_t)value); }
__device__ uint64_t mix_value(uint64_t place, uint4 value)
{
    const uint64_t first = mix_value(place, (uint64_t)value.y << 32 | value.x);
    return mix_value(place, first ^ ((uint64_t)value.w << 32 | value.z));
}

/* The fingerprint of entry (low, high) or (high, low). */
template <typename Word> __device__ uint64_t fingerprint(int32_t low, int32_t high, Word value)
{
    const uint64_t place = mix(((uint64_t)high << 32 | (uint32_t)low) * UINT64_C(0xD1342543DE82EF95));
    return mix_value(place | 1, value);
}

/* The results of a pass over A. counters: zero between kernels, because no other kernel leaves anything in `products`,
 * which takes fingerprints above minus those below, and `faults`, which says whether a row is out of order. inverse:
 * NULL, or for real types what spg_amg_backend.inverse_diagonal gives. */
struct symmetry_sums {
    flag_post flag;
    void *inverse;
    spg_counters *counters;
    int64_t nnz;
};

/* Adds a block's results; the last block to get here writes the flag. */
__device__ void add_up(const symmetry_sums &out, unsigned long long excess, bool fault)
{
    __shared__ unsigned long long of_block;
    if (threadIdx.x == 0) of_block = 0;
    const bool any = __syncthreads_or(fault);
    excess = reduce(excess, plus());
    if (lane_in_warp() == 0) atomicAdd(&of_block, excess);
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (any) atomicOr(&out.counters->faults, 1u);
    atomicAdd(&out.counters->products, of_block);
    __threadfence();
    if (atomicAdd(&out.counters->blocks_done, 1u) != gridDim.x - 1) return;
    __threadfence();
    volatile spg_counters *found = out.counters;
    tell_flag(out.flag, found->products == 0 && found->faults == 0);
    found->products = 0;
    found->faults = found->blocks_done = 0;
}

/* Writes a row's inverse. Among the lanes with an entry on the diagonal, or among all if none has one, the group's
 * first lane writes it. All lanes of a warp call it. */
template <typename Real>
__device__ void put_inverse_of_row(Real diagonal, bool has_some, int64_t row, bool puts, int lanes, void *inverse)
{
    const unsigned int group = (lanes < WARP ? (1u << lanes) - 1 : ALL_LANES) << (lane_in_warp() & ~(lanes - 1));
    const unsigned int holders = __ballot_sync(ALL_LANES, has_some) & group;
    if (__any_sync(ALL_LANES, __popc(holders) > 1)) diagonal = combine_lanes(diagonal, lanes, plus());
    const int first = __ffs((int)(holders != 0 ? holders : group)) - 1;
    if (puts && lane_in_warp() == first) put_inverse(diagonal, inverse, row);
}

/* The range of a row's entries, clipped to the matrix: a plan's run may be given another pattern, with any offsets. */
struct row_span {
    int64_t begin, length;
};
template <typename Word> __device__ row_span span_of(const matrix_view<Word> &A, int64_t row, int64_t nnz)
{
    const int64_t begin = min(max(A.offsets[row], (int64_t)0), nnz), end = min(A.offsets[row + 1], nnz);
    return {begin, max(end - begin, (int64_t)0)};
}

/* A lane's results, and for the current row the sum of its diagonal entries. */
template <typename Word> struct findings {
    unsigned long long excess = 0;
    bool fault = false, has_some = false;
    decltype(real_of(Word{})) diagonal = 0;

    /* Adds entries `from`, from + apart, ... of a row of `length` entries. The row must ascend strictly: otherwise its
     * product would differ from its mirror image. */
    __device__ void add(const matrix_view<Word> &A, int32_t row, int64_t begin, int length, int from, int apart)
    {
        const int32_t *columns = A.columns + begin;
        const Word *values = A.values + begin;
        for (int first = from; first < length; first += IN_FLIGHT * apart) {
            int32_t column[IN_FLIGHT], before[IN_FLIGHT];
            Word value[IN_FLIGHT];
#pragma unroll
            for (int u = 0; u < IN_FLIGHT; ++u) {
                const int k = first + u * apart;
                if (k < length) {
                    column[u] = columns[k];
                    value[u] = values[k];
                    before[u] = k > 0 ? columns[k - 1] : -1;
                }
            }
#pragma unroll
            for (int u = 0; u < IN_FLIGHT; ++u) {
                if (first + u * apart >= length) break;
                fault = fault || before[u] >= column[u];
                if (column[u] == row) {
                    diagonal += real_of(value[u]);
                    has_some = true;
                    continue;
                }
                const unsigned long long found = fingerprint(min(row, column[u]), max(row, column[u]), value[u]);
                excess += column[u] > row ? found : 0 - found;
            }
        }
    }
};

/* The rows of a block that are long for a group of `lanes` lanes: a warp each. */
template <typename Word>
__device__ __noinline__ findings<Word> add_long_rows(const matrix_view<Word> &A, int lanes, int64_t nnz, void *inverse)
{
    findings<Word> found;
    const int groups = THREADS / lanes;
    const int64_t step = (int64_t)gridDim.x * groups;
    int64_t row = (int64_t)blockIdx.x * groups + (int)threadIdx.x / lanes;
    for (int64_t first = (int64_t)blockIdx.x * groups; first < A.rows; first += step, row += step) {
        const bool is_long =
            row < A.rows && (int)threadIdx.x % lanes == 0 && span_of(A, row, nnz).length > LONG_FOR_A_LANE * lanes;
        for (unsigned int rest = __ballot_sync(ALL_LANES, is_long); rest != 0; rest &= rest - 1) {
            const int64_t its = __shfl_sync(ALL_LANES, row, __ffs((int)rest) - 1);
            const row_span span = span_of(A, its, nnz);
            found.diagonal = 0;
            found.fault = found.fault || span.length > INT32_MAX / 2; /* so long a row counts as out of order */
            found.add(A, (int32_t)its, span.begin, (int)min(span.length, (int64_t)INT32_MAX / 2), lane_in_warp(), WARP);
            const auto diagonal = reduce(found.diagonal, plus());
            if (inverse != nullptr && lane_in_warp() == 0) put_inverse(diagonal, inverse, its);
        }
    }
    return found;
}

/* A group of lanes a row. */
template <typename Word>
__global__ __launch_bounds__(THREADS, BLOCKS_AT_ONCE) void add_fingerprints(matrix_view<Word> A, int lanes,
                                                                            symmetry_sums out)
{
    wait_and_trigger();
    findings<Word> found;
    bool sees_long = false;
    const int groups = THREADS / lanes, lane = (int)threadIdx.x % lanes;
    const int64_t step = (int64_t)gridDim.x * groups;
    int64_t row = (int64_t)blockIdx.x * groups + (int)threadIdx.x / lanes;
    for (int64_t first = (int64_t)blockIdx.x * groups; first < A.rows; first += step, row += step) {
        const row_span span = row < A.rows ? span_of(A, row, out.nnz) : row_span{0, 0};
        const bool is_long = span.length > LONG_FOR_A_LANE * lanes, is_mine = row < A.rows && !is_long;
        found.diagonal = 0;
        found.has_some = false;
        found.add(A, (int32_t)row, span.begin, is_mine ? (int)span.length : 0, lane, lanes);
        if (out.inverse != nullptr)
            put_inverse_of_row(found.diagonal, found.has_some, row, is_mine, lanes, out.inverse);
        sees_long = sees_long || is_long;
    }
    if (__syncthreads_or(sees_long)) {
        const findings<Word> others = add_long_rows(A, lanes, out.nnz, out.inverse);
        found.excess += others.excess;
        found.fault = found.fault || others.fault;
    }
    add_up(out, found.excess, found.fault);
}

template <typename Word> spg_status queue_search(spg_context *context, const spg_csr &A, int32_t *flag, void *inverse)
{
    spg_cuda *cuda = spg_cuda_of(context);
    const flag_post post = new_flag_post(context, flag);
    if (A.rows != A.cols)
        return for_each(context, 1, "looking for symmetry", [=] __device__(int64_t) { tell_flag(post, false); });
    const int lanes = lanes_for(A.rows, A.nnz, FINGERPRINTS_A_LANE);
    /* As many blocks as are resident, because each adds to one address. */
    const unsigned int most = (unsigned int)(cuda->multiprocessors * BLOCKS_AT_ONCE);
    return launch_programmatic(context, cuda->stream, "looking for symmetry",
                               std::min(blocks_for_groups(context, A.rows, lanes), most), THREADS, 0,
                               add_fingerprints<Word>, view_of<Word>(A), lanes,
                               symmetry_sums{post, inverse, cuda->counters, A.nnz});
}

template <typename Word>
__global__ __launch_bounds__(THREADS) void copy_images(const int32_t *flag, matrix_view<Word> C, Word *values,
                                                       void *inverse, int lanes)
{
    wait_and_trigger();
    const bool copies = *flag == 1;
    if (!copies && inverse == nullptr) return;
    for_each_row(C.rows, lanes, [&](int64_t row, int lane) {
        if (row < 0) return;
        const int64_t begin = C.offsets[row], end = C.offsets[row + 1];
        if (inverse != nullptr && lane == lanes - 1) {
            const int64_t k = find_entry(C, begin, end, (int32_t)row);
            put_inverse(k >= 0 ? real_of(values[k]) : 0, inverse, row);
        }
        for (int64_t k = begin + lane; copies && k < end && C.columns[k] < row; k += lanes) {
            int32_t column = C.columns[k];
            int64_t image = find_entry(C, C.offsets[column], C.offsets[column + 1], (int32_t)row);
            if (image >= 0) values[k] = values[image];
        }
    });
}

template <typename Word>
spg_status queue_copies(spg_context *context, const int32_t *flag, const spg_csr &C, void *inverse)
{
    if (C.rows == 0) return SPG_OK;
    const int lanes = lanes_for(C.rows, C.nnz, ENTRIES_A_LANE);
    return launch_programmatic(context, spg_cuda_of(context)->stream, "making a product symmetric",
                               blocks_for_groups(context, C.rows, lanes), THREADS, 0, copy_images<Word>, flag,
                               view_of<Word>(C), static_cast<Word *>(C.values), inverse, lanes);
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_find_symmetry(spg_context *context, const spg_csr *A, int32_t *flag)
{
    return spg_cuda_find_symmetry_and_inverse(context, A, flag, nullptr);
}

spg_status spg_cuda_find_symmetry_and_inverse(spg_context *context, const spg_csr *A, int32_t *flag, void *inverse)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_word(
        A->value_type, [&](auto word) { return spg::amg::queue_search<decltype(word)>(context, *A, flag, inverse); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_mirror(spg_context *context, const int32_t *flag, spg_csr *C, void *inverse)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_word(
        C->value_type, [&](auto word) { return spg::amg::queue_copies<decltype(word)>(context, flag, *C, inverse); });
    spg_cuda_leave(context);
    return status;
}
