/* What counting misfits (long_rows/misfits.cu) and hubs, those that are more than one block's work (long_rows/hubs.cu),
 * share. Private. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_MISFITS_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_MISFITS_CUH

#include "../hash_group/table.cuh"
#include "mark.cuh"

namespace spg
{

enum {
    MISFIT_THREADS = 256,
    MISFIT_WORDS = MISFIT_THREADS / 32 * TABLE_MOST, /* of a block: a table for each warp, or a bitmap */
    MOST_HUBS = 32                                   /* that are listed: a lane each */
};
static_assert(MISFIT_WORDS % UNIT_WORDS == 0, "what close_bitmap counts at once");

/* Blocks of a multiprocessor, which bounds the registers. */
template <typename Offset> constexpr int resident_misfits = sizeof(Offset) == 4 ? 4 : 3;

/* A hub under way, by its number in the list of misfits: its row of A is cut into chunks of so many entries; what they
 * find is ORed into a bitmap of all columns. */
struct hub {
    uint32_t misfit;
    int32_t chunk_entries;
    uint32_t chunks, chunks_done;
};
struct hub_list {
    hub *hubs;
    uint32_t *bitmaps;
    int64_t bitmap_words;
    uint32_t most; /* hubs that there is room for; 0: none */
};

/* Where the lengths go, and who posts the tally. */
struct misfit_job {
    length_sums sums;     /* of the kernel before; memory = NULL: it left none */
    int32_t *lengths;     /* by number in the list; NULL: into C's row offsets, and the sums */
    spg_mailbox *mailbox; /* NULL: the tally is posted by another kernel that follows */
    unsigned int post;
};

/* The length of misfit number k; by one thread. */
template <typename Offset>
__device__ inline void settle(const patterns<Offset> &pattern, const misfit_job &job, uint32_t k, int64_t length,
                              findings &found)
{
    const int32_t i = pattern.misfits.rows[k];
    if (job.lengths != nullptr)
        job.lengths[k] = (int32_t)length;
    else
        pattern.c_offsets[i] = (Offset)length;
    if (job.sums.memory != nullptr)
        atomicAdd(reinterpret_cast<unsigned long long *>(job.sums.memory) + i / job.sums.rows_each,
                  (unsigned long long)length);
    found.nnz += (unsigned long long)length;
    found.longest = max(found.longest, (unsigned int)length);
    ++found.rows;
}

/* Finds the columns of entries of a row of A by a bitmap, which is clear before and after. Returns how many there are
 * or, with the bitmap `whole` of all columns, merges them into that. All threads. */
template <typename Offset>
__device__ inline int64_t count_by_windows(const patterns<Offset> &pattern, const block_memory<Offset> &memory,
                                           span<Offset> row, uint32_t *whole, int64_t whole_words, findings &found)
{
    int64_t length = 0;
    for (int64_t low = 0; low < pattern.cols; low += MISFIT_WORDS * 32) {
        const int64_t high = min(low + MISFIT_WORDS * 32, (int64_t)pattern.cols);
        for (Offset at = row.begin; at < row.end;) {
            flat_products<Offset> flat;
            const Offset taken =
                lay_batch<Offset, b_order::checked>(pattern, memory, at, row.end, low, high, flat, found);
            set_bits<Offset, b_order::checked>(pattern, flat, memory.bitmap, low, high, found);
            __syncthreads();
            if (row.end - at <= taken) break;
            at += taken;
        }
        if (whole == nullptr) {
            length += close_bitmap<false>(memory.bitmap, MISFIT_WORDS, (int32_t)low, nullptr);
        } else {
            const int64_t words = min(whole_words - low / 32, (int64_t)MISFIT_WORDS);
            merge_bitmap(memory.bitmap, (int32_t)words, whole + low / 32);
            __syncthreads();
        }
    }
    return length;
}

/* What a block found; all threads. */
__device__ inline void tally_misfits(spg_tally *tally, const findings &found)
{
    tally_counts(tally, found.nnz, found.products, 0, found.rows, found.faults);
    if (found.longest > 0) atomicMax(&tally->longest_misfit, found.longest);
}

/* long_rows/hubs.cu. Takes room to list hubs; none where no row can be one, or there is too little. */
void take_hubs(cuda_product &product, hub_list *list);
void give_hubs(cuda_product &product, const hub_list &list);

/* Counts the listed hubs, and posts the tally if there are any and it is to be posted. */
spg_status count_hubs(cuda_product &product, const hub_list &list, const misfit_job &job);

} // namespace spg

#endif
