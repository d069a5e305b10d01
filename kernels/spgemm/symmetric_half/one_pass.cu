/* Symmetric half, counting and filling in one pass: computes only the entries on and above the diagonal of a product
 * with a symmetric pattern, about half of the products. A group of lanes a row contracts into a hash table in shared
 * memory, sorts, and keeps its row in workspace. It records each entry above the diagonal for the row of its mirror
 * image (symmetric_half/place.cu).
 *
 * Input: rows; rows of B that ascend. Output: c_offsets[i] = length of row i from the diagonal on, and the kept rows.
 * Entries of a row of B before column i are skipped; bisection finds the first to use. The products of several entries
 * of A are looked up together and added in order, so that a slot's sum takes its products in storage order. Chosen by
 * the caller of the product, who knows that its pattern is symmetric (R*(A*P) of a symmetric A). Replaces the paper's
 * sort (section 3.3). */
#include "half_rows.cuh"

#include "../../launch.cuh"
#include "../driver/counters.cuh"
#include "../hash_group/row_sums.cuh"

#include <algorithm>

namespace spg
{
namespace
{

enum { LONG_GROUPS = 8 /* groups a multiprocessor that take long rows */ };

/* A group's current row; the whole warp calls its functions. Piece: the lanes that take an entry of A. Long: the rows
 * are those listed as long. */
template <typename Offset, typename Value, int Lanes, int Piece, bool Long>
struct half_row : row_sums<Offset, Value, Lanes, Piece, reads::upper> {
    using base = row_sums<Offset, Value, Lanes, Piece, reads::upper>;
    using base::found, base::full, base::group, base::i, base::pattern;
    const half_view<Value> &kept;

    __device__ half_row(const patterns<Offset> &rows, const numbers<Value> &number, const lane_group<Lanes> &lanes,
                        int slots, int4 *memory, counts &counters, const half_view<Value> &to)
        : base(rows, number, lanes, slots, memory, counters), kept(to)
    {
    }

    /* Something does not fit: all rows will be counted another way. */
    __device__ void give_up() const { atomicAdd(&pattern.counters->overflow, 1u); }

    /* Sorts the row into workspace, records its images, and empties the table. */
    __device__ void write_row(int count)
    {
        int number[base::EACH]; /* of an image of row `column`; -1: on the diagonal */
        const auto begin = [&](int e, int32_t &column) {
            if (column != NO_COLUMN && (uint32_t)column >= (uint32_t)pattern.rows)
                found.faults |= SPG_FAULT_B, column = NO_COLUMN;
            number[e] = column > i ? atomicAdd(kept.lower_counts + column, 1) : -1;
        };
        const auto each = [&](int e, int rank, int32_t column, int slot) {
            const int64_t to = Long ? kept.place_of(i, rank) : (int64_t)i * kept.stride + rank;
            kept.columns[to] = column;
            kept.values[to] = base::sums[slot];
            found.nnz += number[e] >= 0 ? 2 : 1;
            const uint32_t code = (uint32_t)i << kept.bits | (uint32_t)rank;
            if (number[e] >= 0 && !kept.note_image(column, number[e], code)) give_up();
        };
        base::write(count, begin, each);
    }

    /* Lists a row that does not fit, if it can still be done as a long row. */
    __device__ void leave()
    {
        const unsigned int number = Long ? kept.most_long : atomicAdd(&pattern.counters->long_half_rows, 1u);
        if (number >= (unsigned int)kept.most_long) {
            give_up();
            return;
        }
        kept.long_rows[number] = i;
        kept.second[i] = kept.rows + (int32_t)number;
    }

    __device__ void do_row(int32_t number, bool valid)
    {
        const int32_t row = Long && valid ? kept.long_rows[number] : number;
        base::take_row(row, valid ? checked_a_row(pattern, row, found.faults) : span<Offset>{0, 0});
        const int count = base::list_columns();
        const bool fits = !group.any(full) && count <= (Long ? 2 : 1) * kept.stride;
        if (!fits) base::clear();
        if (!fits && group.lane == 0) leave();
        __syncwarp();
        write_row(fits ? count : 0);
        if (fits) found.products += base::products;
        if (!valid || group.lane != 0) return;
        pattern.c_offsets[i] = (Offset)(fits ? count : 0);
        if (fits) ++found.rows;
    }
};

/* Posts the counters if no long rows are listed; otherwise the kernel for these posts them. */
template <typename Offset, typename Value, int Lanes, int Piece, bool Long>
__global__ __launch_bounds__(GROUP_THREADS, blocks_of_sums<Offset, Value>()) void half_kernel(
    const sums_shape shape, const patterns<Offset> pattern, const numbers<Value> number, const half_view<Value> kept,
    spg_mailbox *mailbox, unsigned int post)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    int32_t rows = pattern.rows;
    if (Long) wait_for_previous_kernel();
    trigger_next_kernel();
    if (Long) {
        const unsigned int longs = *const_cast<volatile unsigned int *>(&pattern.counters->long_half_rows);
        if (longs == 0) return;
        rows = (int32_t)min(longs, (unsigned int)kept.most_long);
    }
    counts found{};
    half_row<Offset, Value, Lanes, Piece, Long> row(pattern, number, group, shape.slots, shape.memory_of(group, shared),
                                                    found, kept);
    for_each_row_group(group, rows, shape, [&](int32_t first, int valid) { row.do_row(first, valid > 0); });
    __syncwarp();
    add_counts(pattern.counters, found);
    __syncthreads();
    if (threadIdx.x < 32)
        send_counters_if_last(pattern.counters, mailbox, post, Long ? nullptr : &pattern.counters->long_half_rows);
}

template <typename Offset, typename Value, int Lanes, int Piece, bool Long = false>
spg_status launch(cuda_product &product, const half_rows &kept, unsigned int post, int slots, int64_t row_count)
{
    const row_set rows{nullptr, (int32_t)row_count, nullptr, nullptr};
    return launch_groups<Long>(product, rows, sums_shape_of<Offset, Value>(Lanes, slots, listed_slot_bytes<Value>),
                               "counting, symmetric half", half_kernel<Offset, Value, Lanes, Piece, Long>,
                               patterns_of<Offset>(product), numbers_of<Value>(product), view_of<Value>(kept),
                               product.cuda->device_mailbox, post);
}

/* Launches the kernel for the listed long rows; only the device knows how many there are. */
template <typename Offset, typename Value>
spg_status launch_long(cuda_product &product, const half_rows &kept, unsigned int post)
{
    const int64_t most = std::min((int64_t)kept.view.most_long, (int64_t)LONG_GROUPS * product.cuda->multiprocessors);
    int slots = kept.shape.slots;
    while (half_holds(slots) < 2 * kept.shape.stride) slots *= 2;
    return launch<Offset, Value, 32, 8, true>(product, kept, post, slots, most);
}

} // namespace

spg_status count_rows_half(cuda_product &product, const half_rows &kept, unsigned int post, length_sums *sums)
{
    spg_status status = with_value_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        const int lanes = kept.shape.lanes, slots = kept.shape.slots;
        const int64_t rows = product.A->rows;
        spg_status launched = lanes == 32  ? launch<Offset, Value, 32, 8>(product, kept, post, slots, rows)
                              : lanes == 4 ? launch<Offset, Value, 4, 4>(product, kept, post, slots, rows)
                                           : launch<Offset, Value, 8, 8>(product, kept, post, slots, rows);
        return launched == SPG_OK ? launch_long<Offset, Value>(product, kept, post) : launched;
    });
    return status == SPG_OK ? add_lower_lengths(product, kept, sums) : status;
}

} // namespace spg
