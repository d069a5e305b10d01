/* Values of short rows of C by a plan: a thread a row.
 *
 * Input: the rows' references and codes (plan/plan.cuh) and the values of A and B. Output: the values of their rows of
 * C. The sums of a row are in shared memory, one column for each thread; they are added in storage order and written by
 * whole warps. Chosen by plan/classes.cu. */
#include "../../../launch.cuh"
#include "../plan.cuh"

namespace spg
{

namespace
{

/* PITCH_PAD = 1 avoids bank conflicts, both if neighbouring rows use their entries in the same order and when a row is
 * written. */
enum { THREADS = 128, LEAST_BLOCKS = 7, PITCH_PAD = 1, AT_ONCE = 4, MOST_SHARED = 48 << 10 };
static_assert(PLAN_THREAD_SUM_BYTES * (THREADS + PITCH_PAD) <= MOST_SHARED, "no attribute is needed");
static_assert(PLAN_THREAD_SUMS % AT_ONCE == 0 && AT_ONCE == 4, "codes come four a word");

/* The codes of one row, in order. Two words are in flight while those in the buffer are used. */
struct code_stream {
    const uint32_t *word; /* the next word */
    uint32_t words;       /* words left */
    uint32_t next, after;
    uint64_t buffer;
    int have; /* codes in the buffer */

    __device__ code_stream(const uint32_t *first, uint32_t count)
        : word(first), words(count), next(count > 0 ? first[0] : 0), after(count > 1 ? first[32] : 0), buffer(0),
          have(0)
    {
    }
    /* Fills the buffer to at least four codes, if the row has them. */
    __device__ void fill()
    {
        if (have >= AT_ONCE) return;
        buffer |= (uint64_t)next << (8 * have);
        have += 4;
        next = after;
        if (words <= 1) return;
        words--;
        word += 32;
        if (words > 1) after = word[32];
    }
    __device__ void drop(int count)
    {
        buffer >>= 8 * count;
        have -= count;
    }
};

/* Neighbouring entries of A are loaded together: they share a sector of memory, which may be evicted later. */
template <typename Value> constexpr int ENTRIES_AT_ONCE = sizeof(Value) <= 8 ? 4 : 2;

/* Entries k .. of a row of A; those beyond its end name an empty row of B. */
template <typename Value> struct entries {
    uint32_t reference[ENTRIES_AT_ONCE<Value>];
    Value a[ENTRIES_AT_ONCE<Value>];

    __device__ void load(const uint32_t *references, const Value *a_values, int k, int end)
    {
#pragma unroll
        for (int u = 0; u < ENTRIES_AT_ONCE<Value>; u++) {
            reference[u] = k + u < end ? references[k + u] : 0;
            a[u] = k + u < end ? a_values[k + u] : zero<Value>();
        }
    }
    __device__ int length(int u) const { return (int)(reference[u] & ((1u << PLAN_LENGTH_BITS) - 1)); }
    __device__ uint32_t start(int u) const { return reference[u] >> PLAN_LENGTH_BITS; }
};

template <typename Value>
__device__ inline void add_row_of_b(const Value *b, int length, Value a, code_stream &codes, Value *sums, int pitch)
{
    for (int t = 0; t < length; t += AT_ONCE) {
        Value values[AT_ONCE];
        const int count = min(length - t, (int)AT_ONCE);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) values[u] = u < count ? b[t + u] : zero<Value>();
        codes.fill();
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            if (u >= count) continue;
            Value *sum = sums + (int)(codes.buffer >> (8 * u) & 0xff) * pitch;
            *sum = add_product(*sum, a, values[u]);
        }
        codes.drop(count);
    }
}

/* Writes the rows of a warp: `lanes` lanes write each row. */
template <typename Value>
__device__ inline void write_rows(const Value *warp_sums, int pitch, uint32_t c_begin, int n, int lanes,
                                  Value *c_values)
{
    const int lane = threadIdx.x % 32;
    for (int step = 0; step < lanes; step++) {
        const int row = step * (32 / lanes) + lane / lanes;
        const uint32_t begin = __shfl_sync(~0u, c_begin, row);
        const int length = __shfl_sync(~0u, n, row);
        for (int s = lane % lanes; s < length; s += lanes) c_values[begin + (uint32_t)s] = warp_sums[s * pitch + row];
    }
}

template <typename Value>
__global__ void __launch_bounds__(THREADS, LEAST_BLOCKS)
    plan_thread_kernel(plan_thread_rows rows, int lanes, const Value *__restrict__ a_values,
                       const Value *__restrict__ b_values, Value *__restrict__ c_values, bool may_overlap)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const int pitch = THREADS + PITCH_PAD, lane = threadIdx.x % 32;
    Value *all_sums = reinterpret_cast<Value *>(shared), *sums = all_sums + threadIdx.x;
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x, warp = at / 32;
    wait_and_trigger(may_overlap);
    if (warp * 32 >= rows.count) return;
    const uint32_t lengths = at < rows.count ? rows.lengths[at] : 0;
    const int n = (int)(lengths & 0xff), a_length = (int)(lengths >> 8);
    const uint32_t c_begin = at < rows.count ? rows.c_begin[at] : 0, a_begin = at < rows.count ? rows.a_begin[at] : 0;
    const int64_t codes_begin = rows.codes_begin[warp];
    code_stream codes(rows.codes + 32 * codes_begin + lane, (uint32_t)(rows.codes_begin[warp + 1] - codes_begin));
    for (int s = 0; s < n; s++) sums[s * pitch] = zero<Value>();
    entries<Value> next;
    next.load(rows.references + a_begin, a_values + a_begin, 0, a_length);
    for (int k = 0; k < a_length; k += ENTRIES_AT_ONCE<Value>) {
        const entries<Value> now = next;
        next.load(rows.references + a_begin, a_values + a_begin, k + ENTRIES_AT_ONCE<Value>, a_length);
#pragma unroll
        for (int u = 0; u < ENTRIES_AT_ONCE<Value>; u++)
            add_row_of_b(b_values + now.start(u), now.length(u), now.a[u], codes, sums, pitch);
    }
    __syncwarp();
    write_rows(all_sums + (threadIdx.x - lane), pitch, c_begin, n, lanes, c_values);
}

template <typename Value>
spg_status launch(spg_context *context, cudaStream_t stream, const plan_thread_rows &rows, const plan_values &values)
{
    int lanes = 4;
    while (lanes < rows.longest && lanes < 16) lanes *= 2;
    const size_t bytes = (size_t)rows.longest * (THREADS + PITCH_PAD) * sizeof(Value);
    const unsigned int blocks = (unsigned int)((rows.count + THREADS - 1) / THREADS);
    return launch_programmatic(context, stream, "a plan's short rows", blocks, THREADS, bytes,
                               plan_thread_kernel<Value>, rows, lanes, static_cast<const Value *>(values.a),
                               static_cast<const Value *>(values.b), static_cast<Value *>(values.c),
                               values.may_overlap);
}

} // namespace

spg_status run_thread_rows(spg_context *context, cudaStream_t stream, const plan_thread_rows &rows,
                           const plan_values &values)
{
    return with_value_type(values.type,
                           [&](auto value) { return launch<decltype(value)>(context, stream, rows, values); });
}

} // namespace spg
