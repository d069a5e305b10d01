/* The z-step's draws for one word, in the type of theta and phi. Template; see for_each_real.h.
 *
 * A draw returns the topic, or -1 if the products cannot be drawn from; `products` has room for the topics. */

/* products[k] = theta[k] * phi[k], rounded; false if one is negative or NaN. */
static bool NAMED(multiply)(const REAL *theta, const REAL *phi, int32_t topics, REAL *products)
{
    NAMED(lane_bits) bad = 0; /* as wide as a product, so that compilers can use vectors */
    for (int32_t k = 0; k < topics; ++k) {
        products[k] = theta[k] * phi[k];
        bad |= products[k] >= 0 ? 0 : -1;
    }
    return bad == 0;
}

/* The lanes of a piece: the sum of each lane alone, and including all lanes before it. */
typedef struct NAMED(lane_sums) {
    REAL own[SPG_MOST_LANES], through[SPG_MOST_LANES];
} NAMED(lane_sums);

enum { NAMED(LANE_ITEMS) = SPG_LANE_BYTES / sizeof(REAL) };

/* The items from this lane's first on of one round, in which each lane gets LANE_ITEMS. */
static inline REAL NAMED(add_round)(REAL sum, const REAL *items)
{
    for (int i = 0; i < NAMED(LANE_ITEMS); ++i) sum += items[i];
    return sum;
}

/* `rounds` rounds of a piece; returns the piece's sum. `lanes` is a constant after inlining. */
FOR_LANES double NAMED(sum_lanes)(const REAL *piece, int rounds, const int lanes, NAMED(lane_sums) * sums)
{
    REAL own[SPG_MOST_LANES], before[SPG_MOST_LANES];
    for (int l = 0; l < lanes; ++l) own[l] = 0;
    for (int r = 0; r < rounds; ++r, piece += lanes * NAMED(LANE_ITEMS))
        for (int l = 0; l < lanes; ++l) own[l] = NAMED(add_round)(own[l], piece + l * NAMED(LANE_ITEMS));
    memcpy(sums->own, own, (size_t)lanes * sizeof *own);
    for (int step = 1; step < lanes; step *= 2) {
        memcpy(before, own, (size_t)lanes * sizeof *own);
        for (int l = step; l < lanes; ++l) own[l] = before[l - step] + before[l];
    }
    memcpy(sums->through, own, (size_t)lanes * sizeof *own);
    return (double)own[lanes - 1];
}

/* The lane of a piece at target, where sum is positive: the first that reaches it, or the last. */
FOR_LANES int NAMED(find_lane)(const NAMED(lane_sums) * sums, const int lanes, double target)
{
    uint32_t positive = 0, above = 0;
    for (int l = 0; l < lanes; ++l) {
        positive |= (uint32_t)(sums->own[l] > 0) << l;
        above |= (uint32_t)(target < (double)sums->through[l]) << l;
    }
    above &= positive;
    return above != 0 ? __builtin_ctz(above) : 31 - __builtin_clz(positive);
}

/* The item of a piece at target. */
FOR_LANES int32_t NAMED(find_in_lanes)(const REAL *piece, int rounds, const int lanes, const NAMED(lane_sums) * sums,
                                       double target)
{
    const int lane = NAMED(find_lane)(sums, lanes, target);
    const REAL last = sums->own[lane];
    REAL rest = NAMED(spg_rest)(target - ((double)sums->through[lane] - (double)last)), sum = 0;
    if (!(rest > 0)) rest = 0;
    if (!(rest < last)) rest = NAMED(before)(last);
    const int32_t step = lanes * NAMED(LANE_ITEMS);
    int32_t at = lane * NAMED(LANE_ITEMS), first = at;
    REAL through = 0;
    for (int r = 1; r < rounds; ++r, at += step) { /* to the end, since a branch on `rest` would mispredict */
        through = NAMED(add_round)(through, piece + at);
        sum = rest < through ? sum : through;
        first = rest < through ? first : at + step;
    }
    int before = 0; /* of the round's items */
    for (int i = 0; i < NAMED(LANE_ITEMS); ++i) {
        sum += piece[first + i];
        before += !(rest < sum);
    }
    return first + before;
}

/* through: one number per piece. Appends zeros to the products, up to a whole round. */
FOR_LANES int32_t NAMED(draw_by_some_lanes)(REAL *products, int32_t topics, const int lanes, uint64_t bits,
                                            double *through)
{
    const int a_round = lanes * NAMED(LANE_ITEMS);
    memset(products + topics, 0, (size_t)((a_round - topics % a_round) % a_round) * sizeof *products);
    NAMED(lane_sums) sums;
    int64_t pieces = lda_pieces(topics), p = 0;
    double sum = 0;
    for (int64_t k = 0; k < pieces; ++k) {
        const int rounds = (lda_piece_items(topics, k) + a_round - 1) / a_round;
        through[k] = sum += NAMED(sum_lanes)(products + k * SPG_LANE_PIECE, rounds, lanes, &sums);
    }
    if (!(sum > 0 && sum <= DBL_MAX)) return -1;
    double target = spg_target_f64(spg_uniform_f64(bits), sum);
    if (!(target < sum)) target = before_f64(sum);
    while (!(target < through[p])) ++p;
    const REAL *piece = products + p * SPG_LANE_PIECE;
    const int rounds = (lda_piece_items(topics, p) + a_round - 1) / a_round;
    if (p + 1 < pieces) NAMED(sum_lanes)(piece, rounds, lanes, &sums);
    double rest = target - (p > 0 ? through[p - 1] : 0);
    return (int32_t)(p * SPG_LANE_PIECE) + NAMED(find_in_lanes)(piece, rounds, lanes, &sums, rest);
}

static int32_t NAMED(draw_by_lanes)(REAL *products, int32_t topics, uint64_t bits, double *through)
{
    switch (spg_lanes(topics, sizeof(REAL))) {
    case 8: return NAMED(draw_by_some_lanes)(products, topics, 8, bits, through);
    case 16: return NAMED(draw_by_some_lanes)(products, topics, 16, bits, through);
    default: return NAMED(draw_by_some_lanes)(products, topics, SPG_MOST_LANES, bits, through);
    }
}

static int32_t NAMED(last_positive)(const REAL *products, int32_t topics)
{
    int32_t topic = topics - 1;
    while (topic > 0 && !(products[topic] > 0)) --topic;
    return topic;
}

/* Algorithms 1 and 4: prefix sums in order, then the first one above target (a binary search finds the same). */
static int32_t NAMED(draw_in_order)(const REAL *products, int32_t topics, uint64_t bits)
{
    REAL sum = 0, part = 0;
    for (int32_t k = 0; k < topics; ++k) sum += products[k];
    if (!(sum > 0 && sum <= NAMED(most))) return -1;
    REAL target = NAMED(spg_target)(NAMED(spg_uniform)(bits), sum);
    for (int32_t k = 0; k < topics; ++k) {
        part += products[k];
        if (target < part) return k;
    }
    return NAMED(last_positive)(products, topics);
}

static REAL NAMED(fill_block)(const REAL *products, REAL *tree)
{
    memcpy(tree, products, SPG_BLOCK * sizeof *tree);
    return NAMED(spg_block_fill)(tree);
}

/* The topic at target. The search in a block may end next to it, at a product of 0. */
static int32_t NAMED(find_by_table)(const REAL *products, int32_t topics, int64_t lane, REAL target)
{
    REAL tree[2 * SPG_BLOCK], sum = 0, low = 0, high = 0;
    int32_t remnant = topics % SPG_BLOCK, chosen = -1;
    for (int32_t k = 0; k < remnant; ++k) {
        sum += products[k];
        if (target < sum) return k;
    }
    for (int32_t first = remnant; first < topics; first += SPG_BLOCK) {
        REAL block_sum = NAMED(fill_block)(products + first, tree), next = sum + block_sum;
        if (block_sum > 0) chosen = first, low = sum, high = next;
        if (target < next) break;
        sum = next;
    }
    if (chosen < 0) return remnant - 1;
    NAMED(fill_block)(products + chosen, tree);
    return chosen + NAMED(spg_search_block)(tree, lane, low, high, target);
}

/* Algorithm 7. */
static int32_t NAMED(draw_by_table)(const REAL *products, int32_t topics, uint64_t bits, int64_t lane)
{
    REAL tree[2 * SPG_BLOCK], sum = 0;
    int32_t remnant = topics % SPG_BLOCK;
    for (int32_t k = 0; k < remnant; ++k) sum += products[k];
    for (int32_t first = remnant; first < topics; first += SPG_BLOCK) sum += NAMED(fill_block)(products + first, tree);
    if (!(sum > 0 && sum <= NAMED(most))) return -1;
    const REAL target = NAMED(spg_target)(NAMED(spg_uniform)(bits), sum);
    int32_t topic = NAMED(find_by_table)(products, topics, lane, target), k = topic;
    while (k < topics && !(products[k] > 0)) ++k;
    return k < topics ? k : NAMED(last_positive)(products, topics);
}

/* Prefetches the start of a row; the processor itself goes on with a long one. */
static void NAMED(prefetch_row)(const REAL *row, int32_t topics)
{
    enum { LINE_ITEMS = 64 / sizeof(REAL), MOST_ITEMS = 8 * LINE_ITEMS };
    for (int32_t k = 0; k < topics && k < MOST_ITEMS; k += LINE_ITEMS) __builtin_prefetch(row + k);
}

/* Word w of document m. */
static int32_t NAMED(draw_word)(const lda_call *call, int64_t m, int64_t w, void *products, double *through)
{
    const spg_lda *lda = call->lda;
    int32_t topics = lda->topics;
    uint64_t bits = spg_random_number(call->random->seed, call->random->stream, call->random->first + (uint64_t)w);
    const REAL *theta = (const REAL *)lda->theta + m * topics, *phi = (const REAL *)lda->phi;
    if (w + AHEAD < lda->words_total) NAMED(prefetch_row)(phi + (int64_t)lda->words[w + AHEAD] * topics, topics);
    if (!NAMED(multiply)(theta, phi + (int64_t)lda->words[w] * topics, topics, products)) return -1;
    if (call->method == SPG_BUTTERFLY_AUTO) return NAMED(draw_by_lanes)(products, topics, bits, through);
    if (call->method == SPG_BUTTERFLY_TABLE) return NAMED(draw_by_table)(products, topics, bits, m % SPG_BLOCK);
    return NAMED(draw_in_order)(products, topics, bits);
}

/* The fault of a word that gave no draw. */
static spg_weight_fault NAMED(word_fault)(const spg_lda *lda, int64_t m, int64_t w, int32_t *topic)
{
    const REAL *theta = (const REAL *)lda->theta + m * lda->topics;
    const REAL *phi = (const REAL *)lda->phi + (int64_t)lda->words[w] * lda->topics;
    spg_weight_fault infinite = SPG_WEIGHT_SOUND;
    bool zeros = true;
    for (int32_t k = 0; k < lda->topics; ++k) {
        REAL product = theta[k] * phi[k];
        spg_weight_fault fault = spg_weight_kind((double)product);
        zeros &= product == 0;
        *topic = k;
        if (fault == SPG_WEIGHT_NEGATIVE || fault == SPG_WEIGHT_NAN) return fault;
        if (fault == SPG_WEIGHT_INFINITE) infinite = fault;
    }
    *topic = -1;
    return zeros && infinite == SPG_WEIGHT_SOUND ? SPG_WEIGHT_ZEROS : SPG_WEIGHT_INFINITE;
}
