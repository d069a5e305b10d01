/* Rows of C done in one pass, into arrays that were allocated ahead: a sample of rows told how many entries C will have
 * (assemble/reserved.cu, bitmap/one_pass.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_ASSEMBLE_RESERVED_CUH
#define SPG_KERNELS_SPGEMM_ASSEMBLE_RESERVED_CUH

#include "../product.cuh"

namespace spg
{

/* C's columns and values, allocated before they were counted; columns = NULL: not so. */
struct ahead_rows {
    int32_t *columns;
    void *values;
    int64_t room; /* entries of C that there is room for */
    int most;     /* of a row of C that is written; others are counted alone */
    void *memory; /* workspace, for told_sums */
    int64_t bytes;
};

/* The part of C that may be spare, entries that may be so beyond it, and the part of its rows that may be left. */
enum { AHEAD_MOST_SPARE = 8, AHEAD_MORE_SPARE = 1024, AHEAD_MOST_LEFT = 16 };

/* Whether C can be allocated ahead: of the commonest types, and by a pool, which needs not be told how many bytes come
 * back. */
bool has_types_for_ahead(const cuda_product &product);

/* Takes room for so many entries of C, and `words` of workspace, if memory and the limit of workspace allow; else
 * ahead->columns stays NULL. */
void reserve_ahead(cuda_product &product, int64_t room, int64_t words, ahead_rows *ahead);

/* Whether so many entries fit into what was allocated, and what is spare is no more than C may keep and the limit of
 * workspace allows. */
bool may_settle_ahead(const cuda_product &product, const ahead_rows &ahead, unsigned long long nnz);

/* Makes what was allocated C's arrays, of C->nnz entries. */
void settle_ahead(cuda_product &product, ahead_rows *ahead);
void release_ahead(cuda_product &product, ahead_rows *ahead);

/* bitmap/one_pass.cu. Equal neighbours in threes, all rows, whose columns lie in windows of `span`: counted, checked
 * as by other counting kernels, and written where there is room for them. The tally says how many rows were counted and
 * not written; and if it has more entries than there is room for, C is not all there either. */
bool may_go_direct(const cuda_product &product, int span);
int64_t direct_ahead_words(const cuda_product &product);
spg_status fill_direct_ahead(cuda_product &product, const ahead_rows &ahead, int span, unsigned int post);

/* hash_thread/one_pass.cu. Needs packed rows of B: all rows, counted, checked, written and told likewise, but the tally
 * is not posted if it has misfits. Rows of up to PRIVATE_MOST entries but more than ahead.most are left; longer ones
 * are misfits. */
int64_t private_ahead_words(const cuda_product &product);
spg_status fill_private_ahead(cuda_product &product, const ahead_rows &ahead, unsigned int post);

} // namespace spg

#endif
