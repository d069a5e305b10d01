/* An open-addressing hash table in shared memory, keyed by column, one a group of lanes (driver/groups.cuh).
 * Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_TABLE_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_TABLE_CUH

#include "../driver/groups.cuh"

namespace spg
{

/* A table of the columns of a row, in shared memory; NO_COLUMN marks an empty slot. slots: a power of two. */
struct column_table {
    int32_t *keys; /* by slot */
    int slots, shift;

    /* shift: from a hash to four slots. */
    __device__ column_table(int32_t *memory, int all) : keys(memory), slots(all), shift(34)
    {
        for (int left = all; left > 1; left /= 2) --shift;
    }

    /* The first of the four slots that a column hashes to. The column is in the first of them that was free, or further
     * on. */
    __device__ int first_slot(int32_t column) const { return (int)((uint32_t)column * COLUMN_FACTOR >> shift) * 4; }
    __device__ int4 four_from(int slot) const { return *reinterpret_cast<const int4 *>(keys + slot); }

    /* Looks a column up in its four slots; returns whether it is there. */
    __device__ bool is_near(int32_t column, int &slot) const
    {
        slot = first_slot(column);
        const int4 keyed = four_from(slot);
        const int at = keyed.x == column ? 0 : keyed.y == column ? 1 : keyed.z == column ? 2 : 3;
        slot += at;
        return at < 3 || keyed.w == column;
    }
    /* The slot of a column that the table holds. */
    __device__ int find(int32_t column) const
    {
        int slot;
        bool found = is_near(column, slot);
        while (!found) slot = (slot + 1) & (slots - 1), found = keys[slot] == column;
        return slot;
    }
    /* Finds or makes the slot of a `pending` lane's column. A column in no slot takes the first empty one. Returns
     * whether it found the table full; then any slot. The whole warp calls it. */
    __device__ bool insert(bool pending, int32_t column, int &slot)
    {
        if (pending) {
            slot = first_slot(column);
            const int4 keyed = four_from(slot);
            const bool x = keyed.x != NO_COLUMN && keyed.x != column,
                       y = x && keyed.y != NO_COLUMN && keyed.y != column,
                       z = y && keyed.z != NO_COLUMN && keyed.z != column,
                       w = z && keyed.w != NO_COLUMN && keyed.w != column;
            slot += x + y + z + w;
            slot &= slots - 1;
        }
        for (int tries = slots; tries > 0 && __any_sync(~0u, pending); tries--) {
            if (!pending) continue;
            const int32_t before = atomicCAS(keys + slot, (int32_t)NO_COLUMN, column);
            pending = before != NO_COLUMN && before != column;
            slot = (slot + pending) & (slots - 1);
        }
        __syncwarp();
        return pending;
    }
    /* The number of used slots. */
    template <typename Group> __device__ int taken(const Group &group) const
    {
        int count = 0;
        for (int i = group.lane; i < slots / 4; i += Group::lanes) {
            const int4 four = four_from(4 * i);
            count += (four.x != NO_COLUMN) + (four.y != NO_COLUMN) + (four.z != NO_COLUMN) + (four.w != NO_COLUMN);
        }
        return group.sum(count);
    }
    template <typename Group> __device__ void clear(const Group &group)
    {
        const int4 empty{NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN};
        for (int i = group.lane; i < slots / 4; i += Group::lanes) reinterpret_cast<int4 *>(keys)[i] = empty;
    }
};

/* 1 if a < b, for columns. */
__device__ inline int less(int32_t a, int32_t b) { return (int)(((uint32_t)a - (uint32_t)b) >> 31); }

/* Adds to rank[n] the number of columns in the list smaller than column[n]. INT_MAX pads the list to a multiple of
 * four. */
template <int N>
__device__ inline void add_lesser(const int32_t *list, int length, const int32_t (&column)[N], int (&rank)[N])
{
    for (int x = 0; x < length; x += 4) {
        const int4 other = *reinterpret_cast<const int4 *>(list + x);
#pragma unroll
        for (int n = 0; n < N; n++)
            rank[n] += less(other.x, column[n]) + less(other.y, column[n]) + less(other.z, column[n]) +
                       less(other.w, column[n]);
    }
}

} // namespace spg

#endif
