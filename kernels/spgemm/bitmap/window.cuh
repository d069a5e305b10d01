/* Windows of marked columns, the base of counting and filling by bitmap (bitmap/passes.cu). Private.
 *
 * A group of lanes marks the columns of its row of C in a window in shared memory, as bytes or as bits. A row wider
 * than the window takes several windows. */
#ifndef SPG_KERNELS_SPGEMM_BITMAP_WINDOW_CUH
#define SPG_KERNELS_SPGEMM_BITMAP_WINDOW_CUH

#include "../../primitives/bitmap.cuh"
#include "shape.cuh"

namespace spg
{

/* Four marks, or sixteen, as bits. */
__device__ inline uint32_t pack_marks(uint32_t marks) { return marks * 0x01020408u >> 24; }
__device__ inline uint32_t pack_marks(uint4 marks)
{
    return pack_marks(marks.x) | pack_marks(marks.y) << 4 | pack_marks(marks.z) << 8 | pack_marks(marks.w) << 12;
}

/* Whether marks are bits. Bytes need no atomics, but the windows of whole warps are wide, and their bytes would leave
 * room for few warps (amg_bench, H100, solid3d:40: products 5.5 ms, 6.3 by bytes). */
template <typename Group> constexpr bool MARKS_ARE_BITS = Group::lanes == 32;
inline int mark_bytes(int lanes, int width) { return lanes == 32 ? width / 8 : width; }

template <typename Group> __device__ inline void clear_marks(const Group &group, uint8_t *marks, uint32_t width)
{
    for (int i = group.lane; i < (int)width / (MARKS_ARE_BITS<Group> ? 128 : 16); i += Group::lanes)
        reinterpret_cast<int4 *>(marks)[i] = int4{0, 0, 0, 0};
}

template <typename Group> __device__ inline void put_mark(uint8_t *marks, uint32_t at)
{
    if constexpr (MARKS_ARE_BITS<Group>)
        set_bit(reinterpret_cast<uint32_t *>(marks) + at / 32, 1u << at % 32);
    else
        marks[at] = 1;
}

/* Word w of the marks: 32 columns as bits. */
template <typename Group> __device__ inline uint32_t marks_word(const uint8_t *marks, int w)
{
    if constexpr (MARKS_ARE_BITS<Group>) return reinterpret_cast<const uint32_t *>(marks)[w];
    const uint4 *const bytes = reinterpret_cast<const uint4 *>(marks) + 2 * w;
    return pack_marks(bytes[0]) | pack_marks(bytes[1]) << 16;
}

constexpr uint32_t NONE = UINT32_MAX;

/* The columns of a row that a group marks; all unsigned, so that one comparison tells whether a column is in the
 * window. */
struct marked_window {
    uint8_t *marks;
    uint32_t base, width, next; /* next: the least column beyond the window so far */

    template <typename Group> __device__ void mark(int32_t column)
    {
        const uint32_t at = (uint32_t)column - base;
        if (at < width)
            put_mark<Group>(marks, at);
        else if ((uint32_t)column > base && (uint32_t)column < next)
            next = (uint32_t)column;
    }
};

/* Marks a row's columns by their remainders. They are distinct if the row's span is at most the width, a power of
 * two. */
struct wrapped_window {
    uint8_t *marks;
    uint32_t width, first, last; /* first, last: the columns marked; first = NONE: none */

    template <typename Group> __device__ void mark(int32_t column)
    {
        put_mark<Group>(marks, (uint32_t)column & (width - 1));
        first = min(first, (uint32_t)column);
        last = max(last, (uint32_t)column);
    }
};

/* The first and the last column of a row of C. */
struct column_span {
    uint32_t first, last; /* first = NONE: no columns */
};

/* Entries of A that a group looks at together, one a lane, and the rows of B that they name. A run: neighbours whose
 * rows of B are consecutive and have the same columns; these are looked up once for all. */
template <typename Offset> struct entry_batch {
    b_rows<Offset> b;
    Offset entry;
    bool valid;
    int count;      /* entries of the group's batch */
    uint32_t heads; /* mask of those that begin a run */
};

/* The row of B of an entry of A, with operands checked here. A row with more entries than C has columns does not ascend
 * and is skipped, because its length may exceed an int. */
template <typename Offset>
__device__ inline b_rows<Offset> checked_b_bounds(const patterns<Offset> &pattern, int32_t column, unsigned int &faults)
{
    const span<Offset> b = checked_b_row(pattern, column, faults);
    const bool possible = b.end - b.begin <= pattern.cols;
    if (!possible) faults |= SPG_FAULT_B_UNSORTED;
    return {b.begin, possible ? (int)(b.end - b.begin) : 0};
}

/* Calls each(batch) for the batches of a row until the rows of all groups of the warp have ended. Columns of A are
 * loaded one batch in advance. bounds(column) is the row of B. R: the most entries of a run. The whole warp calls
 * it. */
template <int R, typename Group, typename Offset, typename Bounds, typename Each>
__device__ inline void for_each_entries(const patterns<Offset> &pattern, const Group &group, const bitmap_shape &shape,
                                        span<Offset> row, Bounds &&bounds, Each &&each)
{
    const bool takes = R == 1 || group.lane < shape.batch;
    entry_batch<Offset> batch;
    batch.entry = row.begin + group.lane;
    int32_t column = takes && batch.entry < row.end ? pattern.a_columns[batch.entry] : NO_COLUMN;
    while (__any_sync(~0u, batch.entry < row.end)) {
        batch.valid = takes && batch.entry < row.end;
        batch.b = {0, 0};
        bool repeats = false;
        if (batch.valid) {
            batch.b = bounds(column);
            if (R > 1 && shape.repeats != nullptr && (uint32_t)column < (uint32_t)pattern.inner)
                repeats = shape.repeats[column] != 0;
        }
        if (R > 1) {
            const int32_t before = __shfl_up_sync(~0u, column, 1, Group::lanes);
            repeats = repeats && group.lane > 0 && before == column - 1;
        }
        const Offset next = batch.entry + (R == 1 ? Group::lanes : shape.batch);
        if (takes && next < row.end) column = pattern.a_columns[next];
        batch.heads = group.ballot(batch.valid && !repeats);
        batch.count = __popc(R == 1 ? batch.heads : group.ballot(batch.valid));
        if (R > 1) {
            const int since = group.lane - (31 - __clz((int)(batch.heads & ~0u >> (31 - group.lane))));
            batch.heads = group.ballot(batch.valid && since % R == 0);
        }
        each(batch);
        batch.entry = next;
    }
}

/* Columns out of range count as a fault here, because a row with no others has no window in which to check them. */
template <int R, typename Group, typename Offset, typename Bounds>
__device__ inline column_span find_span(const patterns<Offset> &pattern, const Group &group, const bitmap_shape &shape,
                                        span<Offset> row, unsigned long long &products, unsigned int &faults,
                                        Bounds &&bounds)
{
    column_span found{NONE, 0};
    for_each_entries<R>(pattern, group, shape, row, bounds, [&](const entry_batch<Offset> &batch) {
        products += (unsigned)batch.b.length;
        if (batch.b.length == 0 || (R > 1 && (batch.heads >> group.lane & 1) == 0)) return;
        const uint32_t first = (uint32_t)pattern.b_columns[batch.b.begin];
        const uint32_t last = (uint32_t)pattern.b_columns[batch.b.begin + batch.b.length - 1];
        if (first >= (uint32_t)pattern.cols || last >= (uint32_t)pattern.cols) faults |= SPG_FAULT_B;
        if (first < (uint32_t)pattern.cols) found.first = min(found.first, first);
        if (last < (uint32_t)pattern.cols) found.last = max(found.last, last);
    });
    found.first = group.least(found.first);
    found.last = ~group.least(~found.last);
    return found;
}

/* A group's step: lane l takes entry first + l of a row of B if l < length, and its counterparts in the run - 1 next
 * rows, `row` entries further each. head: the run's first entry in the batch. */
template <typename Offset> struct group_step {
    Offset first;
    int length, row, head, run;
};

/* The whole row of B of the next run; length 0: none. */
template <typename Group, typename Offset>
__device__ inline group_step<Offset> next_run(const Group &, const entry_batch<Offset> &batch, uint32_t &heads)
{
    group_step<Offset> step;
    const bool live = heads != 0;
    step.head = live ? __ffs((int)heads) - 1 : 0;
    heads &= heads - 1;
    step.run = (heads != 0 ? __ffs((int)heads) - 1 : batch.count) - step.head;
    step.first = __shfl_sync(~0u, batch.b.begin, step.head, Group::lanes);
    step.row = __shfl_sync(~0u, batch.b.length, step.head, Group::lanes);
    step.length = live ? step.row : 0;
    return step;
}

/* The U pieces from `base` on of a row of B. */
template <int U, typename Group, typename Offset>
__device__ inline void cut_row(const Group &, const group_step<Offset> &whole, int base, group_step<Offset> (&step)[U])
{
#pragma unroll
    for (int u = 0; u < U; u++) {
        step[u] = whole;
        step[u].first += base + u * Group::lanes;
        step[u].length -= base + u * Group::lanes;
    }
}

/* The steps of a batch, by the pieces of its runs. If a group is a warp, it loads a step's entries before it uses those
 * of the previous step (amg_bench, H100, solid3d:40: products 4.9 ms, 5.5 otherwise). */
template <typename Entries, int U, typename Group, typename Offset, typename Load, typename Use>
__device__ inline void for_each_piece(const Group &group, const entry_batch<Offset> &batch, Load &&load, Use &&use)
{
    constexpr std::integral_constant<bool, true> same{};
    constexpr int G = Group::lanes;
    group_step<Offset> step[U];
    uint32_t heads = batch.heads;
    if constexpr (G == 32) {
        group_step<Offset> whole = next_run(group, batch, heads);
        int base = 0;
        Entries coming;
        cut_row(group, whole, base, step);
        load(step, base, same, coming);
        for (bool goes_on = true; goes_on;) {
            const Entries entries = coming;
            const group_step<Offset> run = whole;
            const int from = base;
            base += U * G;
            if (base >= whole.length) {
                goes_on = heads != 0;
                base = 0;
                whole = next_run(group, batch, heads);
            }
            cut_row(group, whole, base, step);
            if (goes_on) load(step, base, same, coming);
            cut_row(group, run, from, step);
            use(step, from, same, entries);
        }
    } else
        while (__any_sync(~0u, heads != 0)) {
            const group_step<Offset> whole = next_run(group, batch, heads);
            for (int base = 0; __any_sync(~0u, base < whole.length); base += U * G) {
                Entries entries;
                cut_row(group, whole, base, step);
                load(step, base, same, entries);
                use(step, base, same, entries);
            }
        }
}

/* Calls load(step[U], base, same, entries) and use(likewise) for the steps of a batch: steps of U runs, or with
 * integral_constant true the U pieces from `base` on of one run's row. The whole warp calls it. */
template <typename Entries, int U, bool Pieces, typename Group, typename Offset, typename Load, typename Use>
__device__ inline void for_each_step(const Group &group, const entry_batch<Offset> &batch, Load &&load, Use &&use)
{
    if (Pieces || __any_sync(~0u, batch.b.length > Group::lanes)) {
        for_each_piece<Entries, U>(group, batch, load, use);
        return;
    }
    if constexpr (!Pieces) {
        constexpr std::integral_constant<bool, false> others{};
        for (uint32_t heads = batch.heads; __any_sync(~0u, heads != 0);) {
            group_step<Offset> step[U];
            Entries entries;
#pragma unroll
            for (int u = 0; u < U; u++) step[u] = next_run(group, batch, heads);
            load(step, 0, others, entries);
            use(step, 0, others, entries);
        }
    }
}

/* Steps whose entries are loaded together: the runs of a batch, or the pieces of a row of B of about 81 entries. */
template <int R, typename Group> constexpr int steps_at_once() { return R == 1 ? 4 : Group::lanes == 8 ? 2 : 3; }

/* A lane's columns in a step, and in lane 0 the columns before, if they are to be compared. */
template <int U> struct step_columns {
    int32_t column[U], left[U];
};

/* Marks the columns of a row, and checks them if Check; returns a lane's share of the row's products. */
template <int R, bool Pieces, bool Check, typename Offset, typename Group, typename Window, typename Bounds>
__device__ inline unsigned long long mark_row(const patterns<Offset> &pattern, const Group &group,
                                              const bitmap_shape &shape, Window &window, span<Offset> row,
                                              unsigned int &faults, Bounds &&bounds)
{
    constexpr int U = steps_at_once<R, Group>();
    unsigned long long products = 0;
    bool unsorted = false, outside = false;
    const auto load = [&](const auto &step, int base, auto same, step_columns<U> &entries) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool live = group.lane < step[u].length;
            entries.column[u] = live ? pattern.b_columns[step[u].first + group.lane] : NO_COLUMN;
            entries.left[u] = NO_COLUMN;
            if (Check && same.value && live && group.lane == 0 && (base > 0 || u > 0))
                entries.left[u] = pattern.b_columns[step[u].first - 1];
        }
    };
    const auto use = [&](const auto &step, int, auto, const step_columns<U> &entries) {
        const auto &column = entries.column;
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool live = group.lane < step[u].length;
            bool inside = live;
            if (Check) {
                const int32_t before = __shfl_up_sync(~0u, column[u], 1, Group::lanes);
                unsorted = unsorted || (live && column[u] <= (group.lane > 0 ? before : entries.left[u]));
                inside = live && (uint32_t)column[u] < (uint32_t)pattern.cols;
                outside = outside || inside != live;
            }
            if (inside) window.template mark<Group>(column[u]);
        }
    };
    for_each_entries<R>(pattern, group, shape, row, bounds, [&](const entry_batch<Offset> &batch) {
        products += (unsigned)batch.b.length;
        for_each_step<step_columns<U>, U, Pieces>(group, batch, load, use);
    });
    if (Check) faults |= (unsorted ? SPG_FAULT_B_UNSORTED : 0) | (outside ? SPG_FAULT_B : 0);
    return products;
}

/* Where the windows of a row are marked, one after the other, and which columns they cover. */
struct windows_of_row {
    uint8_t *marks;
    column_span columns;
};

/* Calls each(window, whether this group's row has columns in it) for the windows of a row, after its columns are
 * marked. The whole warp calls it. */
template <int R, bool Pieces, bool Check, typename Offset, typename Group, typename Bounds, typename Each>
__device__ inline void for_each_window(const patterns<Offset> &pattern, const Group &group, const bitmap_shape &shape,
                                       const windows_of_row &windows, span<Offset> row, unsigned int &faults,
                                       Bounds &&bounds, Each &&each)
{
    const auto &[marks, columns] = windows;
    uint32_t begin = columns.first;
    while (__any_sync(~0u, begin != NONE)) {
        const bool live = begin != NONE;
        marked_window window{marks, begin & ~31u, 0, NONE};
        /* If rows of B do not ascend, a column may lie beyond the last: then the difference wraps, and the window has
         * full width. */
        if (live) window.width = min((uint32_t)shape.width - 1, (columns.last - window.base) | 127u) + 1;
        clear_marks(group, marks, window.width);
        __syncwarp();
        mark_row<R, Pieces, Check>(pattern, group, shape, window, live ? row : span<Offset>{0, 0}, faults, bounds);
        __syncwarp();
        each(window, live);
        __syncwarp();
        begin = group.least(window.next);
    }
}

template <typename Group, typename Window> __device__ inline int count_marks(const Group &group, const Window &window)
{
    unsigned int count = 0;
    if constexpr (MARKS_ARE_BITS<Group>) {
        for (int w = group.lane; w < (int)window.width / 32; w += Group::lanes)
            count += __popc(marks_word<Group>(window.marks, w));
    } else {
        for (int i = group.lane; i < (int)window.width / 16; i += Group::lanes) {
            const uint4 marks = reinterpret_cast<const uint4 *>(window.marks)[i];
            const unsigned int pairs = marks.x + marks.y + marks.z + marks.w;
            count += pairs * 0x01010101u >> 24;
        }
    }
    return group.sum((int)count);
}

} // namespace spg

#endif
