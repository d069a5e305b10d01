/* Analysis of a slice: which rows of B its rows name, how long those are, and so how many products each row needs
 * (Dalton, Bell, Olson, section 3.1). A chunk is small enough that the kernels find in cache what is read here. */
#include "../vector.h"
#include "host/work.h"
#include "worker.h"

#if SPG_HAVE_AVX512
#include <immintrin.h>
/* gcc's intrinsics are macros where nothing is optimised, and would be warned of. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

int64_t spg_count_chunks(const spg_csr *A, int64_t chunk_entries)
{
    return (A->nnz + A->rows + chunk_entries - 1) / chunk_entries;
}

int64_t spg_chunk_begin(const multiplication *shared, int64_t index)
{
    const spg_csr *A = shared->product->A;
    return index < shared->chunks ? spg_host_row_at(A, index * shared->sizes.chunk_entries) : A->rows;
}

/* The distance between two offsets, which may have any values. */
static inline int64_t distance(int64_t from, int64_t to) { return (int64_t)((uint64_t)to - (uint64_t)from); }

/* Offsets are read as UNSIGNED numbers: negative ones are then larger than any other. */
#define DESCRIBE(OFFSET, UNSIGNED)                                                                                     \
    static bool describe_##OFFSET(const int32_t *columns, const void *row_offsets, const spg_csr *B, int64_t count,    \
                                  int64_t *starts, int32_t *lengths)                                                   \
    {                                                                                                                  \
        const UNSIGNED *offsets = row_offsets;                                                                         \
        const uint32_t b_rows = (uint32_t)(B->rows < INT32_MAX ? B->rows : INT32_MAX);                                 \
        const UNSIGNED b_nnz = (UNSIGNED)B->nnz;                                                                       \
        UNSIGNED bits = 0; /* of all lengths */                                                                        \
        int bad = 0;                                                                                                   \
        for (int64_t k = 0; k < count; k++) {                                                                          \
            const int outside = (uint32_t)columns[k] >= b_rows;                                                        \
            const UNSIGNED *bounds = offsets + (outside ? 0 : columns[k]);                                             \
            const UNSIGNED start = bounds[0], end = bounds[1];                                                         \
            bad |= outside | (start > end) | (end > b_nnz);                                                            \
            bits |= end - start;                                                                                       \
            starts[k] = (int64_t)start;                                                                                \
            lengths[k] = (int32_t)(end - start);                                                                       \
        }                                                                                                              \
        return !bad && bits <= INT32_MAX;                                                                              \
    }
DESCRIBE(int32_t, uint32_t)
DESCRIBE(int64_t, uint64_t)

#if SPG_HAVE_AVX512
/* Reads offsets c and c + 1 as one word of 64 bits, eight at a time. */
SPG_AVX512 static bool describe_in_vectors(const int32_t *columns, const int32_t *offsets, const spg_csr *B,
                                           int64_t count, int64_t *starts, int32_t *lengths)
{
    const __m256i limit = _mm256_set1_epi32((int32_t)(B->rows < INT32_MAX ? B->rows : INT32_MAX));
    const __m256i nnz = _mm256_set1_epi32((int32_t)(B->nnz < INT32_MAX ? B->nnz : INT32_MAX));
    __mmask8 bad = 0;
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
        __m256i rows = _mm256_loadu_si256((const __m256i *)(const void *)(columns + k));
        const __mmask8 outside = _mm256_cmpge_epu32_mask(rows, limit);
        rows = _mm256_maskz_mov_epi32((__mmask8)~outside, rows);
        const __m512i bounds = _mm512_i32gather_epi64(rows, offsets, 4);
        const __m256i begin = _mm512_cvtepi64_epi32(bounds);
        const __m256i end = _mm512_cvtepi64_epi32(_mm512_srli_epi64(bounds, 32));
        bad |= outside | _mm256_cmpgt_epu32_mask(begin, end) | _mm256_cmpgt_epu32_mask(end, nnz);
        _mm512_storeu_si512(starts + k, _mm512_cvtepi32_epi64(begin));
        _mm256_storeu_si256((__m256i *)(void *)(lengths + k), _mm256_sub_epi32(end, begin));
    }
    return bad == 0 && describe_int32_t(columns + k, offsets, B, count - k, starts + k, lengths + k);
}

/* before[k] = the sum of the lengths before entry k, eight at a time. Returns for how many entries; *sum: of their
 * lengths. */
SPG_AVX512 static int64_t sum_in_vectors(const int32_t *lengths, int64_t count, int64_t *before, int64_t *sum)
{
    const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
    __m512i sums = zero;
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
        const __m512i here = _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(lengths + k)));
        __m512i up_to = _mm512_add_epi64(here, _mm512_alignr_epi64(here, zero, 7));
        up_to = _mm512_add_epi64(up_to, _mm512_alignr_epi64(up_to, zero, 6));
        up_to = _mm512_add_epi64(up_to, _mm512_alignr_epi64(up_to, zero, 4));
        _mm512_storeu_si512(before + k, _mm512_add_epi64(sums, _mm512_sub_epi64(up_to, here)));
        sums = _mm512_add_epi64(sums, _mm512_permutexvar_epi64(last, up_to));
    }
    *sum = _mm_cvtsi128_si64(_mm512_castsi512_si128(sums));
    return k;
}

/* The products of each row, from those before its bounds, eight at a time. Returns for how many rows. */
SPG_AVX512 static int64_t subtract_in_vectors(const int64_t *before, const int64_t *bounds, int64_t rows,
                                              int64_t *row_products)
{
    __m512i last = _mm512_setzero_si512(); /* before[bounds[0]] is 0 */
    int64_t r = 0;
    for (; r + 8 <= rows; r += 8) {
        const __m512i ends = _mm512_i64gather_epi64(_mm512_loadu_si512(bounds + r + 1), before, 8);
        _mm512_storeu_si512(row_products + r, _mm512_sub_epi64(ends, _mm512_alignr_epi64(ends, last, 7)));
        last = ends;
    }
    return r;
}
#endif

bool spg_describe_entries(const spg_csr *A, const spg_csr *B, int64_t first, int64_t count, int64_t *starts,
                          int32_t *lengths)
{
    if (count == 0) return true;
    if (B->rows == 0) return false;
#if SPG_HAVE_AVX512
    if (B->offset_type == SPG_I32 && spg_host_vector_level() >= SPG_VECTOR_AVX512)
        return describe_in_vectors(A->columns + first, B->row_offsets, B, count, starts, lengths);
#endif
    if (B->offset_type == SPG_I32)
        return describe_int32_t(A->columns + first, B->row_offsets, B, count, starts, lengths);
    return describe_int64_t(A->columns + first, B->row_offsets, B, count, starts, lengths);
}

void spg_load_bounds(spg_worker *worker, int64_t first_row, int64_t end_row)
{
    const spg_csr *A = worker->shared->product->A;
    row_chunk *chunk = &worker->chunk;
    chunk->first_row = first_row;
    chunk->first_entry = spg_offset_at(A, first_row);
    chunk->rows = end_row - first_row;
    for (int64_t r = 0; r <= chunk->rows; r++)
        chunk->bounds[r] = distance(chunk->first_entry, spg_offset_at(A, first_row + r));
    chunk->has_long_row = chunk->rows > 0 && distance(chunk->bounds[chunk->rows - 1], chunk->bounds[chunk->rows]) >
                                                 2 * worker->shared->sizes.chunk_entries;
    chunk->rows -= chunk->has_long_row;
}

/* chunk->before and chunk->row_products, from the entries' lengths. */
static void count_products(row_chunk *chunk, spg_vector_level vector)
{
    const int64_t entries = chunk->bounds[chunk->rows], *bounds = chunk->bounds;
    const int32_t *lengths = chunk->lengths;
    int64_t *before = chunk->before, products = 0, k = 0, r = 0;
#if SPG_HAVE_AVX512
    if (vector >= SPG_VECTOR_AVX512) k = sum_in_vectors(lengths, entries, before, &products);
#endif
    for (; k + 4 <= entries; k += 4) { /* unrolled, so that the speed does not depend on the alignment of the loop */
        before[k] = products;
        before[k + 1] = products + lengths[k];
        before[k + 2] = before[k + 1] + lengths[k + 1];
        before[k + 3] = before[k + 2] + lengths[k + 2];
        products = before[k + 3] + lengths[k + 3];
    }
    for (; k < entries; k++) {
        before[k] = products;
        products += lengths[k];
    }
    before[entries] = chunk->products = products;
#if SPG_HAVE_AVX512
    if (vector >= SPG_VECTOR_AVX512) r = subtract_in_vectors(before, bounds, chunk->rows, chunk->row_products);
#endif
    for (; r < chunk->rows; r++) chunk->row_products[r] = before[bounds[r + 1]] - before[bounds[r]];
    (void)vector;
}

bool spg_describe_chunk(spg_worker *worker)
{
    row_chunk *chunk = &worker->chunk;
    const spg_csr *A = worker->shared->product->A, *B = worker->shared->product->B;
    if (!spg_describe_entries(A, B, chunk->first_entry, chunk->bounds[chunk->rows], chunk->starts, chunk->lengths))
        return false;
    count_products(chunk, worker->shared->vector);
    return true;
}

bool spg_load_chunk(spg_worker *worker, int64_t index)
{
    const multiplication *shared = worker->shared;
    worker->chunk.index = index;
    spg_load_bounds(worker, spg_chunk_begin(shared, index), spg_chunk_begin(shared, index + 1));
    return spg_describe_chunk(worker);
}
