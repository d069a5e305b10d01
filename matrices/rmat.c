/* R-MAT graphs (Chakrabarti, Zhan, Faloutsos: R-MAT, A Recursive Model for Graph Mining, SDM 2004): 2^S vertices, 16
 * edges per vertex, quadrants (0.57, 0.19, 0.19, 0.05), plus the diagonal; repeated edges add up. An edge has weight
 * -1, and a diagonal entry is 1 + the number of the row's edges, including self-loops.
 *
 * Edges are keys (row, column), drawn in any order and sorted. This needs 272 bytes per vertex besides the matrix, and
 * 136 while the matrix is written. */
#include "families.h"
#include "random_bits.h"

#include <stdlib.h>

enum { EDGES_A_VERTEX = 16, WORDS_AN_EDGE = 16, DIGIT_BITS = 8 };
enum { STREAM_EDGES = 40 };

typedef struct edge_list {
    int scale;
    int64_t vertices, edges; /* the diagonal's entries count as edges */
    uint64_t *keys;          /* row * vertices + column, ascending */
} edge_list;

/* Edge e: on each level 32 random bits choose a quadrant, 16 words for up to 32 levels. */
static uint64_t draw_edge(uint64_t key, int scale, int64_t e)
{
    const uint64_t one = (uint64_t)1 << 32;
    const uint64_t first = one * 57 / 100, second = one * 76 / 100, third = one * 95 / 100;
    uint64_t bits = 0, row = 0, column = 0;
    for (int level = 0; level < scale; level++) {
        bits = level % 2 == 0 ? random_bits(key, (uint64_t)e * WORDS_AN_EDGE + (uint64_t)level / 2) : bits >> 32;
        uint64_t u = bits & UINT32_MAX;
        row = 2 * row + (u >= second);
        column = 2 * column + ((u >= first) ^ (u >= second) ^ (u >= third));
    }
    return row << scale | column;
}

static void draw_edges(const edge_list *list, uint64_t seed)
{
    uint64_t key = random_key(seed, STREAM_EDGES);
    int64_t drawn = list->vertices * EDGES_A_VERTEX;
    for (int64_t e = 0; e < drawn; e++) list->keys[e] = draw_edge(key, list->scale, e);
    for (int64_t i = 0; i < list->vertices; i++) list->keys[drawn + i] = (uint64_t)i << list->scale | (uint64_t)i;
}

/* One pass of a radix sort, by the digit at bit `shift`. */
static void sort_by_digit(const uint64_t *keys, int64_t count, int shift, uint64_t *sorted)
{
    enum { DIGITS = 1 << DIGIT_BITS };
    int64_t starts[DIGITS + 1] = {0};
    for (int64_t k = 0; k < count; k++) starts[(keys[k] >> shift) % DIGITS + 1]++;
    for (int digit = 0; digit < DIGITS; digit++) starts[digit + 1] += starts[digit];
    for (int64_t k = 0; k < count; k++) sorted[starts[(keys[k] >> shift) % DIGITS]++] = keys[k];
}

/* The caller frees list->keys, also after a failure. */
static spg_status make_edges(const generator_request *request, edge_list *list)
{
    void *keys = NULL, *spare = NULL;
    spg_status status = allocate_scratch(request->context, list->edges, sizeof(uint64_t), &keys);
    if (status == SPG_OK) status = allocate_scratch(request->context, list->edges, sizeof(uint64_t), &spare);
    list->keys = keys;
    if (status == SPG_OK) {
        draw_edges(list, request->seed);
        for (int shift = 0; shift < 2 * list->scale; shift += DIGIT_BITS) {
            uint64_t *sorted = spare;
            sort_by_digit(list->keys, list->edges, shift, sorted);
            spare = list->keys;
            list->keys = sorted;
        }
    }
    free(spare);
    return status;
}

/* Writes the rows or, if matrix is NULL, only counts their entries. */
static int64_t merge_edges(const edge_list *list, const spg_csr *matrix)
{
    int64_t entries = 0, k = 0, row_end = 0;
    for (int64_t row = 0; row < list->vertices; row++) {
        int64_t row_start = row_end;
        while (row_end < list->edges && (int64_t)(list->keys[row_end] >> list->scale) == row) row_end++;
        for (int64_t next; k < row_end; k = next, entries++) {
            for (next = k + 1; next < row_end && list->keys[next] == list->keys[k]; next++) continue;
            if (matrix == NULL) continue;
            int64_t column = (int64_t)(list->keys[k] & (uint64_t)(list->vertices - 1));
            int64_t value = column == row ? row_end - row_start : -(next - k);
            put_entry(matrix, entries, row, column, (double)value);
        }
        if (matrix != NULL) set_offset(matrix, row + 1, entries);
    }
    return entries;
}

spg_status generate_rmat(const generator_request *request, spg_csr *matrix)
{
    int64_t scale = request->size;
    spg_status status = check_order(request, scale < 32 ? (int64_t)1 << scale : INT64_MAX);
    if (status != SPG_OK) return status;
    edge_list list = {.scale = (int)scale, .vertices = (int64_t)1 << scale};
    list.edges = list.vertices * (EDGES_A_VERTEX + 1);
    status = make_edges(request, &list);
    if (status == SPG_OK) status = allocate_square(request, list.vertices, merge_edges(&list, NULL), matrix);
    if (status == SPG_OK) merge_edges(&list, matrix);
    free(list.keys);
    return status;
}
