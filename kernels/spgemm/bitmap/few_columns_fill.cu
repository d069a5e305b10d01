/* Method few_columns, filling pass, for rows of medium length in a C with few columns, if rows of B fill a step or
 * more. Columns and values in one kernel.
 *
 * Input: rows of at most `slots` entries, handed out by a ticket, and c_offsets. Output: columns and values. A block
 * takes a row; its warps take steps of up to 32 products of one entry of A, four at a time. In the first pass they set
 * a bit for every column; the rank of a bit is the column's slot, its index in the row of C. In the second pass they
 * take turns to add the products at their slots, so that each sum is in storage order, and record the slots' columns.
 * long_rows goes through a row's products in two kernels (long_rows/columns.cu, long_rows/values.cu) and fills its
 * steps from several entries of A, which takes three times the instructions if one entry fills most of a step. Chosen
 * by route/binned_rows.cu. */
#include "../../primitives/bitmap.cuh"
#include "../../primitives/warp_turns.cuh"
#include "../long_rows/long_rows.cuh"

#include <type_traits>

namespace spg
{

namespace
{

enum {
    FEW_COLUMNS_WARPS = 8,   /* of a block, at most */
    FEW_COLUMNS_EACH = 2,    /* entries of A that a thread looks up together */
    FEW_COLUMNS_TURNS = 512, /* laid out together; a row of B, which is no longer than C's, has fewer */
    STEPS = 4,               /* of a turn */
    TURN = 32 * STEPS
};

/* An entry's products: those of turn t are at shift + TURN * t and after in B, below end. */
template <typename Offset> struct alignas(2 * sizeof(Offset)) entry_part {
    Offset shift, end;
};

template <typename Offset, typename Value> struct few_columns_memory {
    Value *sums;       /* by slot */
    uint32_t *map;     /* a bit for each of 16 columns, and 65536 * the rank of the first */
    uint16_t *columns; /* by slot */
    uint16_t *entries; /* of A, by turn */
    Value *a;          /* by entry, like parts */
    entry_part<Offset> *parts;
};

/* What a warp reads in a turn: a product a lane in each step; column < 0: none. */
template <typename Value> struct turn_products {
    int32_t columns[STEPS];
    Value terms[STEPS];
};

/* Lays out entries of A from `at` on, as many as fit; their units are turns. All threads call it. */
template <typename Offset, typename Value>
__device__ inline laid_entries lay_turns(const few_columns_memory<Offset, Value> &memory,
                                         const patterns<Offset> &pattern, const Value *a_values, Offset at, Offset end)
{
    const auto place = [&](uint32_t entry, uint32_t first, uint32_t last, span<Offset> row) {
        memory.parts[entry] = {row.begin - (Offset)(TURN * first), row.end};
        for (uint32_t turn = first; turn < last; ++turn) memory.entries[turn] = (uint16_t)entry;
    };
    return lay_entries<FEW_COLUMNS_EACH, FEW_COLUMNS_WARPS, TURN, FEW_COLUMNS_TURNS>(
        pattern, a_values, memory.a, at, end, [](span<Offset>(&)[FEW_COLUMNS_EACH]) {}, place);
}

/* Where a turn's products begin in B, and how many of the entry's are left for this lane and the lanes after it. */
template <typename Offset> struct turn_place {
    int entry, steps; /* 1 or STEPS; the last may be empty */
    Offset first, left;
};

template <typename Offset, typename Value>
__device__ inline turn_place<Offset> find_turn(const few_columns_memory<Offset, Value> &memory, int turn)
{
    const int entry = memory.entries[turn];
    const entry_part<Offset> part = memory.parts[entry];
    const Offset first = part.shift + (Offset)(TURN * turn), left = part.end - first;
    return {entry, left <= 32 ? 1 : (int)STEPS, first, left - (Offset)(threadIdx.x % 32)};
}

/* Calls function(steps) with `steps` as a constant. */
template <typename Function> __device__ inline void with_steps(int steps, Function &&function)
{
    if (steps == 1)
        function(std::integral_constant<int, 1>());
    else
        function(std::integral_constant<int, STEPS>());
}

template <int N, typename Offset>
__device__ inline void load_columns(const patterns<Offset> &pattern, const turn_place<Offset> &place,
                                    int32_t (&columns)[STEPS])
{
    const int32_t *b_columns = pattern.b_columns + place.first + threadIdx.x % 32;
#pragma unroll
    for (int u = 0; u < N; ++u) columns[u] = 32 * u < place.left ? b_columns[32 * u] : -1;
}

template <int N, typename Offset, typename Value>
__device__ inline void load_terms(const few_columns_memory<Offset, Value> &memory, const Value *b_values,
                                  const turn_place<Offset> &place, Value (&terms)[STEPS])
{
#pragma unroll
    for (int u = 0; u < N; ++u) {
        terms[u] = zero<Value>();
        if (32 * u < place.left) terms[u] = b_values[place.first + (Offset)(32 * u + threadIdx.x % 32)];
    }
#pragma unroll
    for (int u = 0; u < N; ++u) terms[u] = multiply(memory.a[place.entry], terms[u]);
}

/* Threads of a block: many if its sums take more than FEW_BYTES, because few of these blocks fit in shared memory
 * (spgemm_bench, H100, rmat16: 32 KB 318 us, 448 with few; 16 KB 173 and 159). */
enum { FEW_THREADS = 128, MANY_THREADS = 32 * FEW_COLUMNS_WARPS, FEW_BYTES = 16 * 1024 };

/* The capacity of a block. */
struct few_columns_shape {
    int slots, quads; /* of the map, 64 columns each */
};

/* A row to fill; row < 0: none. */
template <typename Offset> struct few_columns_row {
    int32_t row;
    span<Offset> a;
    Offset c_begin;
    int length;
};

/* Loads the block's next row while it fills the current one, because each of these loads depends on the one before.
 * Thread 0 calls it. */
template <typename Offset> struct next_row {
    const patterns<Offset> &pattern;
    const row_set &rows;
    uint32_t *ticket;
    uint32_t mine, count;
    few_columns_row<Offset> found;

    __device__ void take_ticket()
    {
        if (threadIdx.x != 0) return;
        mine = atomicAdd(ticket, 1u);
        count = (uint32_t)row_count(rows);
    }
    __device__ void find_row()
    {
        if (threadIdx.x == 0) found.row = mine < count ? row_at(rows, (int32_t)mine) : -1;
    }
    __device__ void find_places()
    {
        if (threadIdx.x != 0 || found.row < 0) return;
        found.a = a_row(pattern, found.row);
        found.c_begin = pattern.c_offsets[found.row];
        found.length = (int)(pattern.c_offsets[found.row + 1] - found.c_begin);
    }
};

/* Sets the bits of columns. */
template <int N> __device__ inline void set_bits(uint32_t *map, const int32_t (&columns)[STEPS])
{
#pragma unroll
    for (int u = 0; u < N; ++u)
        if (columns[u] >= 0) set_bit(map + columns[u] / 16, 1u << columns[u] % 16);
}

/* Writes the rank of its first column to the upper half of each word of the map. All threads call it. */
__device__ inline void rank_columns(uint32_t *map, int quads)
{
    auto *words = reinterpret_cast<uint4 *>(map);
    const int threads = (int)blockDim.x, each = (quads + threads - 1) / threads | 1; /* odd, so that threads use all
                                                                                      * banks */
    const int first = (int)threadIdx.x * each, end = min(first + each, quads);
    uint32_t own = 0;
    for (int k = first; k < end; ++k) {
        const uint4 bits = words[k];
        own += __popc(bits.x | bits.y << 16) + __popc(bits.z | bits.w << 16);
    }
    uint32_t rank = inclusive_block_sum<FEW_COLUMNS_WARPS>(own) - own;
    for (int k = first; k < end; ++k) {
        const uint4 bits = words[k];
        uint4 ranked;
        ranked.x = bits.x | rank << 16, rank += __popc(bits.x);
        ranked.y = bits.y | rank << 16, rank += __popc(bits.y);
        ranked.z = bits.z | rank << 16, rank += __popc(bits.z);
        ranked.w = bits.w | rank << 16, rank += __popc(bits.w);
        words[k] = ranked;
    }
}

/* First pass: makes the map of the row's columns. Returns whether the whole row is laid out, as `laid` then says;
 * `kept`: the warp's first turn of it. */
template <typename Offset, typename Value>
__device__ inline bool map_columns(const few_columns_memory<Offset, Value> &memory, const patterns<Offset> &pattern,
                                   const numbers<Value> &number, span<Offset> row, laid_entries &laid,
                                   turn_products<Value> &kept)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (Offset at = row.begin;;) {
        laid = lay_turns(memory, pattern, number.a_values, at, row.end);
        if (warp < laid.units) {
            const turn_place<Offset> place = find_turn(memory, warp);
            load_columns<STEPS>(pattern, place, kept.columns);
            load_terms<STEPS>(memory, number.b_values, place, kept.terms);
            set_bits<STEPS>(memory.map, kept.columns);
        }
        for (int turn = warp + warps; turn < laid.units; turn += warps) {
            const turn_place<Offset> place = find_turn(memory, turn);
            with_steps(place.steps, [&](auto steps) {
                int32_t columns[STEPS];
                load_columns<steps.value>(pattern, place, columns);
                set_bits<steps.value>(memory.map, columns);
            });
        }
        __syncthreads(); /* the bits are set, and all turns have been read before others are laid out */
        if (row.end - at <= (Offset)laid.entries) return at == row.begin;
        at += (Offset)laid.entries;
    }
}

/* Adds a turn's products when the warp has its turn. All lanes add at once, because a row of B has each column once. */
template <int N, typename Offset, typename Value>
__device__ inline void add_turn(const few_columns_memory<Offset, Value> &memory, const turn_products<Value> &loaded,
                                bool first, turns_of_warp &turns_taken)
{
    int slots[N];
    Value sums[N];
#pragma unroll
    for (int u = 0; u < N; ++u) {
        const int32_t column = max(loaded.columns[u], 0);
        const uint32_t word = memory.map[column / 16];
        slots[u] = (int)(word >> 16) + __popc(word & ((1u << column % 16) - 1));
    }
    if (!first) turns_taken.wait();
#pragma unroll
    for (int u = 0; u < N; ++u) sums[u] = memory.sums[slots[u]];
#pragma unroll
    for (int u = 0; u < N; ++u) {
        if (loaded.columns[u] < 0) continue;
        memory.sums[slots[u]] = add(sums[u], loaded.terms[u]);
        memory.columns[slots[u]] = (uint16_t)loaded.columns[u];
    }
    __syncwarp();
}

/* Second pass: adds the products that are laid out. */
template <typename Offset, typename Value>
__device__ inline void add_products(const few_columns_memory<Offset, Value> &memory, const patterns<Offset> &pattern,
                                    const Value *b_values, const laid_entries &laid, turn_products<Value> &loaded,
                                    bool is_loaded, turns_of_warp &turns_taken)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int turn = warp; turn < laid.units; turn += warps) {
        const turn_place<Offset> place = find_turn(memory, turn);
        const bool load = turn > warp || !is_loaded;
        with_steps(place.steps, [&](auto steps) {
            if (load) {
                load_columns<steps.value>(pattern, place, loaded.columns);
                load_terms<steps.value>(memory, b_values, place, loaded.terms);
            }
            add_turn<steps.value>(memory, loaded, turn == 0, turns_taken);
        });
        if (turn + 1 < laid.units) turns_taken.give();
    }
}

template <typename Offset, typename Value>
__device__ inline void fill_row(const few_columns_memory<Offset, Value> &memory, const few_columns_shape &shape,
                                const patterns<Offset> &pattern, const numbers<Value> &number,
                                const few_columns_row<Offset> &row, turns_of_warp &turns_taken, next_row<Offset> &next)
{
    turn_products<Value> loaded;
    laid_entries laid;
    next.take_ticket();
    const bool is_laid = map_columns(memory, pattern, number, row.a, laid, loaded);
    next.find_row();
    for (int k = (int)threadIdx.x; k < row.length; k += (int)blockDim.x) memory.sums[k] = zero<Value>();
    rank_columns(memory.map, shape.quads);
    __syncthreads();
    next.find_places();
    for (Offset at = row.a.begin;;) {
        if (!is_laid) laid = lay_turns(memory, pattern, number.a_values, at, row.a.end);
        add_products(memory, pattern, number.b_values, laid, loaded, is_laid, turns_taken);
        __syncthreads(); /* the sums are complete, and all turns have been read before others are laid out */
        if (row.a.end - at <= (Offset)laid.entries) break;
        at += (Offset)laid.entries;
    }
    auto *words = reinterpret_cast<uint4 *>(memory.map);
    for (int k = (int)threadIdx.x; k < shape.quads; k += (int)blockDim.x) words[k] = make_uint4(0, 0, 0, 0);
    for (int k = (int)threadIdx.x; k < row.length; k += (int)blockDim.x) {
        number.c_columns[row.c_begin + k] = memory.columns[k];
        number.c_values[row.c_begin + k] = memory.sums[k];
    }
}

template <typename Offset, typename Value>
__global__ void __launch_bounds__(MANY_THREADS, 4)
    fill_few_columns(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ numbers<Value> number,
                     const __grid_constant__ row_set rows, uint32_t *ticket, few_columns_shape shape)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ few_columns_row<Offset> dealt;
#pragma nv_diag_suppress static_var_with_dynamic_init /* init() below */
    __shared__ turn_barrier barriers[FEW_COLUMNS_WARPS];
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x < warps) init(barriers + threadIdx.x, 32);
    turns_of_warp turns_taken{barriers + warp, barriers + (warp + 1) % warps, false};
    few_columns_memory<Offset, Value> memory;
    memory.sums = reinterpret_cast<Value *>(shared);
    memory.map = reinterpret_cast<uint32_t *>(memory.sums + shape.slots);
    memory.a = reinterpret_cast<Value *>(memory.map + 4 * shape.quads);
    memory.parts = reinterpret_cast<entry_part<Offset> *>(memory.a + FEW_COLUMNS_EACH * blockDim.x);
    memory.entries = reinterpret_cast<uint16_t *>(memory.parts + FEW_COLUMNS_EACH * blockDim.x);
    memory.columns = memory.entries + FEW_COLUMNS_TURNS;
    for (int k = (int)threadIdx.x; k < 4 * shape.quads; k += (int)blockDim.x) memory.map[k] = 0;
    next_row<Offset> next{pattern, rows, ticket, 0, 0, {}};
    next.take_ticket();
    next.find_row();
    next.find_places();
    for (;;) {
        if (threadIdx.x == 0) dealt = next.found;
        __syncthreads();
        const few_columns_row<Offset> row = dealt;
        if (row.row < 0) return;
        fill_row(memory, shape, pattern, number, row, turns_taken, next);
        __syncthreads();
    }
}

template <typename Offset, typename Value> int64_t shared_bytes_of(const few_columns_shape &shape, int threads)
{
    return shape.slots * (int64_t)(sizeof(Value) + sizeof(uint16_t)) + shape.quads * 16ll + FEW_COLUMNS_TURNS * 2 +
           FEW_COLUMNS_EACH * threads * (int64_t)(sizeof(Value) + sizeof(entry_part<Offset>));
}

} // namespace

spg_status fill_rows_few_columns(cuda_product &product, const row_set &rows, int slots, uint32_t *ticket)
{
    return with_value_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        const few_columns_shape shape{slots, (int)((product.B->cols + 63) / 64)};
        const int threads = slots * (int)sizeof(Value) > FEW_BYTES ? MANY_THREADS : FEW_THREADS;
        const int64_t bytes = shared_bytes_of<Offset, Value>(shape, threads);
        auto kernel = fill_few_columns<Offset, Value>;
        int blocks = 0;
        const spg_status status = blocks_that_fill(product, kernel, threads, bytes, &blocks);
        if (status != SPG_OK) return status;
        kernel<<<blocks, threads, bytes, product.cuda->stream>>>(patterns_of<Offset>(product),
                                                                 numbers_of<Value>(product), rows, ticket, shape);
        return spg_cuda_check_launch(product.context, "filling, class few columns");
    });
}

} // namespace spg
