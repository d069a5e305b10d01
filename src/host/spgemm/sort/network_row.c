/* Expand, sort and contract a short row in vector registers. Keys of 32 bits hold the column above the number of the
 * product (the paper's packed permutation index, section 3.3) and are sorted by a network, so that no branch depends on
 * the matrix. This is the kernel for shuffled meshes; AVX-512 only. */
#include "host/spgemm/rows.h"
#include "host/vector.h"
#include "radix.h"

#if SPG_HAVE_AVX512
#include "host/spgemm/lanes.h"
#include "network.h"

enum { BATCH_ROWS = 32, LEAD = 16 };

typedef struct network_row {
    int count, n;  /* products, entries */
    int first;     /* the first of its products in the batch */
    int slot;      /* the position of its sorted keys */
    int64_t begin; /* the position of its entries in the staging buffer */
} network_row;

/* All rows of a batch go through each phase before the next one, so that work on other rows hides the latency of a
 * row's stores. Products are numbered through the batch, so that expansion does not depend on the ends of rows. */
typedef struct network_batch {
    int64_t first_row;
    int rows;
    int32_t base; /* subtracted from the columns */
    int64_t first_entry, end_entry, first_product;
    uint32_t *keys, *sorted;
    network_row row[BATCH_ROWS];
} network_batch;

/* How many rows from `row` on have few enough products for the network and the arrays. */
static int count_rows(const spg_worker *worker, int64_t row, int64_t end, network_row *rows)
{
    const worker_sizes *sizes = &worker->shared->sizes;
    int64_t slots = LEAD, products = 0;
    int n = 0;
    for (; row < end && n < BATCH_ROWS; row++, n++) {
        const int64_t count = worker->chunk.row_products[row];
        if (count > NETWORK_KEYS) break;
        const int size = spg_network_size((int)count);
        if (slots + size + LEAD > 2 * sizes->sort_products || products + count > sizes->sort_products) break;
        rows[n] = (network_row){.count = (int)count, .first = (int)products, .slot = (int)slots};
        slots += size + LEAD;
        products += count;
    }
    return n;
}

/* The rows from `row` on that fit the network, the arrays and the staging buffer. False if there are none. Columns
 * minus a base must leave room for the number; if they might not, the batch has one row. */
static bool open_batch(spg_worker *worker, int64_t row, int64_t end, network_batch *batch)
{
    const row_chunk *chunk = &worker->chunk;
    if (worker->shared->vector < SPG_VECTOR_AVX512) return false;
    batch->base = 0;
    if (worker->shared->product->B->cols > NETWORK_COLUMNS) {
        const column_range range = spg_row_column_range(worker, row);
        if (range.last - range.first >= NETWORK_COLUMNS) return false;
        batch->base = (int32_t)range.first;
        end = row + 1;
    }
    batch->first_row = row;
    batch->rows = count_rows(worker, row, end, batch->row);
    batch->first_entry = chunk->bounds[row];
    batch->end_entry = chunk->bounds[row + batch->rows];
    batch->first_product = chunk->before[batch->first_entry];
    batch->keys = (uint32_t *)(void *)worker->keys;
    batch->sorted = (uint32_t *)(void *)worker->keys_spare;
    return batch->rows > 0 && spg_make_room(worker, chunk->before[batch->end_entry] - batch->first_product);
}

/* Prefetches the columns that the next batch will expand. On shuffled meshes they are far apart. */
static void prefetch_next_batch(const spg_worker *worker, const network_batch *batch, int64_t end)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *b_columns = worker->shared->product->B->columns;
    const int64_t first = batch->first_row + batch->rows;
    const int64_t last = first + batch->rows < end ? first + batch->rows : end;
    for (int64_t k = chunk->bounds[first]; k < chunk->bounds[last]; k++)
        __builtin_prefetch(b_columns + chunk->starts[k]);
}

/* Expansion: (column, number) for each product of the batch; numbers within a row differ in their low bits. Prefetches
 * the values, which contraction will read. Needs room for eight more keys. */
SPG_AVX512 static void expand_keys(const spg_worker *worker, const network_batch *batch)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *b_columns = worker->shared->product->B->columns;
    const char *b_values = worker->shared->product->B->values;
    const int64_t value_bytes = worker->shared->value_bytes;
    const __m256i bases = _mm256_set1_epi32(batch->base), low_bits = _mm256_set1_epi32(NETWORK_KEYS - 1);
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    for (int64_t k = batch->first_entry; k < batch->end_entry; k++) {
        int64_t t = chunk->starts[k], at = chunk->before[k] - batch->first_product;
        __builtin_prefetch(b_values + t * value_bytes);
        for (int left = chunk->lengths[k]; left > 0; left -= 8, t += 8, at += 8) {
            const __m256i loaded = _mm256_maskz_loadu_epi32((__mmask8)first_lanes(left), b_columns + t);
            const __m256i columns = _mm256_slli_epi32(_mm256_sub_epi32(loaded, bases), NETWORK_NUMBER_BITS);
            const __m256i numbers = _mm256_and_si256(_mm256_add_epi32(lanes, _mm256_set1_epi32((int)at)), low_bits);
            _mm256_storeu_si256((__m256i *)(void *)(batch->keys + at), _mm256_or_si256(columns, numbers));
        }
    }
}

/* Of the 16 keys from i on, those that differ in column from the key before. */
LANES_INLINE __mmask16 heads_of(const uint32_t *keys, int i, int count)
{
    const __m512i changed = _mm512_xor_si512(_mm512_loadu_si512(keys + i), _mm512_loadu_si512(keys + i - 1));
    return _mm512_mask_cmpge_epu32_mask(first_lanes(count - i), changed, _mm512_set1_epi32(NETWORK_KEYS));
}

/* Writes the columns of a row of C to the staging buffer, which has room for 16 more. */
SPG_AVX512 static void emit_columns(spg_worker *worker, const network_batch *batch, network_row *it)
{
    const __m512i bases = _mm512_set1_epi32(batch->base);
    uint32_t *keys = batch->sorted + it->slot;
    int32_t *columns = worker->columns + worker->staged;
    int n = 0;
    keys[-1] = ~keys[0];
    for (int i = 0; i < it->count; i += 16) {
        const __mmask16 heads = heads_of(keys, i, it->count);
        const __m512i here = _mm512_srli_epi32(_mm512_loadu_si512(keys + i), NETWORK_NUMBER_BITS);
        _mm512_storeu_si512(columns + n, _mm512_maskz_compress_epi32(heads, _mm512_add_epi32(here, bases)));
        n += _mm_popcnt_u32(heads);
    }
    it->begin = worker->staged;
    it->n = n;
    worker->staged += n;
}

/* places[low bits of the number] = the rank of its column in the row of C. */
SPG_AVX512 static void find_places(const uint32_t *keys, int count, uint8_t *places)
{
    int place = -1;
    for (int i = 0; i < count; i += 16) {
        const unsigned heads = heads_of(keys, i, count);
        const int end = count - i < 16 ? count - i : 16;
        for (int lane = 0; lane < end; lane++) {
            place += (int)(heads >> lane & 1);
            places[keys[i + lane] & (NETWORK_KEYS - 1)] = (uint8_t)place;
        }
    }
}

/* products[0..8) = a * values[at..at+8), where the mask allows reading. Stored in halves, so that later loads of single
 * products can use store forwarding. */
LANES_INLINE void multiply_8_f64(double a, const double *values, int64_t at, __mmask8 mask, double *products)
{
    const __m512d b = _mm512_mul_pd(_mm512_set1_pd(a), _mm512_maskz_loadu_pd(mask, values + at));
    _mm256_storeu_pd(products, _mm512_castpd512_pd256(b));
    _mm256_storeu_pd(products + 4, _mm512_extractf64x4_pd(b, 1));
}

LANES_INLINE void multiply_8_f32(float a, const float *values, int64_t at, __mmask8 mask, float *products)
{
    const __m256 b = _mm256_maskz_loadu_ps(mask, values + at);
    _mm256_storeu_ps(products, _mm256_mul_ps(_mm256_set1_ps(a), b));
}

LANES_INLINE void multiply_8_c32(value_c32 a, const value_c32 *values, int64_t at, __mmask8 mask, value_c32 *products)
{
    for (int i = 0; mask >> i != 0; i++) products[i] = product_c32(a, values[at + i]);
}

LANES_INLINE void multiply_8_c64(value_c64 a, const value_c64 *values, int64_t at, __mmask8 mask, value_c64 *products)
{
    for (int i = 0; mask >> i != 0; i++) products[i] = product_c64(a, values[at + i]);
}

LANES_INLINE void multiply_8_none(value_none a, const value_none *values, int64_t at, __mmask8 mask,
                                  value_none *products)
{
    (void)a, (void)values, (void)at, (void)mask, (void)products;
}

#define TEMPLATE "host/spgemm/sort/network_row.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
#else
#define REFUSE(suffix)                                                                                                 \
    int64_t spg_rows_network_##suffix(spg_worker *worker, int64_t row, int64_t end)                                    \
    {                                                                                                                  \
        return (void)worker, (void)row, (void)end, 0;                                                                  \
    }
REFUSE(none)
REFUSE(f32)
REFUSE(f64)
REFUSE(c32)
REFUSE(c64)
#endif
