/* Rows of C done in one pass, into arrays that were reserved: a sample of rows told how many entries C will have
 * (assemble/reserved.cu, bitmap/one_pass.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_ASSEMBLE_RESERVED_CUH
#define SPG_KERNELS_SPGEMM_ASSEMBLE_RESERVED_CUH

#include "../product.cuh"

namespace spg
{

/* C's columns and values, allocated before they were counted; columns = NULL: not so. */
struct reserved_arrays {
    int32_t *columns;
    void *values;
    int64_t room; /* entries of C that there is room for */
    int most;     /* of a row of C that is written; others are counted alone */
    void *memory; /* workspace, for look_back */
    int64_t bytes;
};

/* The part of C that may be spare, entries that may be so beyond it, and the part of its rows that may be left. */
enum { RESERVED_MOST_SPARE = 8, RESERVED_MORE_SPARE = 1024, RESERVED_MOST_LEFT = 16 };

/* Whether C can be reserved: of the commonest types, and by a pool, which needs not be told how many bytes come
 * back. */
bool has_types_to_reserve(const cuda_product &product);

/* Takes room for so many entries of C, and `words` of workspace, if memory and the limit of workspace allow; else
 * ahead->columns stays NULL. */
void reserve_arrays(cuda_product &product, int64_t room, int64_t words, reserved_arrays *reserved);

/* Whether so many entries fit into what was allocated, and what is spare is no more than C may keep and the limit of
 * workspace allows. */
bool may_commit_reserved(const cuda_product &product, const reserved_arrays &reserved, unsigned long long nnz);

/* Makes what was allocated C's arrays, of C->nnz entries. */
void commit_reserved(cuda_product &product, reserved_arrays *reserved);
void release_reserved(cuda_product &product, reserved_arrays *reserved);

/* bitmap/one_pass.cu. Equal neighbours in threes, all rows, whose columns lie in windows of `span`: counted, checked
 * as by other counting kernels, and written where there is room for them. The counters says how many rows were counted
 * and not written; and if it has more entries than there is room for, C is not all there either. */
bool may_go_bitmap(const cuda_product &product, int span);
int64_t bitmap_one_pass_words(const cuda_product &product);
spg_status one_pass_bitmap(cuda_product &product, const reserved_arrays &reserved, int span, unsigned int post);

/* hash_thread/one_pass.cu. Needs packed rows of B: all rows, counted, checked, written and told likewise, but the
 * counters is not posted if it has overflow rows. Rows of up to HASH_THREAD_MOST entries but more than ahead.most are
 * left; longer ones are overflow rows. */
int64_t hash_thread_one_pass_words(const cuda_product &product);
spg_status one_pass_hash_thread(cuda_product &product, const reserved_arrays &reserved, unsigned int post);

} // namespace spg

#endif
