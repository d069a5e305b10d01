/* Values of the other rows of C by a plan: a group of lanes an item.
 *
 * Input: the items with their pieces and codes (plan/plan.cuh) and the values of A and B. Output: the items' values of
 * C. The sums of an item are in shared memory. The group takes piece after piece, a product a lane. Within a piece no
 * two products meet in a sum, so sums grow in storage order. Chosen by plan/classes.cu. */
#include "../../../launch.cuh"
#include "../plan.cuh"

namespace spg
{

namespace
{

enum { MOST_THREADS = 128, MOST_SHARED = 48 << 10 };
static_assert(PLAN_LARGE_SUMS * 16 <= MOST_SHARED, "one warp always fits");
static_assert(PLAN_MIDDLE_SUMS * 16 * 4 <= MOST_SHARED, "also as four groups");

/* Pieces whose values are in flight together: more if large items leave room for few warps. */
template <typename Value, typename Code> constexpr int pieces_at_once()
{
    return sizeof(Value) <= 8 && sizeof(Code) > 1 ? 8 : 4;
}

/* Up to Count pieces; those beyond the item's last are empty. */
template <int Count> struct some_pieces {
    uint64_t word[Count];

    __device__ void load(const uint64_t *pieces, int64_t left)
    {
#pragma unroll
        for (int u = 0; u < Count; u++) word[u] = u < left ? pieces[u] : 0;
    }
    __device__ bool has(int u, int lane) const { return lane < piece_length(word[u]); }
};

/* All lanes of the warp call it, with items of different lengths. */
template <typename Value, typename Code>
__device__ inline void add_products(const plan_item &item, const plan_items &of, int lane, const Value *a_values,
                                    const Value *b_values, Value *sums)
{
    constexpr int COUNT = pieces_at_once<Value, Code>();
    const int start_bits = of.start_bits;
    const uint64_t *pieces = of.pieces + item.piece_begin;
    const Code *codes = static_cast<const Code *>(of.codes) + item.code_begin + lane;
    a_values += item.a_begin;
    b_values += lane;
    some_pieces<COUNT> next;
    next.load(pieces, item.pieces);
    for (int64_t left = item.pieces; __any_sync(~0u, left > 0); left -= COUNT, pieces += COUNT) {
        const some_pieces<COUNT> now = next;
        Value a[COUNT], b[COUNT];
        unsigned int code[COUNT], before = 0;
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            if (now.has(u, lane)) {
                code[u] = codes[before];
                b[u] = b_values[piece_start(now.word[u], start_bits)];
                a[u] = a_values[now.word[u] >> PIECE_LENGTH_BITS >> start_bits];
            }
            before += (unsigned int)piece_length(now.word[u]);
        }
        codes += before;
        next.load(pieces + COUNT, left - COUNT);
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            if (now.has(u, lane)) {
                Value *sum = sums + code[u];
                *sum = add_product(*sum, a[u], b[u]);
            }
            __syncwarp();
        }
    }
}

template <typename Value, typename Code>
__global__ void __launch_bounds__(MOST_THREADS)
    plan_group_kernel(plan_items of, const int32_t *symmetric, const Value *__restrict__ a_values,
                      const Value *__restrict__ b_values, Value *__restrict__ c_values, bool may_overlap)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const int group = threadIdx.x / of.lanes, lane = threadIdx.x % of.lanes;
    Value *sums = reinterpret_cast<Value *>(shared) + group * of.capacity;
    const int64_t at = (int64_t)blockIdx.x * (blockDim.x / of.lanes) + group;
    wait_and_trigger(may_overlap); /* the plan may be as new as the previous kernel */
    plan_item item = {};
    if (at < of.count) item = of.items[at];
    if (at >= of.upper && skips_below(symmetric)) item = {};
    for (int s = lane; s < item.n; s += of.lanes) sums[s] = zero<Value>();
    __syncwarp();
    add_products<Value, Code>(item, of, lane, a_values, b_values, sums);
    for (int s = lane; s < item.n; s += of.lanes) c_values[item.c_begin + s] = sums[s];
}

template <typename Value, typename Code>
spg_status launch(spg_context *context, cudaStream_t stream, const plan_items &items, const plan_values &values)
{
    const int group_bytes = items.capacity * (int)sizeof(Value);
    int threads = MOST_THREADS;
    while (threads > 32 && threads / items.lanes * group_bytes > MOST_SHARED) threads /= 2;
    const int groups = threads / items.lanes;
    const unsigned int blocks = (unsigned int)((items.count + groups - 1) / groups);
    return launch_programmatic(
        context, stream, "a plan's rows", blocks, (unsigned int)threads, (size_t)groups * (size_t)group_bytes,
        plan_group_kernel<Value, Code>, items, values.symmetric, static_cast<const Value *>(values.a),
        static_cast<const Value *>(values.b), static_cast<Value *>(values.c), values.may_overlap);
}

} // namespace

spg_status run_items(spg_context *context, cudaStream_t stream, const plan_items &items, const plan_values &values)
{
    return with_value_type(values.type, [&](auto value) {
        using Value = decltype(value);
        return items.code_bytes == 1 ? launch<Value, uint8_t>(context, stream, items, values)
                                     : launch<Value, uint16_t>(context, stream, items, values);
    });
}

} // namespace spg
