/* Keeps freed blocks for later requests: a pool takes microseconds, this takes none. Only the last SPG_BLOCKS blocks
 * that were allocated are known, with their sizes; others go back to their pools.
 *
 * A large block serves a request of its size: a product that is repeated requests the same sizes. A request for another
 * size means that sizes have changed: then the kept large blocks go back, so that their pool can serve any size. A
 * small block serves requests of half its size or more, and stays: the products and levels of a set-up differ in their
 * sizes, and what they take and free in turn would empty the list each time.
 *
 * Blocks are reused in the order of the stream, or of one of the two streams while a side stream is in use. */
#include "device.h"

static bool is_small_size(int64_t bytes) { return bytes <= SPG_SMALL_BYTES; }

static bool is_small(const spg_block *block) { return is_small_size(block->bytes); }

static spg_order current_order(const spg_cuda *cuda)
{
    if (!cuda->is_forked) return SPG_ORDER_BOTH;
    return cuda->on_side_stream ? SPG_ORDER_SIDE : SPG_ORDER_OWN;
}

static void give_back(spg_cuda *cuda, spg_block *block)
{
    const bool is_free_here = block->order == SPG_ORDER_BOTH || block->order == current_order(cuda);
    const cudaStream_t stream = is_free_here ? cuda->stream : cuda->other.stream;
    if (cudaFreeAsync(block->memory, stream) != cudaSuccess) cudaGetLastError();
    cuda->kept_bytes -= block->bytes;
    block->memory = nullptr;
    block->is_kept = false;
}

void spg_cuda_merge_orders(spg_cuda *cuda)
{
    for (spg_block &block : cuda->blocks) block.order = SPG_ORDER_BOTH;
}

void spg_cuda_give_back_kept(spg_cuda *cuda, bool small, bool large)
{
    for (spg_block &block : cuda->blocks)
        if (block.is_kept && (is_small(&block) ? small : large)) give_back(cuda, &block);
}

static bool serves(const spg_block *block, int64_t bytes)
{
    if (!is_small_size(bytes)) return block->bytes == bytes;
    return is_small(block) && block->bytes >= bytes && block->bytes <= 2 * bytes;
}

void *spg_cuda_take_kept(spg_cuda *cuda, int64_t bytes)
{
    const spg_order order = current_order(cuda);
    spg_block *best = nullptr;
    for (spg_block &block : cuda->blocks) {
        if (!block.is_kept || !serves(&block, bytes)) continue;
        if (block.order != SPG_ORDER_BOTH && block.order != order) continue;
        if (best == nullptr || block.bytes < best->bytes) best = &block;
    }
    if (best == nullptr) {
        if (!is_small_size(bytes)) spg_cuda_give_back_kept(cuda, false, true);
        return nullptr;
    }
    best->is_kept = false;
    cuda->kept_bytes -= best->bytes;
    return best->memory;
}

/* Another context may have freed a block that is listed here, so that the pool gives out its address again. */
static void forget(spg_cuda *cuda, const void *memory)
{
    for (spg_block &block : cuda->blocks)
        if (block.memory == memory) block.memory = nullptr;
}

void spg_cuda_note_block(spg_cuda *cuda, void *memory, int64_t bytes)
{
    forget(cuda, memory);
    spg_block *block = &cuda->blocks[cuda->next_block];
    cuda->next_block = (cuda->next_block + 1) % SPG_BLOCKS;
    if (block->is_kept) give_back(cuda, block);
    block->memory = memory;
    block->bytes = bytes;
}

bool spg_cuda_keep(spg_cuda *cuda, void *memory, int64_t most_bytes)
{
    for (spg_block &block : cuda->blocks) {
        if (block.memory != memory || block.is_kept) continue;
        block.is_kept = block.bytes <= most_bytes - cuda->kept_bytes;
        block.order = current_order(cuda);
        if (block.is_kept)
            cuda->kept_bytes += block.bytes;
        else
            block.memory = nullptr;
        return block.is_kept;
    }
    return false;
}
