/* What the table kernels (rows_table_count.cu, rows_table_fill.cu) share. Private.
 *
 * A group of lanes does one row of C. Its table, in shared memory, is open-addressing, keyed by column. The row of A is
 * expanded by steps: a step takes the lanes across one row of B, or across two that follow each other if both fit.
 * Entries of A come in storage order, so that a step's first row of B is summed before its second, and no two lanes on
 * one row of B meet at a column. */
#ifndef SPG_KERNELS_SPGEMM_TABLE_CUH
#define SPG_KERNELS_SPGEMM_TABLE_CUH

#include "rows.cuh"

namespace spg
{

/* Lanes of a group: few where rows of B are short, for lanes beyond a row of B idle. */
constexpr int table_lanes(int slots) { return slots <= 64 ? 8 : slots <= 128 ? 16 : 32; }
enum {
    TABLE_THREADS = 128, /* a block, unless its tables would not fit */
    TABLE_WAVES = 1,     /* blocks for each that a multiprocessor holds at a time */
    ROWS_A_STEP = 2,     /* rows of B that a step takes at most: 1 or 2 */
    STEPS_AHEAD = 2,     /* steps whose entries of B are asked for before they are needed */
    MOST_TOGETHER = 3,
    NO_COLUMN = -1 /* in an empty slot */
};
/* A step adds at most an entry a lane before the count is looked at, and probing ends only at an empty slot. */
constexpr bool steps_fit(int slots) { return slots - table_holds(slots) >= table_lanes(slots); }
static_assert(steps_fit(32) && steps_fit(64) && steps_fit(128) && steps_fit(256), "a table might fill up");
static_assert(table_holds(TABLE_MOST) < 1 << 16, "lengths of rows of B are packed by 16 bits");

struct table_shape {
    int slots, shift, lanes, together, group_bytes; /* shift: 32 - log2(slots); bytes of shared memory */
};

/* With `slot_bytes` a slot. The groups of a warp begin at different banks. */
inline table_shape table_shape_of(const row_set &rows, int slots, int together, int slot_bytes)
{
    int shift = 32;
    for (int left = slots; left > 1; left /= 2) shift--;
    return {slots, shift, table_lanes(slots), rows.rows == nullptr ? together : 1,
            (slots * slot_bytes + 127) / 128 * 128 + 32};
}

/* The lanes that work on one row. */
struct table_group {
    int lane, lanes; /* lane: in the group */
    unsigned mask;   /* of the group in its warp */
    int in_block;    /* number of the group */

    __device__ explicit table_group(const table_shape &shape)
        : lane((int)threadIdx.x & (shape.lanes - 1)), lanes(shape.lanes),
          mask((~0u >> (32 - shape.lanes)) << (threadIdx.x & 31u & ~(shape.lanes - 1u))),
          in_block((int)threadIdx.x / shape.lanes)
    {
    }
    __device__ bool any(bool what) const { return (__ballot_sync(~0u, what) & mask) != 0; }
};

/* A group's table of columns. */
struct column_table {
    int32_t *columns; /* by slot */
    int slots, shift;

    __device__ column_table(int32_t *memory, const table_shape &shape)
        : columns(memory), slots(shape.slots), shift(shape.shift)
    {
    }

    __device__ void clear(const table_group &group)
    {
        const int4 empty{NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN};
        for (int i = group.lane; i < slots / 4; i += group.lanes) reinterpret_cast<int4 *>(columns)[i] = empty;
    }
    /* The upper bits of the product: the lower ones let columns of a grid collide. */
    __device__ int first_slot(int32_t column) const { return (int)((uint32_t)column * 0x9E3779B1u >> shift); }

    __device__ int find(int32_t column) const
    {
        int slot = first_slot(column);
        while (columns[slot] != column) slot = (slot + 1) & (slots - 1);
        return slot;
    }
    __device__ int find_or_insert(int32_t column, bool &inserted)
    {
        for (int slot = first_slot(column);; slot = (slot + 1) & (slots - 1)) {
            int32_t found = *static_cast<volatile int32_t *>(columns + slot);
            if (found == NO_COLUMN) found = atomicCAS(columns + slot, NO_COLUMN, column);
            inserted = found == NO_COLUMN;
            if (inserted || found == column) return slot;
        }
    }
};

template <typename Value> __device__ inline Value shuffle(Value value, int lane, int lanes)
{
    return __shfl_sync(~0u, value, lane, lanes);
}
template <typename Real> __device__ inline complex<Real> shuffle(complex<Real> value, int lane, int lanes)
{
    return {shuffle(value.re, lane, lanes), shuffle(value.im, lane, lanes)};
}
__device__ inline none shuffle(none value, int, int) { return value; }

/* Neighbouring rows with equal columns in A, done as one; or a single row. */
template <typename Offset, int R> struct row_bundle {
    span<Offset> row[R];
    int rows;
};

/* One lane's share of a step: an entry of B, and by what each row of A multiplies it. */
template <typename Value, int R> struct table_step {
    int32_t column, left; /* left: the entry before it in its row of B, if the left lane does not have it */
    bool valid;           /* the group is not yet through with its row */
    bool live;            /* this lane has an entry */
    bool first;           /* the entry begins its row of B */
    bool later;           /* the entry's row of B comes after another of the same step */
    Value b, a[R];
};

/* The steps of a group's row. Entries of A are taken by batches, one a lane: columns are asked for two batches ahead,
 * the bounds of rows of B one. All lanes of the warp call `next` together, whatever their groups' rows. */
template <typename Offset, typename Value, int R, bool Counting> struct expansion {
    static constexpr bool has_values = !std::is_same<Value, none>::value;
    const patterns<Offset> &pattern;
    const Value *a_values, *b_values;
    const table_group &group;
    const int most; /* counting: entries of the longest row of B that a table could hold */

    Offset entry,
        entries_left; /* this lane's entry of A whose column was asked for; entries from it to the row's end */
    Offset offset[R]; /* from the first row's entries to each row's */
    int rows;
    int32_t a_column;
    Offset next_begin;
    int next_length;
    Value next_a[R];
    Offset start;     /* of the entry's row of B, less the lanes of the step before it */
    uint32_t lengths; /* of the pair's two rows of B, by 16 bits */
    Value a[R];
    Offset row_left; /* entries of A that are in no batch yet */
    int pair, pairs, base;
    bool asked; /* the batch after this one is on its way */
    unsigned faults;
    bool too_long; /* counting: a row of B alone is more than the table holds */
    unsigned long long products;

    __device__ expansion(const patterns<Offset> &pattern, const Value *a_values, const Value *b_values,
                         const table_group &group, int most)
        : pattern(pattern), a_values(a_values), b_values(b_values), group(group), most(most), faults(0)
    {
    }

    __device__ void begin(const row_bundle<Offset, R> &bundle)
    {
        const span<Offset> row = bundle.row[0];
        rows = bundle.rows;
        for (int r = 0; r < R; r++) offset[r] = r < rows ? bundle.row[r].begin - row.begin : 0;
        row_left = row.end - row.begin;
        entry = row.begin + group.lane;
        entries_left = row_left - group.lane;
        pair = pairs = base = 0;
        start = 0, lengths = 0, products = 0, too_long = false;
        for (int r = 0; r < R; r++) a[r] = Value{};
        ask_for_column();
        ask_for_bounds();
        asked = true;
    }

    __device__ void ask_for_column() { a_column = entries_left > 0 ? pattern.a_columns[entry] : NO_COLUMN; }

    __device__ void ask_for_bounds()
    {
        next_begin = 0, next_length = 0;
        if (entries_left > 0) {
            const span<Offset> row = Counting ? checked_b_row(pattern, a_column, faults) : b_row(pattern, a_column);
            const Offset length = row.end - row.begin;
            next_begin = row.begin;
            if (Counting && length > most)
                too_long = true;
            else
                next_length = (int)length;
            if constexpr (has_values)
#pragma unroll
                for (int r = 0; r < R; r++)
                    if (r == 0 || r < rows) next_a[r] = a_values[entry + offset[r]];
        }
        if (entries_left > group.lanes) entry += group.lanes;
        entries_left -= group.lanes;
        ask_for_column();
    }

    /* Where the second of two rows of B begins in a step's lanes, or in those of the steps after. */
    __device__ int boundary(int first, int second) const
    {
        return ROWS_A_STEP == 2 && first + second <= group.lanes ? first : (first + group.lanes - 1) & -group.lanes;
    }

    /* Called by the whole group. */
    __device__ void take_batch()
    {
        const int other = __shfl_xor_sync(group.mask, next_length, 1);
        const bool odd = group.lane & 1;
        const int first = odd ? other : next_length, second = odd ? next_length : other;
        lengths = (uint32_t)first | (uint32_t)second << 16;
        start = odd ? next_begin - boundary(first, second) : next_begin;
        if (Counting) products += (unsigned)next_length;
#pragma unroll
        for (int r = 0; r < R; r++) a[r] = next_a[r];
        const int entries = row_left < group.lanes ? (int)row_left : group.lanes;
        row_left -= entries;
        pairs = (entries + 1) / 2;
        pair = 0;
        asked = false;
    }

    __device__ void next(table_step<Value, R> &step)
    {
        /* Groups are out of step with each other; those that can wait ask when another has to, all by one load. */
        const bool may_ask = !asked && row_left > 0;
        if (__any_sync(~0u, may_ask && 2 * pair >= pairs) && may_ask) {
            ask_for_bounds();
            asked = true;
        }
        if (pair >= pairs && row_left > 0) take_batch();
        __syncwarp();
        step.valid = pair < pairs;
        const int source = 2 * pair & (group.lanes - 1);
        const uint32_t packed = __shfl_sync(~0u, lengths, source, group.lanes);
        const int first = (int)(packed & 0xffff), second = (int)(packed >> 16), bound = boundary(first, second);
        const int p = base + group.lane;
        const bool is_second = p >= bound;
        step.later = is_second && bound > base;
        step.first = p == (is_second ? bound : 0);
        step.live = step.valid && (is_second ? p - bound < second : p < first);
        const int owner = source + (is_second ? 1 : 0);
        const Offset k = __shfl_sync(~0u, start, owner, group.lanes) + p;
#pragma unroll
        for (int r = 0; r < R; r++) step.a[r] = shuffle(a[r], owner, group.lanes);
        step.left = step.column = NO_COLUMN;
        if (step.live) {
            step.column = pattern.b_columns[k];
            if constexpr (has_values) step.b = b_values[k];
            if (Counting && group.lane == 0 && !step.first) step.left = pattern.b_columns[k - 1];
        }
        base += group.lanes;
        if (base >= bound + second) pair += step.valid ? 1 : 0, base = 0;
    }

    /* Gives up the row: no step after this is valid. */
    __device__ void stop() { pair = pairs, row_left = 0, entries_left = 0; }

    __device__ bool warp_has_more() const { return __any_sync(~0u, pair < pairs || row_left > 0); }
};

/* Calls each(step) for every step, by the whole warp, until all its groups are through. */
template <typename Expansion, typename Value, int R, typename Each>
__device__ inline void for_each_step(Expansion &rows, Each &&each)
{
    table_step<Value, R> ahead[STEPS_AHEAD + 1];
#pragma unroll
    for (int i = 0; i < STEPS_AHEAD; i++) rows.next(ahead[i]);
    while (__any_sync(~0u, ahead[0].valid)) {
        ahead[STEPS_AHEAD].valid = ahead[STEPS_AHEAD].live = false;
        if (rows.warp_has_more()) rows.next(ahead[STEPS_AHEAD]);
        each(ahead[0]);
#pragma unroll
        for (int i = 0; i < STEPS_AHEAD; i++) ahead[i] = ahead[i + 1];
    }
}

/* The next rows that a group does, of `rows` (0: none) that follow each other: all if their columns in A are equal,
 * else the first; row(r) is where the r-th lies in A. Called by the whole warp. */
template <typename Offset, int R, typename Row>
__device__ inline row_bundle<Offset, R> bundle_rows(const patterns<Offset> &pattern, const table_group &group, int rows,
                                                    Row &&row)
{
    row_bundle<Offset, R> bundle;
    bool equal = true;
#pragma unroll
    for (int r = 0; r < R; r++) {
        bundle.row[r] = r < rows ? row(r) : span<Offset>{0, 0};
        equal =
            equal && (r >= rows || bundle.row[r].end - bundle.row[r].begin == bundle.row[0].end - bundle.row[0].begin);
    }
    const Offset length = bundle.row[0].end - bundle.row[0].begin;
    for (Offset e = group.lane; rows > 1 && equal && e < length; e += group.lanes) {
        const int32_t column = pattern.a_columns[bundle.row[0].begin + e];
#pragma unroll
        for (int r = 1; r < R; r++)
            equal = equal && (r >= rows || pattern.a_columns[bundle.row[r].begin + e] == column);
    }
    __syncwarp();
    bundle.rows = group.any(!equal) ? 1 : rows > 0 ? rows : 0;
    return bundle;
}

/* Threads of a block whose groups' tables fit in shared memory; 0 if not one warp's do. */
inline int table_block_threads(const cuda_product &product, const table_shape &shape)
{
    const int fit = product.cuda->block_shared_bytes / (shape.group_bytes * (32 / shape.lanes));
    return fit < TABLE_THREADS / 32 ? fit * 32 : TABLE_THREADS;
}

/* Queues a kernel over the units of `rows`. */
template <typename... Parameters, typename... Arguments>
spg_status launch_table(cuda_product &product, const row_set &rows, const table_shape &shape, const char *name,
                        void (*kernel)(Parameters...), Arguments... arguments)
{
    const int64_t units = ((int64_t)rows.count + shape.together - 1) / shape.together;
    if (units == 0) return SPG_OK;
    const int threads = table_block_threads(product, shape), groups = threads / shape.lanes;
    const int bytes = groups * shape.group_bytes;
    if (threads == 0) return spg_context_fail(product.context, SPG_ERROR_DEVICE, "%s: too little shared memory", name);
    int resident = 0;
    /* The most there is, always: the limit is the process's, and contexts on other threads launch too. */
    cudaError_t error =
        cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                             product.cuda->block_shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, (size_t)bytes);
    spg_status status = spg_cuda_check(product.context, error, name);
    if (status != SPG_OK) return status;
    const int64_t needed = (units + groups - 1) / groups;
    const int64_t most = (int64_t)(resident > 0 ? resident : 1) * product.cuda->multiprocessors * TABLE_WAVES;
    const int blocks = (int)(needed < most ? needed : most);
    kernel<<<blocks, threads, bytes, product.cuda->stream>>>(arguments...);
    return spg_cuda_check_launch(product.context, name);
}

} // namespace spg

#endif
