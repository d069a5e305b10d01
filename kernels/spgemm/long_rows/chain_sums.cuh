/* Rows of C with one entry that is the sum of very many products, listed on the device. Private. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_CHAIN_SUMS_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_CHAIN_SUMS_CUH

#include "../product.cuh"

namespace spg
{

/* Entries of A above which such a row is a chain; mean entries of a row of C from which none is looked for, for it
 * would take a launch. */
enum { CHAIN_LEAST = 1 << 11, CHAIN_MOST_C = 64 };

struct chain_list {
    uint32_t *count;
    int32_t *rows;
};
/* As many as there can be; 0: none are looked for. */
inline int64_t most_chains(const cuda_product &product)
{
    if (product.C->nnz / CHAIN_MOST_C >= product.C->rows) return 0;
    const int64_t most = product.A->nnz / CHAIN_LEAST;
    return most < product.A->rows ? most : product.A->rows;
}

template <typename Offset> __device__ inline bool is_chain(Offset c_length, Offset a_length)
{
    return c_length == 1 && a_length > CHAIN_LEAST;
}

/* Their values, a block each. The list is complete once the kernels before on the context's stream have ended. */
spg_status fill_chain_values(cuda_product &product, const chain_list &list);

} // namespace spg

#endif
