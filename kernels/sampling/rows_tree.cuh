/* The tree of sums of a row (src/sampling_sums.h) in the registers of a group of LANES lanes, and the way down it.
 * Private. All lanes of a warp call together.
 *
 * A load brings a lane 16 bytes: a node of the tree, of 4 floats or 2 doubles. LANES of them are a chunk, up to LANES
 * chunks a piece: lane k ends with the sum of chunk k. For the way down the chosen chunk is read again: caches have it,
 * and registers are left for more warps. Loads of eight chunks are under way at a time; their sums are formed by
 * halving: at every step a lane keeps every other chunk and passes its part of the rest on, so that 7 exchanges do what
 * 24 would. */
#ifndef SPG_KERNELS_SAMPLING_ROWS_TREE_CUH
#define SPG_KERNELS_SAMPLING_ROWS_TREE_CUH

#include "rows.cuh"

namespace spg
{
namespace rows
{

enum { BATCH = 8 }; /* chunks */

template <typename Real> constexpr int ITEMS = SPG_LANE_BYTES / (int)sizeof(Real);

/* Positions of a piece. */
template <int LANES, typename Real> constexpr int PIECE = LANES *LANES *ITEMS<Real>;

/* A piece of a row: positions [lead, end) hold items, those before none, and `from` is where position 0 would be. */
template <typename Real> struct row_piece {
    const Real *from;
    int lead, end;
};

template <typename Real> struct alignas(SPG_LANE_BYTES) node_items {
    Real item[ITEMS<Real>];

    /* Returns whether an item is below 0; of what is NaN the sum tells. */
    __device__ bool scale_down(double scale)
    {
        bool bad = false;
#pragma unroll
        for (int k = 0; k < ITEMS<Real>; ++k) {
            bad |= item[k] < 0;
            if (sizeof(Real) == 8) item[k] = multiply(item[k], (Real)scale);
        }
        return bad;
    }
    __device__ double left() const
    {
        if constexpr (ITEMS<Real> == 4) return add((double)item[0], (double)item[1]);
        return (double)item[0];
    }
    __device__ double right() const
    {
        if constexpr (ITEMS<Real> == 4) return add((double)item[2], (double)item[3]);
        return (double)item[1];
    }
    __device__ double sum() const { return add(left(), right()); }

    /* The way down: which item. */
    __device__ int find(double target, double base) const
    {
        bool right_half = spg_goes_right(target, base, left(), right());
        if constexpr (ITEMS<Real> == 2) return right_half;
        if (right_half) base = add(base, left());
        double first = (double)(right_half ? item[ITEMS<Real> - 2] : item[0]);
        double second = (double)(right_half ? item[ITEMS<Real> - 1] : item[1]);
        return (right_half ? 2 : 0) + (spg_goes_right(target, base, first, second) ? 1 : 0);
    }
};

/* LANES nodes of one height, one a lane. */
template <int LANES> struct lane_tree {
    static constexpr int LEVELS = LANES == 8 ? 3 : LANES == 16 ? 4 : 5;
    double mine[LEVELS + 1], other[LEVELS]; /* the lane's node and its sibling at each height above */

    __device__ explicit lane_tree(double node)
    {
        mine[0] = node;
#pragma unroll
        for (int level = 0; level < LEVELS; ++level) {
            other[level] = __shfl_xor_sync(ALL_LANES, mine[level], 1 << level);
            mine[level + 1] = add(mine[level], other[level]);
        }
    }

    __device__ double root() const { return mine[LEVELS]; }

    /* Which lane of the group has the node that target lies in; *base is then what lies before that, in every lane. */
    __device__ int find(double target, double *base) const
    {
        int lane = lane_in_warp();
        bool on_path = true;
        double before = *base;
#pragma unroll
        for (int level = LEVELS - 1; level >= 0; --level) {
            bool right = lane >> level & 1;
            double left_sum = right ? other[level] : mine[level], right_sum = right ? mine[level] : other[level];
            on_path &= (spg_goes_right(target, before, left_sum, right_sum) != 0) == right;
            if (right) before = add(before, left_sum);
        }
        unsigned int found = __ballot_sync(ALL_LANES, on_path) >> (lane / LANES * LANES);
        int source = __ffs((int)found) - 1;
        *base = __shfl_sync(ALL_LANES, before, source, LANES);
        return source;
    }
};

/* Sums of a piece, chunk by chunk. */
template <int LANES, typename Real> struct piece_sums {
    static constexpr int CHUNK = LANES * ITEMS<Real>;

    static __device__ int lane() { return lane_in_warp() % LANES; }

    /* The lane's node of each of a batch of chunks from position `first` on. Loads of 16 bytes may bring what lies
     * before the row, not what lies behind it: that may be the end of all. A node that the row ends in is `end`, of
     * chunk `last`, if the lane has it; else last is none of the batch. */
    static __device__ void load(const row_piece<Real> &piece, bool aligned, int first, node_items<Real> (&nodes)[BATCH],
                                node_items<Real> *end, int *last)
    {
        int at = first + lane() * ITEMS<Real>, rest = piece.end - at, items = rest % CHUNK;
        const Real *from = piece.from + at;
        *end = {};
        *last = aligned && rest > 0 && items > 0 && items < ITEMS<Real> ? rest / CHUNK : BATCH;
        if (*last < BATCH)
#pragma unroll
            for (int k = 0; k < ITEMS<Real> - 1; ++k)
                if (k < items) end->item[k] = from[*last * CHUNK + k];
        if (aligned) {
#pragma unroll
            for (int c = 0; c < BATCH; ++c) {
                nodes[c] = {};
                if (rest - c * CHUNK >= ITEMS<Real>)
                    nodes[c] = *reinterpret_cast<const node_items<Real> *>(from + c * CHUNK);
            }
            if (at < piece.lead)
#pragma unroll
                for (int k = 0; k < ITEMS<Real> - 1; ++k)
                    if (k < piece.lead) nodes[0].item[k] = 0;
        } else {
#pragma unroll
            for (int c = 0; c < BATCH; ++c)
#pragma unroll
                for (int k = 0; k < ITEMS<Real>; ++k) {
                    bool inside = at + c * CHUNK + k >= piece.lead && c * CHUNK + k < rest;
                    nodes[c].item[k] = inside ? from[c * CHUNK + k] : (Real)0;
                }
        }
    }

    /* Halvings: of 2 * HALF chunks, part[c] of the lane becomes chunk 2c or 2c + 1. (A recursion: as a loop it would
     * not be unrolled, and the parts would lie in local memory.) */
    template <int STEP, int HALF> static __device__ void halve(double (&part)[BATCH])
    {
        if constexpr (HALF > 0) {
            bool odd = lane_in_warp() & STEP;
#pragma unroll
            for (int c = 0; c < HALF; ++c) {
                double keep = odd ? part[2 * c + 1] : part[2 * c], give = odd ? part[2 * c] : part[2 * c + 1];
                part[c] = add(keep, __shfl_xor_sync(ALL_LANES, give, STEP));
            }
            halve<2 * STEP, HALF / 2>(part);
        }
    }

    /* The sum of chunk `lane % BATCH` of those from position `first` on. */
    static __device__ double sum_batch(row_piece<Real> piece, bool aligned, int first, double scale, bool *bad)
    {
        /* Else the compiler takes what hangs on `end` out of the loops over scales, and packs it into words. */
        asm volatile("" : "+r"(piece.end));
        node_items<Real> nodes[BATCH], end;
        double part[BATCH];
        int last, signs = 0;
        load(piece, aligned, first, nodes, &end, &last);
#pragma unroll
        for (int k = 0; k < ITEMS<Real>; ++k) {
            signs |= sign_word(end.item[k]);
#pragma unroll
            for (int c = 0; c < BATCH; ++c) signs |= sign_word(nodes[c].item[k]);
        }
        if (signs < 0 || (sizeof(Real) == 8 && scale != 1)) {
            *bad |= end.scale_down(scale);
#pragma unroll
            for (int c = 0; c < BATCH; ++c) *bad |= nodes[c].scale_down(scale);
        }
        double end_sum = end.sum();
#pragma unroll
        for (int c = 0; c < BATCH; ++c) {
            part[c] = first + c * CHUNK < piece.end ? nodes[c].sum() : 0;
            if (c == last) part[c] = end_sum;
        }
        halve<1, BATCH / 2>(part);
        double sum = part[0];
#pragma unroll
        for (int step = BATCH; step < LANES; step *= 2) sum = add(sum, __shfl_xor_sync(ALL_LANES, sum, step));
        return sum;
    }

    /* The sum of chunk `lane`. */
    static __device__ double sum(const row_piece<Real> &piece, bool aligned, double scale, bool *bad)
    {
        double mine = 0;
#pragma unroll 1
        for (int b = 0; b < LANES / BATCH; ++b) {
            if (LANES > BATCH && !__any_sync(ALL_LANES, b * BATCH * CHUNK < piece.end)) break;
            double sum = sum_batch(piece, aligned, b * BATCH * CHUNK, scale, bad);
            if (lane() / BATCH == b) mine = sum;
        }
        return mine;
    }

    /* The lane's node of a chunk that caches have, or of one that is all of a row. */
    static __device__ node_items<Real> load_node(const row_piece<Real> &piece, int chunk)
    {
        node_items<Real> node;
        int at = (chunk * LANES + lane()) * ITEMS<Real>;
#pragma unroll
        for (int k = 0; k < ITEMS<Real>; ++k)
            node.item[k] = at + k >= piece.lead && at + k < piece.end ? piece.from[at + k] : (Real)0;
        return node;
    }

    /* From a chunk to the position in the piece, in the lane that has it; elsewhere -1. */
    static __device__ int find_in_chunk(const row_piece<Real> &piece, int chunk, double scale, double target,
                                        double base)
    {
        node_items<Real> node = load_node(piece, chunk);
        if (sizeof(Real) == 8 && scale != 1) node.scale_down(scale);
        return find_in_nodes(node, lane_tree<LANES>(node.sum()), chunk, target, base);
    }
    static __device__ int find_in_nodes(const node_items<Real> &node, const lane_tree<LANES> &nodes, int chunk,
                                        double target, double base)
    {
        int source = nodes.find(target, &base);
        int position = (chunk * LANES + lane()) * ITEMS<Real> + node.find(target, base);
        return lane() == source ? position : -1;
    }
};

/* A row of any length as pieces of a warp. */
template <typename Real> struct row_pieces {
    const Real *from;
    int64_t begin, items, positions;
    int lead;

    __device__ row_pieces(const row_job<Real> &job, int64_t row_begin, int64_t row_items)
        : from(nullptr), begin(row_begin), items(row_items), positions(0),
          lead(spg_row_lead(row_begin, row_items, sizeof(Real)))
    {
        from = job.weights + begin - lead;
        positions = items + lead;
    }

    __device__ int64_t count() const { return (positions + PIECE<WARP, Real> - 1) / PIECE<WARP, Real>; }
    /* Of a row at fault position may lie anywhere. */
    __device__ int64_t item(int64_t k, int position) const
    {
        return min(max(k * PIECE<WARP, Real> + position - lead, (int64_t)0), items - 1);
    }
    __device__ row_piece<Real> operator[](int64_t k) const
    {
        int64_t first = k * PIECE<WARP, Real>;
        return {from + first, k == 0 ? lead : 0, (int)min(positions - first, (int64_t)PIECE<WARP, Real>)};
    }
};

/* By a warp. FROM_PIECE: from piece `chosen` on, which has target, with `base` before it. Else a whole row, of at most
 * as many pieces as the warp has lanes; the chosen piece is summed once more where it isn't the last, and by the same
 * code: the less of it there is, the more of it stays in the instruction caches. */
template <bool FROM_PIECE, typename Real>
__device__ inline void descend(const row_job<Real> &job, int64_t row, const row_pieces<Real> &pieces, double u,
                               int64_t chosen, double scale, double target, double base)
{
    typedef piece_sums<WARP, Real> sums;
    double piece_sum = 0;
    bool bad = false;
    for (int64_t k = FROM_PIECE ? chosen : 0;;) {
        const lane_tree<WARP> chunks(sums::sum(pieces[k], job.aligned, scale, &bad));
        if (!FROM_PIECE && chosen < 0) {
            if (lane_in_warp() == k) piece_sum = chunks.root();
            if (++k < pieces.count()) continue;
            const lane_tree<WARP> roots(piece_sum);
            if (is_too_large<Real>(roots.root(), scale)) {
                scale = SPG_SCALE_DOWN;
                k = 0;
                continue;
            }
            if (bad || !is_sound_sum(roots.root())) job.report_row(row);
            target = multiply(u, roots.root());
            chosen = roots.find(target, &base);
            if (chosen != --k) {
                k = min(chosen, k);
                continue;
            }
        }
        int chunk = chunks.find(target, &base);
        int position = sums::find_in_chunk(pieces[k], chunk, scale, target, base);
        if (position >= 0) job.write(row, pieces.begin, pieces.item(k, position));
        return;
    }
}

template <typename Real>
__device__ inline void draw_by_warp(const row_job<Real> &job, int64_t row, const row_pieces<Real> &pieces, double u)
{
    descend<false>(job, row, pieces, u, -1, 1, 0, 0);
}

template <typename Real>
__device__ inline void draw_in_piece(const row_job<Real> &job, int64_t row, const row_pieces<Real> &pieces,
                                     int64_t piece, double scale, double target, double base)
{
    descend<true>(job, row, pieces, 0, piece, scale, target, base);
}

} // namespace rows
} // namespace spg

#endif
