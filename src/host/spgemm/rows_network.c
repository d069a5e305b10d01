/* Expand, sort, contract of a short row in vector registers: keys of 32 bits hold the column above the number of the
 * product (the paper's packed permutation index, section 3.3), sorted by a network, so that no branch depends on the
 * matrix. What shuffled meshes need; AVX-512 only. */
#include "rows.h"
#include "sort.h"
#include "vector.h"

#if SPG_HAVE_AVX512
#include "lanes.h"
#include "sort_network.h"

enum { BATCH_ROWS = 32, LEAD = 16 };

/* Rows go through each phase together, so that one row's wait for its own stores is another's work. */
typedef struct network_row {
    int64_t row, begin; /* in the chunk; of its entries in the staging */
    int32_t base;       /* subtracted from the columns */
    int count, n, keys; /* products, entries, where its keys are */
} network_row;

typedef struct network_batch {
    int rows;
    network_row row[BATCH_ROWS];
} network_batch;

static uint32_t *batch_keys(const spg_worker *worker, const network_row *it)
{
    return (uint32_t *)(void *)worker->keys + it->keys;
}

/* The row must have few enough products, whose columns minus base leave room for the number. */
static bool row_fits_network(const spg_worker *worker, int64_t row, int32_t *base)
{
    *base = 0;
    if (worker->chunk.row_products[row] > NETWORK_KEYS) return false;
    if (worker->shared->product->B->cols <= NETWORK_COLUMNS) return true;
    const column_range range = spg_row_column_range(worker, row);
    *base = (int32_t)range.first;
    return range.last - range.first < NETWORK_COLUMNS;
}

/* The rows from `row` on that fit the network, the arrays and the staging. False if there are none. */
static bool open_batch(spg_worker *worker, int64_t row, int64_t end, network_batch *batch)
{
    const int64_t room = 2 * worker->shared->sizes.sort_products;
    int64_t keys = LEAD, entries = 0;
    batch->rows = 0;
    if (!worker->shared->vector) return false;
    for (; row < end && batch->rows < BATCH_ROWS; row++) {
        const int64_t count = worker->chunk.row_products[row];
        network_row *it = &batch->row[batch->rows];
        if (!row_fits_network(worker, row, &it->base) || keys + spg_network_size((int)count) + LEAD > room) break;
        if (entries + count > worker->shared->sizes.staging_entries) break;
        it->row = row;
        it->count = (int)count;
        it->keys = (int)keys;
        keys += spg_network_size(it->count) + LEAD;
        entries += count;
        batch->rows++;
    }
    return batch->rows > 0 && spg_make_room(worker, entries);
}

/* Asks for the columns that the batch after this one will expand. On shuffled meshes they come from far. */
static void prefetch_next_batch(const spg_worker *worker, const network_batch *batch, int64_t end)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *b_columns = worker->shared->product->B->columns;
    const int64_t first = batch->row[batch->rows - 1].row + 1;
    const int64_t last = first + batch->rows < end ? first + batch->rows : end;
    for (int64_t k = chunk->bounds[first]; k < chunk->bounds[last]; k++)
        __builtin_prefetch(b_columns + chunk->starts[k]);
}

/* Expansion: (column, number) of each product, flat. Room for eight more keys is needed. The values, which contraction
 * will read, are asked for. */
SPG_AVX512 static void expand_keys(const spg_worker *worker, const network_row *it, uint32_t *keys)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *b_columns = worker->shared->product->B->columns;
    const __m256i bases = _mm256_set1_epi32(it->base);
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const char *b_values = worker->shared->product->B->values;
    const int64_t value_bytes = worker->shared->value_bytes;
    int count = 0;
    for (int64_t k = chunk->bounds[it->row]; k < chunk->bounds[it->row + 1]; k++) {
        int64_t t = chunk->starts[k];
        __builtin_prefetch(b_values + t * value_bytes);
        for (int left = chunk->lengths[k]; left > 0; left -= 8, t += 8) {
            const __m256i loaded = _mm256_maskz_loadu_epi32((__mmask8)first_lanes(left), b_columns + t);
            const __m256i columns = _mm256_slli_epi32(_mm256_sub_epi32(loaded, bases), NETWORK_NUMBER_BITS);
            const __m256i numbers = _mm256_add_epi32(lanes, _mm256_set1_epi32(count));
            _mm256_storeu_si256((__m256i *)(void *)(keys + count), _mm256_or_si256(columns, numbers));
            count += left < 8 ? left : 8;
        }
    }
}

/* The keys that differ in column from the one before, of the 16 from i on. */
LANES_INLINE __mmask16 heads_of(const uint32_t *keys, int i, int count)
{
    const __m512i changed = _mm512_xor_si512(_mm512_loadu_si512(keys + i), _mm512_loadu_si512(keys + i - 1));
    return _mm512_mask_cmpge_epu32_mask(first_lanes(count - i), changed, _mm512_set1_epi32(NETWORK_KEYS));
}

/* The columns of C's row, to the staging, which has room for 16 more. */
SPG_AVX512 static void emit_columns(spg_worker *worker, network_row *it, uint32_t *keys)
{
    const __m512i bases = _mm512_set1_epi32(it->base);
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
    worker->row_counts[it->row] = n;
}

/* places[number] = the rank of its column in C's row. */
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

/* products[0..8) = a * values[at..at+8) where the mask allows reading. Stored by halves, which later loads of single
 * products can be served from. */
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

#define TEMPLATE "host/spgemm/rows_network.inc.h"
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
