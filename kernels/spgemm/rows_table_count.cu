/* Counting, class table: how many distinct columns the rows of B named by a row of A have.
 *
 * Input: rows, rows of B checked here to ascend strictly. Output: c_offsets[i] = length of row i, MISFIT if that is
 * more than table_holds. Invariant: a table never holds more than table_holds(slots) + a group's lanes columns, so that
 * it always has the empty slot that ends a search. Chosen by route.cu. Contraction while expanding takes the place of
 * the paper's sort (section 3.3). */
#include "table.cuh"

namespace spg
{
namespace
{

struct counts {
    unsigned long long nnz, products;
    unsigned int longest, misfits, long_rows;
};

/* Checks a step's columns and inserts them. */
template <typename Offset>
__device__ inline bool insert_step(const patterns<Offset> &pattern, const table_group &group, column_table &table,
                                   const table_step<none, MOST_TOGETHER> &step, bool wanted, unsigned int &faults)
{
    const int32_t left_lane = __shfl_up_sync(~0u, step.column, 1, group.lanes);
    bool inserted = false;
    if (step.live && wanted) {
        const int32_t left = group.lane == 0 ? step.left : left_lane;
        if ((uint32_t)step.column >= (uint32_t)pattern.cols)
            faults |= SPG_FAULT_B;
        else {
            if (!step.first && step.column <= left) faults |= SPG_FAULT_B_UNSORTED;
            table.find_or_insert(step.column, inserted);
        }
    }
    __syncwarp();
    return inserted;
}

/* Counts the row of a bundle, by the whole warp; MISFIT if the table does not hold it. */
template <typename Expansion, typename Offset>
__device__ inline int count_row(const patterns<Offset> &pattern, const table_group &group, column_table &table,
                                Expansion &row)
{
    int length = 0;
    bool fits = true;
    for_each_step<Expansion, none, MOST_TOGETHER>(row, [&](const table_step<none, MOST_TOGETHER> &step) {
        const bool inserted = insert_step(pattern, group, table, step, fits, row.faults);
        length += __popc(__ballot_sync(~0u, inserted) & group.mask);
        const bool too_long = group.any(row.too_long);
        if (fits && (too_long || length > table_holds(table.slots))) {
            fits = false;
            row.stop();
        }
    });
    return fits ? length : (int)MISFIT;
}

/* Called by all lanes, each with its own share of the row's products. */
template <typename Offset>
__device__ inline void record(const patterns<Offset> &pattern, const table_group &group, int32_t first_row, int rows,
                              int length, Offset a_length, unsigned long long products, counts &found)
{
    if (rows == 0) return;
    if (length != MISFIT) found.products += products * (unsigned)rows;
    if (group.lane < rows) pattern.c_offsets[first_row + group.lane] = (Offset)length;
    if (group.lane != 0) return;
    if (length == MISFIT) {
        found.misfits += (unsigned)rows;
        return;
    }
    found.nnz += (unsigned long long)length * (unsigned)rows;
    found.longest = (unsigned)length > found.longest ? (unsigned)length : found.longest;
    if (!fits_list((Offset)length, a_length)) found.long_rows += (unsigned)rows;
}

template <typename Offset>
__global__ __launch_bounds__(TABLE_THREADS, 7) void count_table_kernel(const patterns<Offset> pattern,
                                                                       const row_set set, const table_shape shape)
{
    extern __shared__ int4 shared[];
    const table_group group(shape);
    column_table table(reinterpret_cast<int32_t *>(shared) + group.in_block * (shape.group_bytes / 4), shape);
    expansion<Offset, none, MOST_TOGETHER, true> row(pattern, nullptr, nullptr, group, table_holds(shape.slots));
    counts found{};
    table.clear(group);
    const int32_t count = row_count(set);
    const int groups = (int)blockDim.x / group.lanes;
    for (int64_t first = ((int64_t)blockIdx.x * groups + group.in_block) * shape.together;
         __any_sync(~0u, first < count); first += (int64_t)gridDim.x * groups * shape.together) {
        const int unit_rows = first >= count                   ? 0
                              : count - first < shape.together ? (int)(count - first)
                                                               : shape.together;
        for (int done = 0; __any_sync(~0u, done < unit_rows);) {
            const int32_t i = done < unit_rows ? row_at(set, (int32_t)first + done) : 0;
            row_bundle<Offset, MOST_TOGETHER> bundle = bundle_rows<Offset, MOST_TOGETHER>(
                pattern, group, unit_rows - done, [&](int r) { return checked_a_row(pattern, i + r, row.faults); });
            row.begin(bundle);
            __syncwarp();
            const int length = count_row(pattern, group, table, row);
            record(pattern, group, i, bundle.rows, length, (Offset)(bundle.row[0].end - bundle.row[0].begin),
                   row.products, found);
            done += bundle.rows;
            table.clear(group);
            __syncwarp();
        }
    }
    tally_counts(pattern.tally, found.nnz, found.products, found.longest, found.misfits, row.faults);
    const unsigned int long_rows = __reduce_add_sync(~0u, found.long_rows);
    if (threadIdx.x % 32 == 0 && long_rows > 0) atomicAdd(&pattern.tally->long_rows, long_rows);
}

} // namespace

spg_status count_rows_table(cuda_product &product, const row_set &rows, int slots, int together)
{
    const table_shape shape = table_shape_of(rows, slots, together, sizeof(int32_t));
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        return launch_table(product, rows, shape, "counting, class table", count_table_kernel<Offset>,
                            patterns_of<Offset>(product), rows, shape);
    });
}

} // namespace spg
