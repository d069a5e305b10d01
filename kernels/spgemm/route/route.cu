/* Chooses how the rows of a product are done (route/route.cuh). Binning costs more than it gains if rows are uniform,
 * as in most matrices of multigrid. So a sample of rows decides; rows unlike the sample become overflow rows of the
 * counting kernels. */
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
    if (product.A->nnz != product.B->nnz || !has_common_types(product)) return;
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
    if (chosen.merge) return chosen.longest <= HASH_THREAD_MOST && may_reserve(product);
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
    if (room == 0) return SPG_OK;
    reserved->most = (int)(found.longest_row + found.longest_row / (chosen->merge ? 8 : 4) + 1);
    const int64_t words = chosen->merge ? hash_thread_one_pass_words(product) : bitmap_one_pass_words(product);
    reserve_arrays(product, room, words, reserved);
    return SPG_OK;
}

} // namespace spg
