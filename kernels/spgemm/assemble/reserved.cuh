/* Arrays for C that are allocated before its entries are counted, for one-pass methods: a sample of rows estimates the
 * number of entries (assemble/reserved.cu, bitmap/passes.cu, hash_thread/passes.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_ASSEMBLE_RESERVED_CUH
#define SPG_KERNELS_SPGEMM_ASSEMBLE_RESERVED_CUH

#include "../product.cuh"
#include "../route/tuned.cuh"

namespace spg
{

/* C's columns and values, allocated by an estimate. columns = NULL: nothing is reserved. */
struct reserved_arrays {
    int32_t *columns;
    void *values;
    int64_t room; /* entries that fit */
    int most;     /* entries of the longest row of C to be written; longer rows are only counted */
    void *memory; /* workspace, for look_back */
    int64_t bytes;
};

/* Whether C can be reserved: needs common types, and a pool, because a pool can free a block without its size. */
inline bool may_reserve(const cuda_product &product)
{
    return has_common_types(product) && product.cuda->pool != nullptr;
}

/* Takes memory for `room` entries of C and `words` words of workspace, if memory and the workspace limit allow; else
 * reserved->columns stays NULL. */
void reserve_arrays(cuda_product &product, int64_t room, int64_t words, reserved_arrays *reserved);

/* Whether `nnz` entries fit, and the excess is no more than C may keep and the workspace limit allows. */
bool may_commit_reserved(const cuda_product &product, const reserved_arrays &reserved, unsigned long long nnz);

/* Makes the arrays C's own, with C->nnz entries. */
void commit_reserved(cuda_product &product, reserved_arrays *reserved);
void release_reserved(cuda_product &product, reserved_arrays *reserved);

/* bitmap/passes.cu. Equal neighbouring rows in threes, all rows, whose columns lie in windows of `span`. Counts and
 * checks them as other counting kernels do, and writes them if there is room. The counters say how many rows were
 * counted but not written. If they have more entries than there is room for, C is incomplete too. */
bool may_go_bitmap(const cuda_product &product, int span);
int64_t bitmap_one_pass_words(const cuda_product &product);
spg_status one_pass_bitmap(cuda_product &product, const reserved_arrays &reserved, int span, unsigned int post);

/* hash_thread/passes.cu. Does the same for short rows; needs packed rows of B. Rows of up to HASH_THREAD_MOST entries
 * but more than reserved.most are counted and not written; longer rows are overflow rows. */
int64_t hash_thread_one_pass_words(const cuda_product &product);
spg_status one_pass_hash_thread(cuda_product &product, const reserved_arrays &reserved, unsigned int post);

} // namespace spg

#endif
