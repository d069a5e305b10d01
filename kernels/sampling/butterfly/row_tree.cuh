/* The tree of sums of a row (src/sampling/sums.h) in the registers of a warp, and the way down it. Private. All lanes
 * of a warp call these functions together.
 *
 * A load gives a lane 16 bytes: a node of the tree, of 4 floats or 2 doubles. 32 nodes are a chunk, up to 32 chunks a
 * piece; lane k ends with the sum of chunk k. On the way down the chosen chunk is read again: it is in cache, and the
 * registers saved allow more warps. The loads of a batch of chunks overlap; their sums are formed by halving
 * (tree.cuh).
 *
 * Rows are read in one of two ways. PLAIN: in 16-byte loads, which may include what is next to the row, but nothing
 * behind the matrix, for weights with a finite sum and clear sign bits. Otherwise item by item, each scaled and
 * checked: for the few rows that are not plain, and to find faults. Draws from short rows are bound by the instructions
 * for each item, and by the size of the rest of the code, because instruction caches are small (ncu, H100). */
#ifndef SPG_KERNELS_SAMPLING_BUTTERFLY_ROW_TREE_CUH
#define SPG_KERNELS_SAMPLING_BUTTERFLY_ROW_TREE_CUH

#include "../tree.cuh"
#include "rows.cuh"

namespace spg
{
namespace rows
{

using tree::lane_tree;

template <typename Real> constexpr int ITEMS = SPG_LANE_BYTES / (int)sizeof(Real);

/* Positions of a piece. */
template <typename Real> constexpr int PIECE = WARP *WARP *ITEMS<Real>;

/* A piece of a row: positions [lead, end) hold items, earlier ones none; `from` is the address of position 0. */
template <typename Real> struct row_piece {
    const Real *from;
    int lead, end;
};

template <typename Real> struct alignas(SPG_LANE_BYTES) node_items {
    Real item[ITEMS<Real>];

    /* Returns whether an item is below 0; the sum shows NaN. */
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

    /* Negative if an item has its sign bit set. */
    __device__ int signs() const
    {
        int word = 0;
#pragma unroll
        for (int k = 0; k < ITEMS<Real>; ++k) word |= sign_word(item[k]);
        return word;
    }

    /* Sets items before `lead` and from `end` on to 0. */
    __device__ void cut_front(int lead)
    {
#pragma unroll
        for (int k = 0; k < ITEMS<Real> - 1; ++k)
            if (k < lead) item[k] = 0;
    }
    __device__ void cut_back(int end)
    {
#pragma unroll
        for (int k = 1; k < ITEMS<Real>; ++k)
            if (k >= end) item[k] = 0;
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

    /* The way down, like lane_tree::find: returns the item. */
    __device__ int find(double target, double base) const
    {
        double before[ITEMS<Real>] = {base, add(base, (double)item[0])};
        if constexpr (ITEMS<Real> == 4) {
            before[2] = add(base, left());
            before[3] = add(before[2], (double)item[2]);
        }
        int found = 0;
#pragma unroll
        for (int k = 1; k < ITEMS<Real>; ++k)
            if (item[k] > 0 && target >= before[k]) found = k;
        return found;
    }
};

/* Sums of a piece, chunk by chunk. scale: 1 if PLAIN. *odd: if PLAIN, a sign bit is set; else an item is below 0. */
template <int BATCH, bool PLAIN, typename Real> struct piece_sums {
    static constexpr int CHUNK = WARP * ITEMS<Real>;

    /* The node at position `at` of the piece. */
    static __device__ node_items<Real> load_node(const row_piece<Real> &piece, int at, double scale, bool *odd)
    {
        node_items<Real> node = {};
        if (PLAIN) {
            if (at < piece.end) node = *reinterpret_cast<const node_items<Real> *>(piece.from + at);
            node.cut_front(piece.lead - at);
            node.cut_back(piece.end - at);
        } else {
#pragma unroll
            for (int k = 0; k < ITEMS<Real>; ++k)
                if (at + k >= piece.lead && at + k < piece.end) node.item[k] = piece.from[at + k];
            *odd |= node.scale_down(scale);
        }
        return node;
    }

    /* Loads the lane's nodes of a batch of chunks from position `at` on. */
    static __device__ void load_batch(const row_piece<Real> &piece, int at, double scale,
                                      node_items<Real> (&nodes)[BATCH], bool *odd)
    {
        if constexpr (PLAIN) {
            int rest = piece.end - at, signs = 0;
#pragma unroll
            for (int c = 0; c < BATCH; ++c) {
                nodes[c] = {};
                if (rest > c * CHUNK)
                    nodes[c] = *reinterpret_cast<const node_items<Real> *>(piece.from + at + c * CHUNK);
            }
            nodes[0].cut_front(piece.lead - at);
            if (piece.end % ITEMS<Real> != 0)
#pragma unroll
                for (int c = 0; c < BATCH; ++c) nodes[c].cut_back(rest - c * CHUNK);
#pragma unroll
            for (int c = 0; c < BATCH; ++c) signs |= nodes[c].signs();
            *odd |= signs < 0;
        } else {
#pragma unroll
            for (int c = 0; c < BATCH; ++c) nodes[c] = load_node(piece, at + c * CHUNK, scale, odd);
        }
    }

    /* The sum of chunk `lane % BATCH` of those from position `first` on. */
    static __device__ double sum_batch(const row_piece<Real> &piece, int first, double scale, bool *odd)
    {
        node_items<Real> nodes[BATCH];
        double sums[BATCH];
        load_batch(piece, first + lane_in_warp() * ITEMS<Real>, scale, nodes, odd);
#pragma unroll
        for (int c = 0; c < BATCH; ++c) sums[c] = nodes[c].sum();
        return tree::sum_across<BATCH, WARP>(tree::sum_chunks<BATCH>(sums));
    }

    /* The sum of chunk `lane`. */
    static __device__ double sum(const row_piece<Real> &piece, double scale, bool *odd)
    {
        double mine = 0;
#pragma unroll 1
        for (int b = 0; b < WARP / BATCH && b * BATCH * CHUNK < piece.end; ++b) {
            double sum = sum_batch(piece, b * BATCH * CHUNK, scale, odd);
            if (lane_in_warp() / BATCH == b) mine = sum;
        }
        return mine;
    }

    /* From a chunk to the position in the piece, in the lane that has it; -1 elsewhere. */
    static __device__ int find_in_chunk(const row_piece<Real> &piece, int chunk, double scale, double target,
                                        double base)
    {
        bool unused = false;
        node_items<Real> node = load_node(piece, (chunk * WARP + lane_in_warp()) * ITEMS<Real>, scale, &unused);
        return find_in_nodes(node, lane_tree(node.sum()), chunk, target, base);
    }
    static __device__ int find_in_nodes(const node_items<Real> &node, const lane_tree &nodes, int chunk, double target,
                                        double base)
    {
        int source = nodes.find(target, &base);
        int position = (chunk * WARP + lane_in_warp()) * ITEMS<Real> + node.find(target, base);
        return lane_in_warp() == source ? position : -1;
    }
};

/* A row as pieces of a warp. Index: int for rows of up to LONGEST items, or int64_t. */
template <typename Real, typename Index> struct row_pieces {
    const Real *from;
    int64_t begin;
    Index items, positions;
    int lead;

    __device__ row_pieces(const row_job<Real> &job, int64_t row_begin, Index row_items)
        : from(nullptr), begin(row_begin), items(row_items), positions(0),
          lead(spg_row_lead(row_begin, row_items, sizeof(Real)))
    {
        from = job.weights + begin - lead;
        positions = items + lead;
    }

    __device__ Index count() const { return (positions + PIECE<Real> - 1) / PIECE<Real>; }
    /* In a faulty row, position may be anything. */
    __device__ Index item(Index k, int position) const
    {
        return min(max(k * PIECE<Real> + position - lead, (Index)0), items - 1);
    }
    __device__ row_piece<Real> operator[](Index k) const
    {
        Index first = k * PIECE<Real>;
        return {from + first, k == 0 ? lead : 0, (int)min(positions - first, (Index)PIECE<Real>)};
    }
};

/* Draws from a row by a warp. The target lies in piece k, with `base` before it; the chunks of the piece are summed. */
template <int BATCH, bool PLAIN, typename Real, typename Index>
__device__ inline void draw_in_chunks(const row_job<Real> &job, int64_t row, const row_pieces<Real, Index> &pieces,
                                      Index k, const lane_tree &chunks, double scale, double target, double base)
{
    int chunk = chunks.find(target, &base);
    int position = piece_sums<BATCH, PLAIN, Real>::find_in_chunk(pieces[k], chunk, scale, target, base);
    if (position >= 0) job.write(row, pieces.begin, pieces.item(k, position));
}

enum { ODD_BATCH = 4 }; /* chunks loaded together of a row that is not plain */

/* The result of a draw. NOTHING: all weights are 0. */
enum outcome { DRAWN, ODD, TOO_LARGE, NOTHING };

/* Draws from a row of at most as many pieces as the warp has lanes. The chosen piece is summed again if it is not the
 * last, by the same code: less code stays in the instruction caches. ODD: the row must be drawn from, or reported,
 * another way. */
template <int BATCH, bool PLAIN, typename Real>
__device__ inline outcome draw_by_warp(const row_job<Real> &job, int64_t row, const row_pieces<Real, int> &pieces,
                                       double u, double scale)
{
    typedef piece_sums<BATCH, PLAIN, Real> sums;
    double piece_sum = 0, target = 0, base = 0;
    int last = pieces.count() - 1, chosen = -1;
    bool odd = false;
    for (int k = 0;;) {
        const lane_tree chunks(sums::sum(pieces[k], scale, &odd));
        if (chosen < 0) {
            double root = chunks.root();
            if (last > 0) {
                if (lane_in_warp() == k) piece_sum = root;
                if (k++ < last) continue;
                root = tree::sum_across<1, WARP>(piece_sum);
            }
            if (__any_sync(ALL_LANES, odd)) return ODD;
            if (root == 0) return NOTHING;
            if (!is_sound_sum(root)) return is_too_large<Real>(root, scale) ? TOO_LARGE : ODD;
            target = spg_target_f64(u, root);
            chosen = k = last;
            if (last > 0) k = chosen = lane_tree(piece_sum).find(target, &base);
            if (chosen != last) continue;
        }
        draw_in_chunks<BATCH, PLAIN>(job, row, pieces, k, chunks, scale, target, base);
        return DRAWN;
    }
}

/* The same for a row that is not plain. */
template <typename Real>
__device__ inline void draw_odd_by_warp(const row_job<Real> &job, int64_t row, const row_pieces<Real, int> &pieces,
                                        double u)
{
    for (double scale = 1;; scale = SPG_SCALE_DOWN) {
        outcome came = draw_by_warp<ODD_BATCH, false>(job, row, pieces, u, scale);
        if (came == ODD) job.report_row(row);
        if (came == NOTHING) job.leave(row);
        if (came != TOO_LARGE) return;
    }
}

} // namespace rows
} // namespace spg

#endif
