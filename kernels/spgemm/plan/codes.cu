/* Makes the codes of a plan's windows.
 *
 * Input: the windows of a slice, with the ranks of their entries and the words of their codes (plan/windows.cu).
 * Output: an array of codes for them, and the products of long entries. If the windows were made from masks, these tell
 * the products (plan/masks.cu). Else each warp of a block goes over a section of the window's products, and learns from
 * counts how many products of an entry come before its own. So each entry has its products in storage order. */
#include "products.cuh"

namespace spg
{

namespace
{

/* The codes of the window's entry with this rank. */
__device__ inline uint32_t *codes_of(const window_work &work, int64_t w, uint32_t *codes, int rank)
{
    const int64_t tile = work.out.tile_begins[(work.before + w) * (PLAN_WINDOW_TILES + 1) + rank / PLAN_TILE];
    return codes + (work.words[w] + tile) * PLAN_TILE + rank % PLAN_TILE;
}

/* Writes product t of an entry. */
__device__ inline void write_code(const plan_window &window, uint32_t *words, uint32_t t, uint64_t code)
{
    constexpr int width = PLAN_TILE;
    if (window.code_bytes == 2) {
        reinterpret_cast<uint16_t *>(words + (int64_t)(t / 2) * width)[t % 2] = (uint16_t)code;
    } else if (window.code_bytes == 4) {
        words[(int64_t)t * width] = (uint32_t)code;
    } else {
        words[2 * (int64_t)t * width] = (uint32_t)code;
        words[(2 * (int64_t)t + 1) * width] = (uint32_t)(code >> 32);
    }
}

/* Reads where the sections' products of the thread's entry begin; false if they were not noted. */
__device__ inline bool read_sections(const window_work &work, const window_span &span,
                                     uint32_t (&counts)[WINDOW_WARPS][PLAN_WINDOW])
{
    const int i = (int)threadIdx.x;
    if (work.slice.before_warps == nullptr) return false;
    const uint8_t *before = work.slice.before_warps + (int64_t)blockIdx.x * work.out.width * WINDOW_WARPS + i;
    bool are_noted = true;
    for (int warp = 0; warp < WINDOW_WARPS && i < span.count; warp++) {
        counts[warp][i] = before[warp * span.count];
        are_noted = are_noted && counts[warp][i] != MANY_BEFORE;
    }
    return __syncthreads_and(are_noted);
}

/* Turns counts into where the sections' products of the thread's entry begin. */
__device__ inline void sum_sections(uint32_t (&counts)[WINDOW_WARPS][PLAN_WINDOW])
{
    uint32_t before = 0;
    for (int warp = 0; warp < WINDOW_WARPS; warp++) {
        const uint32_t here = counts[warp][threadIdx.x];
        counts[warp][threadIdx.x] = before;
        before += here;
    }
}

/* The number of this lane's product within its entry, if it has a product; all lanes of a warp call it. */
__device__ inline uint32_t take_number(uint32_t *counts, int c_at)
{
    const unsigned int same = __match_any_sync(ALL_LANES, c_at), before = same & ((1u << lane_in_warp()) - 1);
    const uint32_t first = c_at >= 0 ? counts[c_at] : 0;
    __syncwarp();
    if (c_at >= 0 && before == 0) counts[c_at] = first + (uint32_t)__popc(same);
    __syncwarp();
    return first + (uint32_t)__popc(before);
}

__global__ void __launch_bounds__(WINDOW_THREADS)
    write_codes_kernel(window_work work, uint32_t *codes, uint2 *long_products)
{
    __shared__ uint32_t counts[WINDOW_WARPS][PLAN_WINDOW], long_begins[PLAN_WINDOW];
    __shared__ int32_t columns[PLAN_WINDOW];
    __shared__ uint16_t ranks[PLAN_WINDOW];
    const int64_t w = blockIdx.x, begin = w * work.out.width;
    const int i = (int)threadIdx.x;
    const window_span span = work.spans[w];
    stage_columns(work, span, columns);
    if (i < span.count) ranks[i] = work.slice.ranks[begin + i];
    if (i < span.count && ranks[i] == LONG_RANK) long_begins[i] = work.slice.long_begins[begin + i];
    __syncthreads();
    if (!read_sections(work, span, counts)) {
        count_products(work, span, columns, counts, [](int64_t, const window_row_part &) {});
        __syncthreads();
        sum_sections(counts);
        __syncthreads();
    }
    const plan_window window = work.out.windows[work.before + w];
    for_each_product(
        work, span, columns, [](int64_t, const window_row_part &) {},
        [&](const window_product &product) {
            const uint32_t t = take_number(counts[i / WARP], product.c_at);
            if (product.c_at < 0) return;
            const int rank = ranks[product.c_at];
            if (rank == LONG_RANK) {
                long_products[(int64_t)long_begins[product.c_at] + t] = {(uint32_t)product.name,
                                                                         (uint32_t)(product.b_begin + product.b_at)};
                return;
            }
            const auto from = (uint64_t)(product.name - window.a_begin);
            const int64_t at = product.b_at + (window.direct ? product.b_begin : 0);
            write_code(window, codes_of(work, w, codes, rank), t, from << window.shift | (uint64_t)at);
        });
    if (i == 0) work.out.windows[work.before + w].codes = codes + work.words[w] * PLAN_TILE;
}

/* Masks of a window's entries of A that are staged in shared memory; of more, all stay where they are. */
enum { STAGED_MASKS = 1536 };

/* The masks from that of the window's first entry of A on. The block calls it. */
template <typename Mask>
__device__ inline const Mask *stage_masks(const window_work &work, const a_range &a, Mask *staged)
{
    const Mask *masks = work.a_masks<Mask>(a.begin);
    if (a.count > STAGED_MASKS) return masks;
    for (int k = (int)threadIdx.x; k < (int)a.count; k += WINDOW_THREADS) staged[k] = masks[k];
    __syncthreads();
    return staged;
}

__device__ inline int count_bits(uint32_t mask) { return __popc(mask); }
__device__ inline int count_bits(uint64_t mask) { return __popcll(mask); }

/* The codes of the products of an entry of C, in storage order; all bits set behind the last. */
template <typename Mask> struct entry_codes {
    const plan_window &window;
    const Mask *a_masks;      /* of its row of A */
    const uint32_t *b_begins; /* of that row */
    int first;                /* entry of that row, counted from the window's first */
    Mask before;              /* the entries before it in its row of C */
    Mask mask;                /* of the products to come */

    __device__ uint64_t next()
    {
        if (mask == 0) return ~(uint64_t)0;
        const int k = count_bits((Mask)(~mask & (mask - 1))); /* the lowest */
        mask &= mask - 1;
        const uint64_t at = (uint64_t)count_bits((Mask)(a_masks[k] & before)) + (window.direct ? b_begins[k] : 0);
        return (uint64_t)(first + k) << window.shift | at;
    }
};

/* The same from masks: each thread writes all words of the entry with its rank, so that a warp's are next to each
 * other. */
template <typename Mask>
__global__ void __launch_bounds__(WINDOW_THREADS, 4) write_masked_codes_kernel(window_work work, uint32_t *codes)
{
    const plan_patterns &of = work.patterns;
    const entry_slice &slice = work.slice;
    const int64_t w = blockIdx.x, begin = w * work.out.width;
    const int rank = (int)threadIdx.x;
    const window_span span = work.spans[w];
    const plan_window window = work.out.windows[work.before + w];
    if (rank == 0) work.out.windows[work.before + w].codes = codes + work.words[w] * PLAN_TILE;
    const uint32_t *tiles = work.out.tile_begins + (work.before + w) * (PLAN_WINDOW_TILES + 1) + rank / PLAN_TILE;
    const uint32_t count = tiles[1] - tiles[0];
    __shared__ Mask staged[STAGED_MASKS];
    const Mask *masks = stage_masks(work, span.a, staged);
    if (count == 0) return;
    entry_codes<Mask> of_entry = {window, masks, nullptr, 0, 0, 0};
    if (rank < span.count) {
        const int place = work.out.places[(work.before + w) * work.out.width + rank];
        const int64_t row = slice.row_begin + slice.c_rows[begin + place], a_begin = of.a[row];
        of_entry.mask = static_cast<const Mask *>(slice.c_masks)[begin + place];
        of_entry.first = (int)(a_begin - span.a.begin);
        of_entry.a_masks = masks + of_entry.first;
        of_entry.b_begins = work.out.b_begins + a_begin;
        of_entry.before = ((Mask)1 << (span.c_begin + place - of.c[row]) % (sizeof(Mask) * 8)) - 1;
    }
    uint32_t *words = codes_of(work, w, codes, rank);
    for (uint32_t at = 0; at < count; at++, words += PLAN_TILE) {
        const uint64_t code = of_entry.next();
        if (window.code_bytes == 2) {
            *words = (uint32_t)of_entry.next() << 16 | (uint32_t)(code & 0xffff);
        } else {
            *words = (uint32_t)code;
            if (window.code_bytes == 4) continue;
            at++, words += PLAN_TILE;
            *words = (uint32_t)(code >> 32);
        }
    }
}

} // namespace

spg_status add_codes(plan_maker &maker, const window_work &work, int64_t count, const entry_totals &found)
{
    plan_windows &kept = maker.part->windows;
    cudaStream_t stream = maker.cuda->stream;
    const int64_t long_before = kept.long_count, tiles = (int64_t)found.tiles;
    uint32_t *codes = nullptr;
    uint2 *long_products = nullptr;
    spg_status status = keep_array(maker, tiles * PLAN_TILE, &codes);
    if (status == SPG_OK) status = keep_array(maker, (int64_t)found.long_products, &long_products);
    const bool is_masked = work.slice.mask_bytes > 0;
    if (status == SPG_OK && !is_masked)
        status = spg_cuda_check(maker.context,
                                cudaMemsetAsync(codes, 0xff, (size_t)(tiles * PLAN_TILE) * sizeof *codes, stream),
                                "a plan's codes");
    if (status != SPG_OK) return status;
    if (is_masked)
        with_masks(work.slice, [&](auto mask) {
            write_masked_codes_kernel<decltype(mask)><<<(unsigned int)count, WINDOW_THREADS, 0, stream>>>(work, codes);
        });
    else
        write_codes_kernel<<<(unsigned int)count, WINDOW_THREADS, 0, stream>>>(work, codes, long_products);
    status = spg_cuda_check_launch(maker.context, "a plan's codes");
    kept.count += count;
    kept.long_count = (int64_t)found.long_entries;
    plan_long_entry *entries = kept.long_entries + long_before;
    /* Long entries store where their products begin in the slice; adds where the slice's products are. */
    if (status == SPG_OK)
        status =
            for_each(maker.context, kept.long_count - long_before, "a plan's long entries", [=] __device__(int64_t k) {
                entries[k].products = long_products + reinterpret_cast<int64_t>(entries[k].products);
            });
    return status;
}

} // namespace spg
