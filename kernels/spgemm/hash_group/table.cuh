/* Shared by the kernels with tables (hash_group/count.cu, hash_group/fill.cu): an open-addressing hash table in shared
 * memory, keyed by column, one a group of lanes (driver/groups.cuh). Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_TABLE_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_TABLE_CUH

#include "../driver/column_hash.cuh"
#include "../driver/groups.cuh"

namespace spg
{

/* NO_COLUMN marks an empty slot. shift: 32 - log2(slots). */
struct table_shape : group_shape {
    int slots, shift;
};

/* Lanes of a group: few for short rows of B, because lanes beyond a row of B idle; many for large tables, because few
 * groups leave room for few warps. */
inline int table_lanes(int slots, double b_row)
{
    const int least = slots <= 128 ? 8 : slots <= 256 ? 16 : 32, most = slots <= 32 ? 8 : slots <= 64 ? 16 : 32;
    const int wanted = b_row <= 8 ? 8 : b_row <= 16 ? 16 : 32;
    return wanted < least ? least : wanted > most ? most : wanted;
}

/* For `slot_bytes` bytes a slot. The groups of a warp begin at different banks. */
inline table_shape table_shape_of(const cuda_product &product, int slots, int slot_bytes)
{
    const double b_row = mean_b_row(product);
    int shift = 32;
    for (int left = slots; left > 1; left /= 2) shift--;
    const int lanes = table_lanes(slots, b_row);
    return {{lanes, 1, (slots * slot_bytes + 127) / 128 * 128 + 32, 1, lanes == 32 && b_row > 32}, slots, shift};
}

/* A group's table of columns. */
struct column_table {
    int32_t *columns; /* by slot */
    int slots, shift;

    template <typename Group> __device__ void clear(const Group &group)
    {
        const int4 empty{NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN};
        for (int i = group.lane; i < slots / 4; i += Group::lanes) reinterpret_cast<int4 *>(columns)[i] = empty;
    }
    __device__ int first_slot(int32_t column) const { return (int)((uint32_t)column * COLUMN_FACTOR >> shift); }
    __device__ int32_t at(int slot) const { return *static_cast<volatile int32_t *>(columns + slot); }

    __device__ int find(int32_t column) const
    {
        int slot = first_slot(column);
        while (columns[slot] != column) slot = (slot + 1) & (slots - 1);
        return slot;
    }
    /* Finds or makes the slots of a lane's N columns (NO_COLUMN: none). Works in rounds: all lanes read their slots;
     * those that found them empty write; those that found another column move on. If several columns are written to one
     * empty slot the largest stays, as the next read shows. No slot is written in two rounds, and equal columns take
     * the same path. Returns whether the table is too full for one of the lane's columns. The whole warp calls it. */
    template <int N> __device__ bool place(const int32_t (&column)[N], int (&slot)[N])
    {
        int32_t found[N];
        bool pending = false;
#pragma unroll
        for (int n = 0; n < N; n++) slot[n] = first_slot(column[n]), found[n] = NO_COLUMN;
        for (int rounds = 2 * slots; rounds > 0; rounds--) {
            pending = false;
#pragma unroll
            for (int n = 0; n < N; n++)
                if (found[n] != column[n]) found[n] = at(slot[n]);
#pragma unroll
            for (int n = 0; n < N; n++) pending = pending || found[n] != column[n];
            if (!__any_sync(~0u, pending)) return false;
            __syncwarp();
#pragma unroll
            for (int n = 0; n < N; n++) {
                if (found[n] == NO_COLUMN && column[n] != NO_COLUMN) atomicMax(columns + slot[n], column[n]);
                const bool other = found[n] != NO_COLUMN && found[n] != column[n];
                slot[n] = (slot[n] + (other ? 1 : 0)) & (slots - 1);
            }
            __syncwarp();
        }
        return pending;
    }
    /* The number of used slots. */
    template <typename Group> __device__ int taken(const Group &group) const
    {
        int count = 0;
        for (int i = group.lane; i < slots / 4; i += Group::lanes) {
            const int4 four = reinterpret_cast<const int4 *>(columns)[i];
            count += (four.x != NO_COLUMN) + (four.y != NO_COLUMN) + (four.z != NO_COLUMN) + (four.w != NO_COLUMN);
        }
        return group.sum(count);
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
