/* Method few_columns, counting pass, for rows of medium work in a C with few columns: one warp takes a row and sets a
 * bit in shared memory for each of its columns.
 *
 * Input: rows, handed out by a ticket; checks that rows of B ascend strictly. Output: c_offsets[i] = length of row i.
 * The products of 32 entries of A at a time are laid end to end, so that no lane idles whether rows of B are short or
 * long (section 3.2 of the paper). For rows of some hundred products, a block a row (long_rows/columns.cu) spends more
 * on the row than on its products. Chosen by route/binned_rows.cu. */
#include "../../primitives/warp.cuh"
#include "../rows.cuh"

namespace spg
{

namespace
{

enum {
    WARPS = 4,     /* of a block */
    TOGETHER = 4,  /* steps of 32 products whose loads are in flight together */
    UNIT_WORDS = 4 /* bitmaps are multiples of it, because they are read in 16 bytes */
};

/* Least resident blocks a multiprocessor, which bounds the registers. */
template <typename Offset> constexpr int resident_blocks = sizeof(Offset) == 4 ? 10 : 8;

/* A lane's results. */
struct findings {
    unsigned long long nnz, products;
    unsigned int longest, rows, long_rows, faults;
};

/* Up to 32 entries of A with their rows of B, none empty, one a lane. Product p, if it belongs to this lane's entry, is
 * at shift + p in B. Lanes beyond the entries have no products. */
template <typename Offset> struct entry_batch {
    Offset shift;
    uint32_t start, all; /* this entry's first product; all products */
    bool some;
};

/* Lays the lanes' rows of B end to end. `order`: a byte a lane, owned by the warp. */
template <typename Offset> __device__ inline entry_batch<Offset> lay_entries(span<Offset> b, uint8_t *order)
{
    const uint32_t length = (uint32_t)(b.end - b.begin), through = inclusive_scan(length, plus{});
    entry_batch<Offset> batch{(Offset)(b.begin - (Offset)(through - length)), through - length,
                              __shfl_sync(ALL_LANES, through, WARP - 1), length > 0};
    const unsigned int with_some = __ballot_sync(ALL_LANES, batch.some);
    if ((with_some & (with_some + 1)) == 0) return batch;
    if (batch.some) order[__popc(with_some & lanes_below())] = (uint8_t)lane_in_warp();
    __syncwarp();
    batch.some = lane_in_warp() < __popc(with_some);
    const int from = batch.some ? order[lane_in_warp()] : 0;
    batch.shift = __shfl_sync(ALL_LANES, batch.shift, from);
    batch.start = __shfl_sync(ALL_LANES, batch.start, from);
    __syncwarp();
    return batch;
}

/* The lane whose entry product p + lane belongs to, for 32 products at once. `before` is the lane of product p - 1, or
 * -1, and becomes that of p + 31; `begins` has a bit for every lane where an entry begins. */
template <typename Offset>
__device__ inline int lane_of_entry(const entry_batch<Offset> &batch, uint32_t p, int &before, uint32_t &begins)
{
    const uint32_t ahead = batch.start - p;
    begins = __reduce_or_sync(ALL_LANES, batch.some && ahead < WARP ? 1u << ahead : 0u);
    const int own = before + __popc(begins & lanes_through());
    before += __popc(begins);
    return own;
}

/* Sets a column's bit if it is wanted and not yet set: most columns are set already, and a read costs less than an
 * atomic. */
__device__ inline void set_bit_if(bool wanted, uint32_t *bitmap, uint32_t column)
{
    const uint32_t bit = 1u << column % 32, at = (uint32_t)__cvta_generic_to_shared(bitmap) + column / 32 * 4;
    asm volatile("{ .reg .pred wanted, unset; .reg .b32 word; setp.ne.b32 wanted, %2, 0;\n\t"
                 "mov.b32 word, -1;\n\t"
                 "@wanted ld.volatile.shared.b32 word, [%0];\n\t"
                 "and.b32 word, word, %1;\n\t"
                 "setp.eq.and.b32 unset, word, 0, wanted;\n\t"
                 "@unset red.shared.or.b32 [%0], %1; }"
                 :
                 : "r"(at), "r"(bit), "r"((int)wanted)
                 : "memory");
}

/* Sets the bits of the columns of a batch. Counts, without branches, the products whose column is within C, and those
 * whose column is not greater than the one before in their row of B. */
template <typename Offset>
__device__ inline void set_bits(const patterns<Offset> &pattern, const entry_batch<Offset> &batch, uint32_t *bitmap,
                                unsigned int &faults)
{
    const uint32_t lane = (uint32_t)lane_in_warp(), own_bit = 1u << lane;
    uint32_t within = 0, falls = 0, last = 0; /* last: the least column with which the next step may begin */
    int before = -1;
    for (uint32_t first = 0; first < batch.all; first += WARP * TOGETHER) {
        uint32_t columns[TOGETHER], begins[TOGETHER];
#pragma unroll
        for (int u = 0; u < TOGETHER; ++u) {
            const uint32_t p = first + WARP * u;
            const int own = lane_of_entry(batch, p, before, begins[u]);
            const Offset k = __shfl_sync(ALL_LANES, batch.shift, own) + (Offset)(p + lane);
            columns[u] = p + lane < batch.all ? (uint32_t)pattern.b_columns[k] : ~0u;
        }
#pragma unroll
        for (int u = 0; u < TOGETHER; ++u) {
            const uint32_t left = __shfl_sync(ALL_LANES, columns[u] + 1, (lane + WARP - 1) % WARP);
            if ((begins[u] & own_bit) == 0 && columns[u] < (lane == 0 ? last : left)) ++falls;
            last = left;
            const bool inside = columns[u] < (uint32_t)pattern.cols;
            if (inside) ++within;
            set_bit_if(inside, bitmap, columns[u]);
        }
    }
    if (falls > 0) faults |= SPG_FAULT_B_UNSORTED;
    if (within != (batch.all + WARP - 1 - lane) / WARP) faults |= SPG_FAULT_B;
}

/* The row of B that an entry of A names; empty, with a fault recorded, if it is invalid or has more entries than
 * columns. */
template <typename Offset>
__device__ inline span<Offset> row_of_b(const patterns<Offset> &pattern, int32_t a_column, findings &found)
{
    const span<Offset> b = checked_b_row(pattern, a_column, found.faults);
    found.products += (unsigned long long)(b.end - b.begin);
    if (b.end - b.begin <= pattern.cols) return b;
    found.faults |= SPG_FAULT_B_UNSORTED;
    return {0, 0};
}

/* Sets the bits of a row of C. Rows of B of the next entries of A are loaded meanwhile. */
template <typename Offset>
__device__ inline void set_row_bits(const patterns<Offset> &pattern, span<Offset> row, uint32_t *bitmap, uint8_t *order,
                                    findings &found)
{
    const int32_t *columns = pattern.a_columns + row.begin + lane_in_warp();
    Offset left = row.end - row.begin - lane_in_warp();
    int32_t next = left > WARP ? columns[WARP] : 0;
    span<Offset> b{0, 0};
    if (left > 0) b = row_of_b(pattern, columns[0], found);
    for (Offset at = row.begin; at < row.end; at += WARP) {
        const span<Offset> now = b;
        b = {0, 0};
        if (left > WARP) b = row_of_b(pattern, next, found);
        next = left > 2 * WARP ? columns[2 * WARP] : 0;
        left -= WARP;
        columns += WARP;
        set_bits(pattern, lay_entries(now, order), bitmap, found.faults);
    }
}

/* Counts the bits and clears them. */
__device__ inline unsigned int count_bits(uint32_t *bitmap, int32_t words)
{
    auto *quads = reinterpret_cast<uint4 *>(bitmap);
    unsigned int count = 0;
    for (int32_t k = lane_in_warp(); k < words / 4; k += WARP) {
        const uint4 bits = quads[k];
        count += __popc(bits.x) + __popc(bits.y) + __popc(bits.z) + __popc(bits.w);
        quads[k] = make_uint4(0, 0, 0, 0);
    }
    return __reduce_add_sync(ALL_LANES, count);
}

/* Takes a row for the warp: its index in the set, or a number beyond the set. */
__device__ inline uint32_t take_ticket(uint32_t *ticket)
{
    uint32_t mine = 0;
    if (lane_in_warp() == 0) mine = atomicAdd(ticket, 1u);
    return __shfl_sync(ALL_LANES, mine, 0);
}

template <typename Offset>
__global__ void __launch_bounds__(WARP *WARPS, resident_blocks<Offset>)
    count_few_columns(const __grid_constant__ patterns<Offset> pattern, row_set rows, uint32_t *ticket, int32_t words)
{
    extern __shared__ uint4 shared[];
    __shared__ uint8_t orders[WARPS][WARP];
    const int warp = (int)threadIdx.x / WARP;
    uint32_t *bitmap = reinterpret_cast<uint32_t *>(shared) + warp * words;
    const uint32_t count = (uint32_t)row_count(rows);
    findings found{};
    for (int32_t k = lane_in_warp(); k < words; k += WARP) bitmap[k] = 0;
    __syncwarp();
    for (uint32_t mine; (mine = take_ticket(ticket)) < count;) {
        const int32_t i = row_at(rows, (int32_t)mine);
        const span<Offset> row = checked_a_row(pattern, i, found.faults);
        set_row_bits(pattern, row, bitmap, orders[warp], found);
        __syncwarp();
        const unsigned int length = count_bits(bitmap, words);
        __syncwarp();
        if (lane_in_warp() != 0) continue;
        pattern.c_offsets[i] = (Offset)length;
        found.nnz += length;
        ++found.rows;
        found.longest = max(found.longest, length);
        if (!fits_list((Offset)length, row.end - row.begin)) ++found.long_rows;
    }
    __syncwarp();
    add_counts(pattern.counters, found.nnz, found.products, found.longest, found.rows, found.faults);
    if (found.long_rows > 0) atomicAdd(&pattern.counters->long_rows, found.long_rows);
}

template <typename Offset> spg_status launch(cuda_product &product, const row_set &rows, uint32_t *ticket)
{
    const int32_t words = (int32_t)(product.B->cols / (32 * UNIT_WORDS) + 1) * UNIT_WORDS;
    const int bytes = WARPS * words * (int)sizeof(uint32_t);
    auto kernel = count_few_columns<Offset>;
    int each = 0;
    static_assert(WARPS * (FEW_COLUMNS / 32 + UNIT_WORDS) * sizeof(uint32_t) <= 40 * 1024, "no leave is needed");
    spg_status status = spg_cuda_check(
        product.context, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, WARP * WARPS, (size_t)bytes),
        "sizing class few columns");
    if (status != SPG_OK) return status;
    kernel<<<product.cuda->multiprocessors *(each > 0 ? each : 1), WARP * WARPS, bytes, product.cuda->stream>>>(
        patterns_of<Offset>(product), rows, ticket, words);
    return spg_cuda_check_launch(product.context, "counting, class few columns");
}

} // namespace

spg_status count_rows_few_columns(cuda_product &product, const row_set &rows, uint32_t *ticket)
{
    return with_offset_type(product.offset_type,
                            [&](auto offset) { return launch<decltype(offset)>(product, rows, ticket); });
}

} // namespace spg
