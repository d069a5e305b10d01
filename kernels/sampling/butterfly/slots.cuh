/* Draws from rows of medium length, several at a time by a warp, and from longer ones piece by piece. Private. All
 * lanes of a warp call these functions together.
 *
 * A slot belongs to a lane: 128 bytes of a row, a node of its tree. A row takes 1, 2, 4, ... or 32 adjacent slots, at a
 * multiple of their number, so that lanes form all trees by the same steps. Longer rows come first, and no slots are
 * lost between rows. 32 slots are a task, or a piece of a longer row. Its rows are copied to shared memory without
 * registers: neighbouring lanes read neighbouring 16 bytes, and then each lane reads its own slot. The instructions for
 * each row bound the draws (ncu, H100). */
#ifndef SPG_KERNELS_SAMPLING_BUTTERFLY_SLOTS_CUH
#define SPG_KERNELS_SAMPLING_BUTTERFLY_SLOTS_CUH

#include "row_tree.cuh"

namespace spg
{
namespace rows
{

enum { SLOT_NODES = 8, SLOT_BYTES = SLOT_NODES * SPG_LANE_BYTES, SLOT_LEVELS = 5 };

template <typename Real> constexpr int SLOT = SLOT_NODES *ITEMS<Real>; /* items */

/* A row of up to LONGEST items. */
struct row_view {
    int64_t begin;
    double u;
    int positions, lead;
    uint32_t place; /* of its first position, in bytes, counted from that of the warp's first row */
    int levels;     /* if it is in slots: it has 2^levels */
};

/* A task in shared memory: node n of slot s is at n ^ s % 8, so that neither writes nor reads have bank conflicts. */
struct task_room {
    alignas(SLOT_BYTES) unsigned char slots[WARP][SLOT_BYTES];
    row_view rows[WARP]; /* by lane */
    int owner[WARP];     /* by a row's first slot: the lane with the row */
};

/* The rows of a warp that are in slots, a row a lane. */
template <typename Real> struct slot_rows {
    enum : uint32_t { PLACE_BITS = 28, PLACES = 1u << PLACE_BITS };

    int64_t base; /* the item from which places are counted */
    int start;    /* the first slot of the lane's row; -1: none */
    int tasks;

    /* `wanted`: the lane has a row of more than SPG_SHORT_ROW items that can be read in 16 bytes. has_slots says which
     * rows are in slots. */
    __device__ slot_rows(bool wanted, row_view *row) : start(-1), tasks(0)
    {
        unsigned int asked = __ballot_sync(ALL_LANES, wanted);
        base = __shfl_sync(ALL_LANES, row->begin - row->lead, __ffs((int)asked) - 1);
        int64_t place = (row->begin - row->lead - base) * (int64_t)sizeof(Real);
        int levels = WARP - __clz((int)((unsigned int)(row->positions - 1) / SLOT<Real>)), slots = 0;
        bool fits = wanted && levels <= SLOT_LEVELS && place >= 0 && place < PLACES - WARP * SLOT_BYTES;
#pragma unroll
        for (int level = SLOT_LEVELS; level >= 0; --level) {
            unsigned int alike = __ballot_sync(ALL_LANES, fits && levels == level);
            if (fits && levels == level) start = slots + (__popc(alike & lanes_below()) << level);
            slots += __popc(alike) << level;
        }
        tasks = (slots + WARP - 1) / WARP;
        row->place = (uint32_t)place;
        row->levels = levels;
    }

    __device__ bool has_slots() const { return start >= 0; }
};

/* A lane's slot of a task: slot `block` of the row of lane `owner`, or behind its slots. The row's items end before
 * position `end`, counted from the slot. */
template <typename Real> struct task_slot {
    int owner, block, levels, lead, end;
    uint32_t place; /* of the row */

    __device__ bool in_row() const { return block < 1 << levels; }

    /* Starts copying the task. */
    __device__ void open(const row_job<Real> &job, const slot_rows<Real> &rows, int task, task_room &room)
    {
        int lane = lane_in_warp();
        bool here = rows.has_slots() && rows.start / WARP == task;
        __syncwarp(); /* all reads of the task before have ended */
        if (here) room.owner[rows.start % WARP] = lane;
        unsigned int heads = __reduce_or_sync(ALL_LANES, here ? 1u << rows.start % WARP : 0);
        __syncwarp();
        int head = WARP - 1 - __clz((int)(heads & lanes_through()));
        owner = room.owner[head];
        const row_view &row = room.rows[owner];
        block = lane - head;
        levels = row.levels;
        lead = row.lead;
        place = row.place;
        end = row.positions - block * SLOT<Real>;
        copy(reinterpret_cast<const unsigned char *>(job.weights + rows.base), room);
    }

    __device__ void copy(const unsigned char *base, task_room &room) const
    {
        constexpr int AT_ONCE = WARP / SLOT_NODES;
        int lane = lane_in_warp(), node = lane % SLOT_NODES, slot = lane / SLOT_NODES;
        uint32_t nodes = (uint32_t)(min(max(end, 0), SLOT<Real>) + ITEMS<Real> - 1) / ITEMS<Real>;
        uint32_t mine = place + (uint32_t)block * SLOT_BYTES + (nodes << slot_rows<Real>::PLACE_BITS);
        uint32_t at_least = (uint32_t)(node + 1) << slot_rows<Real>::PLACE_BITS;
        const unsigned char *from = base + node * SPG_LANE_BYTES;
#pragma unroll
        for (int k = 0; k < WARP; k += AT_ONCE) {
            uint32_t its = __shfl_sync(ALL_LANES, mine, slot + k);
            copy_node(&room.slots[slot + k][(node ^ slot ^ k % SLOT_NODES) * SPG_LANE_BYTES],
                      from + its % slot_rows<Real>::PLACES, its >= at_least);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    }

    /* Starts copying piece k of a row, which takes all slots. */
    __device__ void open_piece(const Real *weights, const row_view &row, int k, task_room &room)
    {
        int lane = lane_in_warp(), slot = lane / SLOT_NODES, first = k * WARP * SLOT<Real>;
        owner = 0;
        block = lane;
        levels = SLOT_LEVELS;
        lead = k == 0 ? row.lead : 0;
        end = row.positions - first - lane * SLOT<Real>;
        const Real *node = weights + row.begin - row.lead + first + lane * ITEMS<Real>;
        int rest = row.positions - first - lane * ITEMS<Real>;
        __syncwarp(); /* all reads of the old contents have ended */
#pragma unroll
        for (int c = 0; c < SLOT_NODES; ++c)
            copy_node(&room.slots[slot + c * (WARP / SLOT_NODES)]
                                 [(lane % SLOT_NODES ^ slot ^ c * (WARP / SLOT_NODES) % SLOT_NODES) * SPG_LANE_BYTES],
                      node + c * WARP * ITEMS<Real>, rest > c * WARP * ITEMS<Real>);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }

    /* Copies 16 bytes, or zeros. */
    static __device__ void copy_node(void *to, const void *from, bool is_there)
    {
        asm volatile(
            "{\n\t.reg .pred none;\n\tsetp.eq.s32 none, %2, 0;\n\t"
            "cp.async.cg.shared.global [%0], [%1], 16, none;\n\t}" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
            "l"(from), "r"((int)is_there)
            : "memory");
    }

    static __device__ Real *item(task_room &room, int k)
    {
        int lane = lane_in_warp(), node = k / ITEMS<Real> ^ lane % SLOT_NODES;
        return reinterpret_cast<Real *>(room.slots[lane] + node * SPG_LANE_BYTES) + k % ITEMS<Real>;
    }
    static __device__ const node_items<Real> &node(task_room &room, int k)
    {
        return *reinterpret_cast<const node_items<Real> *>(item(room, k * ITEMS<Real>));
    }

    /* Waits for the copy, and sets what was read next to the row to 0. */
    __device__ void wait(task_room &room) const
    {
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncwarp();
#pragma unroll
        for (int k = 0; k < ITEMS<Real> - 1; ++k)
            if (block == 0 && k < lead) *item(room, k) = 0;
        int last = end % ITEMS<Real>; /* items of the last node, if it is not full */
        if (last == 0 || end < 0 || end > SLOT<Real>) return;
        Real *behind = item(room, end);
#pragma unroll
        for (int k = 1; k < ITEMS<Real>; ++k)
            if (k >= last) behind[k - last] = 0;
    }
};

/* The tree of a lane's slot, and of its row's slots of the task. */
template <typename Real> struct slot_sums {
    tree::item_tree<SLOT_NODES> nodes;
    double others[SLOT_LEVELS], root;
    int signs; /* below 0: an item has its sign bit set */

    __device__ slot_sums(const task_slot<Real> &slot, task_room &room) : signs(0)
    {
        double sums[SLOT_NODES];
        slot.wait(room);
#pragma unroll
        for (int k = 0; k < SLOT_NODES; ++k) {
            node_items<Real> node = slot.node(room, k);
            signs |= node.signs();
            sums[k] = node.sum();
        }
        nodes.sum(sums);
        root = nodes.root();
#pragma unroll
        for (int level = 0; level < SLOT_LEVELS; ++level) {
            others[level] = tree::exchange(root, 1 << level);
            if (level < slot.levels) root = add(root, others[level]);
        }
    }

    /* The position of the target in the row's slots of the task, with `base` before them; -1 if it is not in the lane's
     * slot. Any position if sums are faulty. */
    __device__ int find(const task_slot<Real> &slot, task_room &room, double target, double base) const
    {
        int lane = lane_in_warp();
#pragma unroll
        for (int level = SLOT_LEVELS - 1; level >= 0; --level)
            if (level < slot.levels && (lane >> level & 1) != 0) base = add(base, others[level]);
        /* Of the slots that may contain it, the last one does (tree.cuh). */
        bool may = slot.in_row() && nodes.root() > 0 && target >= base;
        unsigned int later = __ballot_sync(ALL_LANES, may) >> lane >> 1;
        int rest = (1 << slot.levels) - 1 - slot.block; /* slots of the row after this one */
        if (!may || (later & ((1u << rest) - 1)) != 0) return -1;
        int node = nodes.find(target, &base);
        int k = node * ITEMS<Real> + slot.node(room, node).find(target, base);
        return slot.block * SLOT<Real> + min(k, slot.end - 1);
    }
};

/* Draws from the rows of a task. Returns the mask of lanes whose rows are not plain; their draws are invalid. */
template <typename Real>
__device__ inline unsigned int draw_task(const row_job<Real> &job, int64_t first, const slot_rows<Real> &rows,
                                         const task_slot<Real> &slot, task_room &room)
{
    const slot_sums<Real> sums(slot, room);
    int position = sums.find(slot, room, spg_target_f64(room.rows[slot.owner].u, sums.root), 0);
    if (position >= 0)
        job.write(first + slot.owner, rows.base + slot.place / (int)sizeof(Real) + slot.lead,
                  max(position - slot.lead, 0));
    bool odd = slot.in_row() && (sums.signs < 0 || !is_sound_sum(sums.root));
    return __reduce_or_sync(ALL_LANES, odd ? 1u << slot.owner : 0);
}

/* Draws from a row of up to 32 pieces, each of which is a task. Returns whether it is plain. */
template <typename Real>
__device__ inline bool draw_pieces(const row_job<Real> &job, int64_t number, const row_view &row, task_room &room)
{
    constexpr int PIECE = WARP * SLOT<Real>;
    double piece_sum = 0, target = 0, base = 0;
    int last = (row.positions - 1) / PIECE, chosen = -1, signs = 0;
    for (int k = 0;;) {
        task_slot<Real> slot;
        slot.open_piece(job.weights, row, k, room);
        const slot_sums<Real> sums(slot, room);
        if (chosen < 0) {
            signs |= sums.signs;
            if (lane_in_warp() == k) piece_sum = sums.root;
            if (k == last) {
                const lane_tree pieces(piece_sum);
                if (__any_sync(ALL_LANES, signs < 0) || !is_sound_sum(pieces.root())) return false;
                target = spg_target_f64(row.u, pieces.root());
                chosen = pieces.find(target, &base);
            }
        }
        if (chosen == k) {
            int position = sums.find(slot, room, target, base);
            if (position >= 0) job.write(number, row.begin, k * PIECE + position - row.lead);
            return true;
        }
        k = chosen < 0 ? k + 1 : chosen;
    }
}

} // namespace rows
} // namespace spg

#endif
