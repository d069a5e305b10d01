/* Matrices without geometry: random columns near the diagonal (economics) or anywhere, an arrow, rows of all lengths,
 * and nearly or entirely empty matrices. Random matrices have weights in [0.5, 1.5), negated, and diagonals one larger
 * than the sum of their row's weights. Nothing is allocated besides the matrix: the columns are drawn twice, to count
 * and to write. */
#include "families.h"
#include "random_bits.h"

enum { DRAWS_MOST = 8 };

/* Every row, or a random one in `one_row_in`, has the diagonal and `draws` random columns, without repeats. */
typedef struct draw_rule {
    int draws;
    int64_t reach; /* columns at most this far from the diagonal, those past the edge moved to it; 0: anywhere */
    int64_t one_row_in;
    uint64_t columns, rows, weights; /* keys */
} draw_rule;

static int64_t draw_column(const draw_rule *rule, int64_t n, int64_t row, int draw)
{
    uint64_t bits = random_bits(rule->columns, (uint64_t)row * DRAWS_MOST + (uint64_t)draw);
    if (rule->reach == 0) return random_below(bits, n);
    int64_t column = row - rule->reach + random_below(bits, 2 * rule->reach + 1);
    if (column < 0) return 0;
    return column < n ? column : n - 1;
}

/* Returns the number of columns of a row, sorted, without repeats. */
static int draw_row(const draw_rule *rule, int64_t n, int64_t row, int32_t *columns)
{
    if (rule->one_row_in > 1 && random_below(random_bits(rule->rows, (uint64_t)row), rule->one_row_in) != 0) return 0;
    int drawn = 0;
    columns[drawn++] = (int32_t)row;
    for (int d = 0; d < rule->draws; d++) columns[drawn++] = (int32_t)draw_column(rule, n, row, d);
    sort_short_row(columns, drawn);
    int count = 0;
    for (int d = 0; d < drawn; d++)
        if (count == 0 || columns[d] != columns[count - 1]) columns[count++] = columns[d];
    return count;
}

static void put_row(const draw_rule *rule, const spg_csr *matrix, int64_t row, const int32_t *columns, int count,
                    int64_t k)
{
    double diagonal = 1.0;
    for (int j = 0; j < count; j++)
        if (columns[j] != row) diagonal += random_weight(rule->weights, row, columns[j]);
    for (int j = 0; j < count; j++)
        put_entry(matrix, k + j, row, columns[j],
                  columns[j] == row ? diagonal : -random_weight(rule->weights, row, columns[j]));
}

static spg_status generate_drawn(const generator_request *request, draw_rule *rule, uint64_t stream, spg_csr *matrix)
{
    rule->columns = random_key(request->seed, stream);
    rule->rows = random_key(request->seed, stream + 1);
    rule->weights = random_key(request->seed, stream + 2);
    int64_t n = request->size, nnz = 0;
    int32_t columns[DRAWS_MOST + 1];
    spg_status status = check_order(request, n);
    if (status != SPG_OK) return status;
    for (int64_t row = 0; row < n; row++) nnz += draw_row(rule, n, row, columns);
    status = allocate_square(request, n, nnz, matrix);
    if (status != SPG_OK) return status;
    int64_t k = 0;
    for (int64_t row = 0; row < n; row++) {
        int count = draw_row(rule, n, row, columns);
        put_row(rule, matrix, row, columns, count, k);
        k += count;
        set_offset(matrix, row + 1, k);
    }
    return SPG_OK;
}

/* Like mac_econ_fwd500 of the SuiteSparse collection: 5 columns within 2000 of the diagonal. The stream was chosen so
 * that seed 1 gives the same number of entries, 1235965; other seeds differ by about 0.005 %. */
spg_status generate_econ(const generator_request *request, spg_csr *matrix)
{
    enum { STREAM_ECON = 412 };
    draw_rule rule = {.draws = 5, .reach = 2000, .one_row_in = 1};
    return generate_drawn(request, &rule, STREAM_ECON, matrix);
}

spg_status generate_random(const generator_request *request, spg_csr *matrix)
{
    enum { STREAM_RANDOM = 20 };
    draw_rule rule = {.draws = 7, .one_row_in = 1};
    return generate_drawn(request, &rule, STREAM_RANDOM, matrix);
}

/* Fewer entries than rows (Buluc, Gilbert: On the Representation and Multiplication of Hypersparse Matrices, 2008). */
spg_status generate_hypersparse(const generator_request *request, spg_csr *matrix)
{
    enum { STREAM_HYPERSPARSE = 30 };
    draw_rule rule = {.draws = 3, .one_row_in = 64};
    return generate_drawn(request, &rule, STREAM_HYPERSPARSE, matrix);
}

spg_status generate_empty(const generator_request *request, spg_csr *matrix)
{
    spg_status status = check_order(request, request->size);
    return status == SPG_OK ? allocate_square(request, request->size, 0, matrix) : status;
}

/* Full row 0 and column 0, and the diagonal: its square is dense. */
spg_status generate_arrow(const generator_request *request, spg_csr *matrix)
{
    int64_t n = request->size;
    spg_status status = check_order(request, n);
    if (status == SPG_OK) status = allocate_square(request, n, n > 0 ? 3 * n - 2 : 0, matrix);
    if (status != SPG_OK) return status;
    int64_t k = 0;
    for (int64_t column = 0; column < n; column++) put_entry(matrix, k++, 0, column, column == 0 ? (double)n : -1.0);
    if (n > 0) set_offset(matrix, 1, k);
    for (int64_t row = 1; row < n; row++) {
        put_entry(matrix, k++, row, 0, -1.0);
        put_entry(matrix, k++, row, row, 2.0);
        set_offset(matrix, row + 1, k);
    }
    return SPG_OK;
}

/* The length of a row of the ladder: the largest power of two that divides its number, from 1, up to an eighth of the
 * rows. So the rows of each length have about as many entries in all, and long rows lie among short ones. */
static int64_t ladder_length(int64_t n, int64_t row)
{
    const int64_t power = (row + 1) & -(row + 1), least_most = n < 4 ? n : 4;
    const int64_t most = n / 8 > least_most ? n / 8 : least_most;
    return power < most ? power : most;
}

/* One column in each of `length` equal parts of the row: the diagonal in its part, a random one in the others. */
static int64_t ladder_column(uint64_t key, int64_t n, int64_t row, int64_t length, int64_t part)
{
    const int64_t begin = part * n / length, end = (part + 1) * n / length;
    if (row >= begin && row < end) return row;
    return begin + random_below(random_bits(key, ((uint64_t)row << 31) + (uint64_t)part), end - begin);
}

/* Rows of 1 to N/8 entries; A*A needs from 1 to about N products per row. */
spg_status generate_ladder(const generator_request *request, spg_csr *matrix)
{
    enum { STREAM_LADDER = 40 };
    const uint64_t columns = random_key(request->seed, STREAM_LADDER),
                   weights = random_key(request->seed, STREAM_LADDER + 1);
    const int64_t n = request->size;
    int64_t nnz = 0, k = 0;
    spg_status status = check_order(request, n);
    for (int64_t row = 0; status == SPG_OK && row < n; row++) nnz += ladder_length(n, row);
    if (status == SPG_OK) status = allocate_square(request, n, nnz, matrix);
    if (status != SPG_OK) return status;
    for (int64_t row = 0; row < n; row++) {
        const int64_t length = ladder_length(n, row);
        int64_t at = k;
        double diagonal = 1.0;
        for (int64_t part = 0; part < length; part++, k++) {
            const int64_t column = ladder_column(columns, n, row, length, part);
            const double weight = random_weight(weights, row, column);
            if (column == row) at = k;
            if (column != row) diagonal += weight;
            put_entry(matrix, k, row, column, -weight);
        }
        put_entry(matrix, at, row, row, diagonal);
        set_offset(matrix, row + 1, k);
    }
    return SPG_OK;
}
