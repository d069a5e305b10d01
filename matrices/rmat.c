/* R-MAT graphs (Chakrabarti, Zhan, Faloutsos: R-MAT, A Recursive Model for Graph Mining, SDM 2004): 2^S vertices, 16
 * edges a vertex, quadrants (0.57, 0.19, 0.19, 0.05), plus the diagonal; repeated edges add up. An edge weighs -1 and a
 * diagonal entry is 1 + the row's edges, those to the vertex itself among them.
 *
 * Linear in time; beside the matrix it needs 160 bytes a vertex at most, and 84 while the matrix is written. */
#include "families.h"
#include "random_bits.h"

#include <stdlib.h>

enum { EDGES_A_VERTEX = 16, WORDS_AN_EDGE = 16 };
enum { STREAM_EDGES = 40 };

typedef struct edge_list {
    int scale;
    int64_t vertices, edges; /* the diagonal's entries count as edges, after the random ones */
    uint64_t key;
    int64_t *row_starts;  /* vertices + 1 */
    int32_t *row_columns; /* of each row, ascending, repeated as drawn */
} edge_list;

/* Edge e: in each level 32 random bits choose a quadrant, 16 words serving up to 32 levels. */
static void draw_edge(const edge_list *list, int64_t e, int32_t *row, int32_t *column)
{
    const uint64_t one = (uint64_t)1 << 32;
    const uint64_t first = one * 57 / 100, second = one * 76 / 100, third = one * 95 / 100;
    if (e >= list->vertices * EDGES_A_VERTEX) {
        *row = *column = (int32_t)(e - list->vertices * EDGES_A_VERTEX);
        return;
    }
    uint64_t bits = 0;
    uint32_t i = 0, j = 0;
    for (int level = 0; level < list->scale; level++) {
        bits = level % 2 == 0 ? random_bits(list->key, (uint64_t)e * WORDS_AN_EDGE + (uint64_t)level / 2) : bits >> 32;
        uint64_t u = bits & UINT32_MAX;
        i = 2 * i + (u >= second);
        j = 2 * j + ((u >= first) ^ (u >= second) ^ (u >= third));
    }
    *row = (int32_t)i;
    *column = (int32_t)j;
}

/* Turns counts[k+1] of group k into where each group starts. */
static void scan_counts(int64_t *counts, int64_t groups)
{
    for (int64_t k = 0; k < groups; k++) counts[k + 1] += counts[k];
}

/* Groups the edges by column, then walks the columns in order and deals them out to the rows: each row gets its columns
 * in ascending order without a comparison. column_starts is zeroed, row_starts too. */
static void sort_edges(edge_list *list, int64_t *column_starts, int32_t *column_rows)
{
    int64_t *row_starts = list->row_starts;
    int32_t row, column;
    for (int64_t e = 0; e < list->edges; e++) {
        draw_edge(list, e, &row, &column);
        row_starts[row + 1]++;
        column_starts[column + 1]++;
    }
    scan_counts(row_starts, list->vertices);
    scan_counts(column_starts, list->vertices);
    for (int64_t e = 0; e < list->edges; e++) {
        draw_edge(list, e, &row, &column);
        column_rows[column_starts[column]++] = row;
    }
    int64_t k = 0; /* column_starts[column] is now the column's end */
    for (column = 0; column < list->vertices; column++)
        for (; k < column_starts[column]; k++) list->row_columns[row_starts[column_rows[k]]++] = column;
    for (int64_t r = list->vertices; r > 0; r--) row_starts[r] = row_starts[r - 1];
    row_starts[0] = 0;
}

static spg_status build_edges(const generator_request *request, edge_list *list)
{
    void *column_starts = NULL, *column_rows = NULL, *row_starts = NULL, *row_columns = NULL;
    spg_context *context = request->context;
    spg_status status = allocate_scratch(context, list->vertices + 1, sizeof(int64_t), &row_starts);
    if (status == SPG_OK) status = allocate_scratch(context, list->edges, sizeof(int32_t), &row_columns);
    if (status == SPG_OK) status = allocate_scratch(context, list->vertices + 1, sizeof(int64_t), &column_starts);
    if (status == SPG_OK) status = allocate_scratch(context, list->edges, sizeof(int32_t), &column_rows);
    list->row_starts = row_starts;
    list->row_columns = row_columns;
    if (status == SPG_OK) {
        for (int64_t i = 0; i <= list->vertices; i++) list->row_starts[i] = ((int64_t *)column_starts)[i] = 0;
        sort_edges(list, column_starts, column_rows);
    }
    free(column_rows);
    free(column_starts);
    return status;
}

/* Writes the rows, or only counts their entries where matrix is NULL. */
static int64_t merge_edges(const edge_list *list, const spg_csr *matrix)
{
    int64_t entries = 0;
    for (int64_t row = 0; row < list->vertices; row++) {
        int64_t end = list->row_starts[row + 1], next;
        for (int64_t k = list->row_starts[row]; k < end; k = next, entries++) {
            int32_t column = list->row_columns[k];
            for (next = k + 1; next < end && list->row_columns[next] == column; next++) continue;
            if (matrix == NULL) continue;
            int64_t value = column == row ? end - list->row_starts[row] : -(next - k);
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
    list.key = random_key(request->seed, STREAM_EDGES);
    status = build_edges(request, &list);
    if (status == SPG_OK) status = allocate_square(request, list.vertices, merge_edges(&list, NULL), matrix);
    if (status == SPG_OK) merge_edges(&list, matrix);
    free(list.row_columns);
    free(list.row_starts);
    return status;
}
