/* Chooses how the rows of a product are done (route/route.cuh). Binning costs more than it gains if rows are uniform,
 * as in most matrices of multigrid. So a sample of rows decides; rows unlike the sample become overflow rows of the
 * counting kernels. */
#include "../analysis/sample.cuh"
#include "../assemble/reserved.cuh"
#include "../driver/groups.cuh"
#include "../hash_group/kept_rows.cuh"
#include "../shifted/runs.cuh"
#include "../symmetric_half/half_rows.cuh"
#include "route.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    SHORT_A_ROW = 11,     /* mean length of A's rows up to which a thread a row is used without a sample */
    SHORT_PRODUCTS = 96,  /* mean products of a row, likewise */
    MERGE_PRODUCTS = 256, /* mean products of a row up to which merging counts faster than tables */
    /* Mean products of a row, and products per entry of C, from which rows are counted and filled in one pass and kept
     * (spgemm_bench, H100, RAP: fe3d27 2.4 ms, 3.2 without; 2.9 if its A*P, with 121 products a row, is kept as
     * well). */
    KEPT_PRODUCTS = 160,
    KEPT_CONTRACTION = 4,
    /* Mean products of a row from which runs of shifted rows are looked for (spgemm_bench, H100, A*A of fe3d27: 2.7 ms,
     * 7.8 as uniform rows). */
    SHIFTED_PRODUCTS = 160,
    SAMPLE_ROWS = 1024
};

/* For the symmetric half. FEW_ROWS: rows per multiprocessor below which each gets a whole warp. SHORT_B: mean length of
 * B's rows up to which four lanes a row are used; LONG_B: up to which the half is used. LENGTH: entries of a row of C
 * from the diagonal on, as a multiple of B's mean row, that cover nearly all rows (of the grids and meshes of matrices/
 * and their hierarchies 4.6, on coarse levels 6.0; longer rows cost more: symmetric_half/half_rows.cuh). spgemm_bench,
 * H100, RAP by halves and whole: fd2d5 0.52 ms and 0.57 (0.55 with 8 lanes a row), tri2d 0.87 and 0.94, fd3d7 0.82 and
 * 1.15, fe3d27 2.1 and 2.2, tet3d 2.4 and 2.5, elast3d, of few rows, 0.44 and 0.50. */
enum { HALF_FEW_ROWS = 64, HALF_SHORT_B = 7, HALF_LONG_B = 20 };
constexpr double HALF_LENGTH = 4.5, HALF_LENGTH_FEW = 8;

/* Mean entries of A's rows, with fewer rows than multiprocessors, above which a warp or block a row is too slow;
 * long_rows splits them. */
enum { FEW_LONG_A = 4096 };

/* Rows (or triples and pairs done as one) per multiprocessor below which rows are few, and products of a row from which
 * one warp takes too long: such rows are split over blocks (amg_bench, H100, solid3d:40: R*A*P of the second level, 414
 * rows of 135000 products, 1.2 ms, 3.0 by a warp each). */
enum { FEW_A_MULTIPROCESSOR = 4, FEW_LONG_PRODUCTS = 1 << 15 };

constexpr double SHIFTED_PART_OF_ROWS = .8; /* part of the sample from which runs of shifted rows are looked for */

/* The sample does not find the length in C of rows with many products. */
bool sample_is_uniform(const spg_sample &found, int32_t samples)
{
    if (found.uncounted > 0) return found.most_products <= 4 * (double)found.products / samples;
    return found.too_long == 0 && are_uniform(found.longest_row, found.nnz, samples);
}

/* Rows that contract strongly are kept while they are counted: cheaper than contracting twice. Not for equal
 * neighbours, which bitmap windows count together. */
void choose_kept(const spg_sample &found, int32_t samples, route *chosen)
{
    const double products = (double)found.products / samples;
    if (chosen->together > 1 || products < KEPT_PRODUCTS || found.too_long > 0) return;
    /* If rows were not counted to their end, expect twice as many entries. */
    const bool partly = found.uncounted > 0;
    const int64_t longest = (partly ? 2 : 1) * (int64_t)found.longest_row, stride = (longest + longest / 4 + 3) / 4 * 4;
    const double entries = partly ? (double)longest : (double)found.nnz / samples;
    if (stride > table_holds(KEPT_MOST) || products < KEPT_CONTRACTION * entries) return;
    chosen->fallback = chosen->rows;
    chosen->rows = path::kept_rows;
    chosen->kept_stride = (int)stride;
    chosen->kept_slots = KEPT_LEAST;
    while (table_holds(chosen->kept_slots) < stride) chosen->kept_slots *= 2;
}

/* Rows that are the row before, shifted. B probably has such rows too, because it is as large as A. */
void choose_shifted(const cuda_product &product, const spg_sample &found, int32_t samples, route *chosen)
{
    const double products = (double)found.products / samples;
    const bool uniform = chosen->rows == path::uniform_rows || chosen->rows == path::kept_rows;
    if (!uniform || found.uncounted > 0 || products < SHIFTED_PRODUCTS || chosen->together > 1) return;
    if (found.shifted < SHIFTED_PART_OF_ROWS * samples || chosen->slots > 2 * SHIFTED_MOST) return;
    if (product.A->nnz != product.B->nnz || !may_go_shifted(product)) return;
    if (chosen->rows == path::uniform_rows) chosen->fallback = path::uniform_rows;
    chosen->rows = path::shifted_rows;
}

/* One kernel for all rows. Equal neighbours share the bitmap of a window; rows of many products take no table. */
void choose_uniform(const spg_sample &found, int32_t samples, bool narrow, route *chosen)
{
    chosen->rows = path::uniform_rows;
    const bool few_products = found.products <= (unsigned long long)samples * MERGE_PRODUCTS;
    chosen->merge = found.longest_a <= MERGE_MOST && few_products && chosen->together == 1;
    chosen->bitmap = !chosen->merge && narrow && (chosen->together > 1 || found.uncounted > 0);
    const int slots = table_for(found.longest_row + found.longest_row / 4);
    if (slots > 0) chosen->slots = slots;
}

/* Whether a warp a row would leave most of the device idle until the longest row ends. */
bool are_few_and_long(const cuda_product &product, const spg_sample &found, int together)
{
    const int64_t few = (int64_t)together * FEW_A_MULTIPROCESSOR * product.cuda->multiprocessors;
    return product.A->rows < few && found.most_products >= FEW_LONG_PRODUCTS;
}

route route_by(const cuda_product &product, const spg_sample &found, int32_t samples)
{
    route chosen{path::binned_rows, false, false, TABLE_MOST, 0, 1, (int)found.longest_row, path::nothing, 0, 0};
    if (found.triples > (unsigned int)samples / 2)
        chosen.together = 3;
    else if (found.pairs > (unsigned int)samples / 2)
        chosen.together = 2;
    if (are_few_and_long(product, found, chosen.together)) return chosen;
    const bool narrow = found.most_span <= BITMAP_MOST_SPAN;
    if (narrow) chosen.span = std::min((int)(found.most_span + found.most_span / 16), (int)BITMAP_MOST_SPAN);
    if (!sample_is_uniform(found, samples)) return chosen;
    if (found.uncounted == 0 || narrow) choose_uniform(found, samples, narrow, &chosen);
    choose_kept(found, samples, &chosen);
    return chosen;
}

/* Whether the rows suit a one-pass method: the whole sample is in equal triples, or rows are short. */
bool may_take_one_pass(const cuda_product &product, const spg_sample &found, int32_t samples, const route &chosen)
{
    if (chosen.rows != path::uniform_rows || found.uncounted > 0) return false;
    if (chosen.merge) return chosen.longest <= HASH_THREAD_MOST && has_types_to_reserve(product);
    return chosen.bitmap && chosen.together == 3 && found.triples >= (unsigned int)samples &&
           may_go_bitmap(product, chosen.span);
}

/* The expected entries of C plus a margin. */
int64_t entries_to_reserve(const cuda_product &product, const spg_sample &found, int32_t samples)
{
    const double entries = (double)found.nnz / samples * (double)product.C->rows;
    const double room = entries * (1 + 2.0 / (3 * RESERVED_MOST_SPARE)) + RESERVED_MORE_SPARE;
    return room < INT32_MAX ? (int64_t)room / 64 * 64 : 0;
}

bool has_few_long_rows(const cuda_product &product)
{
    const spg_csr *A = product.A;
    return A->rows > 0 && A->rows < product.cuda->multiprocessors && A->nnz / A->rows > FEW_LONG_A;
}

} // namespace

int table_for(int64_t length)
{
    for (int slots = TABLE_LEAST; slots <= TABLE_MOST; slots *= 2)
        if (length <= table_holds(slots)) return slots;
    return 0;
}

/* Decides without a sample: a wait would cost more than a table that is too large. */
bool choose_half(const cuda_product &product, half_shape *shape)
{
    const spg_csr *A = product.A, *B = product.B;
    const spg_row_limits &limits = product.context->config.row_limits;
    if (A->nnz == 0 || A->rows != B->cols || limits.thread >= 0 || limits.warp >= 0 || limits.cta >= 0) return false;
    const double b_row = mean_b_row(product);
    if (b_row > HALF_LONG_B || has_few_long_rows(product)) return false;
    const bool few = A->rows < (int64_t)product.cuda->multiprocessors * HALF_FEW_ROWS, brief = b_row <= HALF_SHORT_B;
    shape->lanes = few ? 32 : brief ? 4 : 8;
    shape->stride = std::max((int)(b_row * (few ? HALF_LENGTH_FEW : HALF_LENGTH) + 3) / 4 * 4, 8);
    shape->slots = HALF_LEAST;
    while (half_holds(shape->slots) < shape->stride) shape->slots *= 2;
    return true;
}

spg_status choose_route(cuda_product &product, route *chosen, reserved_arrays *reserved)
{
    const spg_csr *A = product.A, *B = product.B;
    *chosen = {path::nothing, false, false, 0, 0, 1, 0, path::nothing, 0, 0};
    if (A->rows == 0 || A->nnz == 0) return SPG_OK;
    const spg_row_limits &limits = product.context->config.row_limits;
    if (limits.thread >= 0 || limits.warp >= 0 || limits.cta >= 0) {
        chosen->rows = path::paper;
        return SPG_OK;
    }
    if (has_few_long_rows(product)) {
        chosen->rows = path::binned_rows;
        return SPG_OK;
    }
    double a_row = (double)A->nnz / (double)A->rows, b_row = (double)B->nnz / (double)B->rows;
    if (a_row <= SHORT_A_ROW && a_row * b_row <= SHORT_PRODUCTS) {
        chosen->rows = path::short_rows;
        return SPG_OK;
    }
    int32_t samples = A->rows < SAMPLE_ROWS ? (int32_t)A->rows : SAMPLE_ROWS;
    spg_sample found;
    spg_status status = take_sample(product, samples, &found);
    if (status != SPG_OK) return status;
    if (found.b_descents != 0) {
        chosen->rows = path::unsorted_b;
        return SPG_OK;
    }
    *chosen = route_by(product, found, samples);
    choose_shifted(product, found, samples, chosen);
    const int64_t room =
        may_take_one_pass(product, found, samples, *chosen) ? entries_to_reserve(product, found, samples) : 0;
    /* For short rows, the reserved columns may have to hold the lengths of all rows (product_rows.cu). */
    if (room == 0 || (chosen->merge && room <= A->rows)) return SPG_OK;
    reserved->most = (int)(found.longest_row + found.longest_row / (chosen->merge ? 8 : 4) + 1);
    const int64_t words = chosen->merge ? hash_thread_one_pass_words(product) : bitmap_one_pass_words(product);
    reserve_arrays(product, room, words, reserved);
    return SPG_OK;
}

} // namespace spg
