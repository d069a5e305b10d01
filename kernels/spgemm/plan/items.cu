/* Makes what a plan keeps for all but its short rows: items, pieces and codes.
 *
 * Input: the rows of one class and the patterns. Output: plan_items of plan/plan.cuh. A row is one item; rows of
 * PLAN_LARGE are cut into parts of their entries of C, and so of columns. A row of B that does not ascend gives one
 * piece for each ascending run. Items that differ much are ordered by products, largest first. */
#include "plan.cuh"

#include "../../primitives/warp.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum { THREADS = 128, WARPS = THREADS / WARP, LOADED = 4 };

/* Entries begin .. begin + n of a row of C. */
struct item_place {
    int32_t row, begin, n;
};

/* A row of many products is cut finer, so that several groups do it. */
struct row_cut {
    int64_t parts, width;
};
__device__ inline row_cut cut_row(int64_t n, int64_t products, int64_t cut_products)
{
    const int64_t by_products = min(products / cut_products, n / PLAN_SMALL_SUMS);
    const int64_t parts = max(max((n + PLAN_LARGE_SUMS - 1) / PLAN_LARGE_SUMS, by_products), (int64_t)1);
    const int64_t width = (n + parts - 1) / parts;
    return {(n + width - 1) / width, width};
}

/* The pieces of one row of B with columns in [low, high], one after the other. Bounds of a whole row of C are not
 * looked for. */
struct piece_cursor {
    const int32_t *columns;
    int64_t at, end, next;
    int32_t low, high;
    int most;
    bool ascends;

    __device__ piece_cursor(const plan_patterns &patterns, int64_t b_row, int32_t low, int32_t high, int most)
        : columns(patterns.b_columns), at(0), end(patterns.b[b_row + 1]), next(patterns.b[b_row]), low(low), high(high),
          most(most), ascends(patterns.b_ascends)
    {
        if (!ascends) return;
        const int32_t *row = columns + next; /* of at most 2^31 - 1 columns, as they ascend */
        const int length = (int)(end - next);
        const int begin = low > INT32_MIN ? first_that(0, length, [=](int t) { return row[t] >= low; }) : 0;
        if (high < INT32_MAX) end = next + first_that(begin, length, [=](int t) { return row[t] > high; });
        next += begin;
    }
    /* The pieces, and their products, from here on. */
    struct totals {
        int64_t pieces, products;
    };
    __device__ totals left() const
    {
        if (ascends) return {(max(end - next, (int64_t)0) + most - 1) / most, max(end - next, (int64_t)0)};
        totals all = {};
        for (piece_cursor cursor = *this; cursor.advance(); all.pieces++) all.products += cursor.next - cursor.at;
        return all;
    }
    __device__ bool is_inside(int64_t k) const { return columns[k] >= low && columns[k] <= high; }
    /* Advances to the next piece, [at, next); false if there is none. */
    __device__ bool advance()
    {
        at = next;
        if (ascends) {
            next = min(at + most, end);
            return at < end;
        }
        while (at < end && !is_inside(at)) at++;
        if (at >= end) return false;
        next = at + 1;
        while (next < end && next - at < most && columns[next] > columns[next - 1] && is_inside(next)) next++;
        return true;
    }
};

/* The data of the kernels below. */
struct item_work {
    plan_patterns patterns;
    const item_place *places;
    int64_t count;
    int lanes;

    /* The end of its row of A; for an item without entries the beginning. */
    __device__ int64_t a_end(const item_place &place) const
    {
        return patterns.a[place.n > 0 ? place.row + 1 : place.row];
    }

    __device__ piece_cursor cursor(const item_place &place, int64_t k) const
    {
        const int64_t c_begin = patterns.c[place.row], c_end = patterns.c[place.row + 1];
        const int32_t *columns = patterns.c_columns + c_begin + place.begin;
        const int32_t low = place.begin > 0 ? columns[0] : INT32_MIN;
        const int32_t high = c_begin + place.begin + place.n < c_end ? columns[place.n - 1] : INT32_MAX;
        return piece_cursor(patterns, patterns.a_columns[k], low, high, lanes);
    }
};

__device__ inline int64_t first_warp() { return ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP; }
__device__ inline int64_t all_warps() { return (int64_t)gridDim.x * WARPS; }

/* A warp an item. */
__global__ void __launch_bounds__(THREADS) count_pieces_kernel(item_work work, int64_t *pieces, int64_t *products)
{
    for (int64_t item = first_warp(); item < work.count; item += all_warps()) {
        const item_place place = work.places[item];
        const int64_t begin = work.patterns.a[place.row], end = work.a_end(place);
        int64_t my_pieces = 0, my_products = 0;
        for (int64_t k = begin + lane_in_warp(); k < end; k += WARP) {
            const piece_cursor::totals of_entry = work.cursor(place, k).left();
            my_pieces += of_entry.pieces;
            my_products += of_entry.products;
        }
        my_pieces = reduce(my_pieces, plus());
        my_products = reduce(my_products, plus());
        if (lane_in_warp() != 0) continue;
        pieces[item] = my_pieces;
        products[item] = my_products;
    }
}

/* Writes the pieces of an item, by a warp, in the order of A's row and then of B's. */
__device__ inline void write_pieces(const item_work &work, const item_place &place, const plan_items &out,
                                    int64_t piece_begin)
{
    const int64_t begin = work.patterns.a[place.row], end = work.a_end(place);
    uint64_t *pieces = out.pieces + piece_begin;
    for (int64_t first = begin; first < end; first += WARP) {
        const int64_t k = first + lane_in_warp();
        int64_t all = 0;
        piece_cursor cursor = work.cursor(place, min(k, end - 1));
        int64_t at = exclusive_scan(k < end ? cursor.left().pieces : 0, (int64_t)0, plus(), &all);
        for (; k < end && cursor.advance(); at++) {
            const uint64_t length = (uint64_t)(cursor.next - cursor.at), start = (uint64_t)cursor.at;
            pieces[at] = length | (start | (uint64_t)(k - begin) << out.start_bits) << PIECE_LENGTH_BITS;
        }
        pieces += all;
    }
}

/* A lane takes one piece; then all lanes go over the products of 32 pieces, 32 at a time. c_columns: room for those of
 * the item in shared memory. */
__device__ inline void write_codes(const item_work &work, const plan_item &item, const plan_items &out,
                                   int32_t *c_columns)
{
    const int32_t *b_columns = work.patterns.b_columns;
    const int lane = lane_in_warp();
    int64_t code_at = item.code_begin;
    for (int t = lane; t < item.n; t += WARP) c_columns[t] = work.patterns.c_columns[item.c_begin + t];
    __syncwarp();
    for (int64_t first = 0; first < item.pieces; first += WARP) {
        const bool has = first + lane < item.pieces;
        const uint64_t word = has ? out.pieces[item.piece_begin + first + lane] : 0;
        const int length = piece_length(word), until = inclusive_scan(length, plus());
        const int64_t origin = piece_start(word, out.start_bits) + length - until; /* counted from the first product */
        const int all = __shfl_sync(ALL_LANES, until, WARP - 1);
        for (int begin = 0; begin < all; begin += LOADED * WARP) {
            int32_t columns[LOADED];
#pragma unroll
            for (int u = 0; u < LOADED; u++) { /* all loads before the first is used */
                const int k = begin + u * WARP + lane;
                const int64_t from = __shfl_sync(ALL_LANES, origin, lane_of_place(until, min(k, all - 1)));
                columns[u] = k < all ? b_columns[from + k] : 0;
            }
#pragma unroll
            for (int u = 0; u < LOADED; u++) {
                const int64_t k = code_at + begin + u * WARP + lane;
                if (k >= code_at + all) break;
                const int code = last_at_most(c_columns, item.n, columns[u]);
                if (out.code_bytes == 1)
                    static_cast<uint8_t *>(out.codes)[k] = (uint8_t)code;
                else
                    static_cast<uint16_t *>(out.codes)[k] = (uint16_t)code;
            }
        }
        code_at += all;
    }
}

/* Items in the given order (NULL: as they are), a warp an item. */
__global__ void __launch_bounds__(THREADS)
    write_items_kernel(item_work work, const int64_t *order, const int64_t *piece_begins, const int64_t *code_begins,
                       plan_items out)
{
    extern __shared__ int32_t columns[]; /* `capacity` a warp */
    for (int64_t at = first_warp(); at < work.count; at += all_warps()) {
        const int64_t from = order != nullptr ? order[at] : at;
        const item_place place = work.places[from];
        const plan_item item = {
            work.patterns.c[place.row] + place.begin,    work.patterns.a[place.row], piece_begins[from],
            piece_begins[from + 1] - piece_begins[from], code_begins[from],          place.n};
        if (lane_in_warp() == 0) out.items[at] = item;
        write_pieces(work, place, out, item.piece_begin);
        __syncwarp();
        write_codes(work, item, out, columns + (int)threadIdx.x / WARP * out.capacity);
        __syncwarp();
    }
}

/* The entries of rows that make items: whole rows; or those of all rows from the diagonal on, followed by those below
 * it. */
struct row_spans {
    plan_patterns patterns;
    const int32_t *rows;
    const int64_t *products;
    int64_t count, cut_products;
    bool halves, cuts;

    __device__ item_place span(int64_t k) const
    {
        const int32_t row = rows[k % count];
        const int64_t begin = patterns.c[row], n = patterns.c[row + 1] - begin;
        if (!halves) return {row, 0, (int32_t)n};
        const int64_t below = first_not_below(patterns.c_columns + begin, n, (int32_t)(patterns.first_row + row));
        return k < count ? item_place{row, (int32_t)below, (int32_t)(n - below)} : item_place{row, 0, (int32_t)below};
    }
    __device__ row_cut cut(const item_place &span) const
    {
        if (!cuts || span.n == 0) return {1, span.n};
        const int64_t n = patterns.c[span.row + 1] - patterns.c[span.row];
        return cut_row(span.n, products[span.row] / n * span.n, cut_products);
    }
};

/* Makes the spans' items; cuts those of PLAN_LARGE. *upper: the number of items before those below the diagonal. */
spg_status place_items(plan_maker &maker, int row_class, const int32_t *rows, int64_t row_count, scratch &memory,
                       item_place **places, int64_t *count, int64_t *upper)
{
    const int64_t spans = maker.halves ? 2 * row_count : row_count;
    const row_spans of = {
        maker.patterns,         rows, maker.row_products, row_count, maker.scheme.cut_products, maker.halves,
        row_class == PLAN_LARGE};
    scratch begins_memory(maker);
    int64_t *begins = nullptr;
    *count = spans, *upper = row_count;
    if (of.cuts) {
        spg_status status = begins_memory.allocate(spans + 1, &begins);
        if (status == SPG_OK)
            status = for_each(maker.context, spans, "parts of rows",
                              [=] __device__(int64_t k) { begins[k] = of.cut(of.span(k)).parts; });
        if (status == SPG_OK) status = scan_counts(maker, begins, spans, count);
        if (status == SPG_OK)
            status = spg_cuda_copy_bytes(maker.context, upper, SPG_PLACE_HOST, begins + row_count, SPG_PLACE_DEVICE,
                                         sizeof *upper);
        if (status != SPG_OK) return status;
    }
    spg_status status = memory.allocate(*count, places);
    if (status != SPG_OK) return status;
    item_place *out = *places;
    return for_each(maker.context, spans, "parts of rows", [=] __device__(int64_t k) {
        const item_place span = of.span(k);
        const row_cut cut = of.cut(span);
        item_place *to = out + (begins != nullptr ? begins[k] : k);
        for (int64_t part = 0; part < cut.parts; part++)
            to[part] = {span.row, (int32_t)(span.begin + part * cut.width),
                        (int32_t)min(cut.width, span.n - part * cut.width)};
    });
}

/* Orders items by products, largest first, above the diagonal and below it separately. */
spg_status order_items(plan_maker &maker, const int64_t *products, int64_t count, int64_t upper, int64_t *order)
{
    spg_status status = order_descending(maker, products, upper, order);
    if (status == SPG_OK && count > upper)
        status = order_descending(maker, products + upper, count - upper, order + upper);
    if (status != SPG_OK || count == upper) return status;
    return for_each(maker.context, count - upper, "the order of a plan's items",
                    [=] __device__(int64_t k) { order[upper + k] += upper; });
}

/* As many lanes as most pieces can use, counting whole rows of B: fewer for halves is slower (amg_bench, H100, an
 * update of fd3d7: 2.55 ms instead of 2.44). */
int choose_lanes(int row_class, const plan_totals &totals)
{
    const unsigned long long a_entries = totals.a_entries > 0 ? totals.a_entries : 1;
    if (class_sums(row_class) > PLAN_MIDDLE_SUMS || totals.products > 20 * a_entries) return 32;
    return totals.products > 10 * a_entries ? 16 : 8;
}

spg_status keep_items(plan_maker &maker, plan_items &items, int64_t count, int64_t pieces, int64_t products)
{
    char *codes = nullptr;
    spg_status status = keep_array(maker, count, &items.items);
    if (status == SPG_OK) status = keep_array(maker, pieces, &items.pieces);
    if (status == SPG_OK) status = keep_array(maker, products * items.code_bytes, &codes);
    items.codes = codes;
    items.count = status == SPG_OK ? count : 0;
    return status;
}

} // namespace

spg_status make_items(plan_maker &maker, int row_class, const int32_t *rows)
{
    const plan_totals &totals = maker.facts.classes[row_class];
    plan_items &items = maker.part->classes[row_class];
    items.lanes = choose_lanes(row_class, totals);
    items.code_bytes = class_code_bytes(row_class);
    items.start_bits = bits_for(maker.b_nnz);
    items.capacity = (int)std::min<int64_t>(class_sums(row_class), (int64_t)totals.most_c);
    if (PIECE_LENGTH_BITS + items.start_bits + bits_for((int64_t)totals.most_a) > 64)
        return spg_context_fail(maker.context, SPG_ERROR_UNSUPPORTED,
                                "B has %lld entries, and a row of A %llu; plans on a device take up to 2^%d of their "
                                "product",
                                (long long)maker.b_nnz, totals.most_a, 64 - PIECE_LENGTH_BITS - 2);
    scratch places_memory(maker), pieces_memory(maker), products_memory(maker), order_memory(maker);
    item_place *places = nullptr;
    int64_t *piece_begins = nullptr, *code_begins = nullptr, *order = nullptr, count = 0, totals_of[2] = {};
    spg_status status =
        place_items(maker, row_class, rows, (int64_t)totals.rows, places_memory, &places, &count, &items.upper);
    if (status == SPG_OK) status = pieces_memory.allocate(count + 1, &piece_begins);
    if (status == SPG_OK) status = products_memory.allocate(count + 1, &code_begins);
    if (status != SPG_OK) return status;
    const item_work work = {maker.patterns, places, count, items.lanes};
    const unsigned int blocks = plan_blocks(maker.cuda, count, WARPS);
    count_pieces_kernel<<<blocks, THREADS, 0, maker.cuda->stream>>>(work, piece_begins, code_begins);
    status = spg_cuda_check_launch(maker.context, "a plan's pieces");
    const bool differ = totals.most_products > 8 * (totals.products / totals.rows) && can_order(maker, count);
    if (status == SPG_OK && differ) status = order_memory.allocate(count, &order);
    if (status == SPG_OK && differ) status = order_items(maker, code_begins, count, items.upper, order);
    if (status == SPG_OK) status = scan_two_counts(maker, {piece_begins, code_begins}, count, totals_of);
    if (status == SPG_OK) status = keep_items(maker, items, count, totals_of[0], totals_of[1]);
    if (status != SPG_OK) return status;
    const size_t shared = (size_t)WARPS * (size_t)items.capacity * sizeof(int32_t);
    write_items_kernel<<<blocks, THREADS, shared, maker.cuda->stream>>>(work, order, piece_begins, code_begins, items);
    return spg_cuda_check_launch(maker.context, "a plan's items");
}

} // namespace spg
