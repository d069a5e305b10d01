/* The z-step's draws for one word, in the type of theta and phi. Template; see for_each_real.h.
 *
 * A draw returns the topic, or -1 if the products cannot be drawn from; `products` has room for the topics. */

/* products[k] = theta[k] * phi[k], rounded; false if one is negative or NaN. */
static bool NAMED(multiply)(const REAL *theta, const REAL *phi, int32_t topics, REAL *products)
{
    bool sound = true;
    for (int32_t k = 0; k < topics; ++k) {
        products[k] = theta[k] * phi[k];
        sound &= products[k] >= 0;
    }
    return sound;
}

/* The lanes of a piece: the sum of each lane alone, and including all lanes before it. */
typedef struct NAMED(lane_sums) {
    int lanes;
    REAL own[SPG_MOST_LANES], through[SPG_MOST_LANES];
} NAMED(lane_sums);

enum { NAMED(LANE_ITEMS) = SPG_LANE_BYTES / sizeof(REAL) };

/* The item after item k of a piece in the same lane. */
static int32_t NAMED(next_of_lane)(int32_t k, int lanes)
{
    int32_t next = k + 1;
    return next % NAMED(LANE_ITEMS) != 0 ? next : next + (lanes - 1) * NAMED(LANE_ITEMS);
}

/* Returns the piece's sum. */
static double NAMED(sum_lanes)(const REAL *piece, int32_t items, NAMED(lane_sums) * sums)
{
    int lanes = sums->lanes;
    for (int l = 0; l < lanes; ++l) {
        REAL sum = 0;
        for (int32_t k = l * NAMED(LANE_ITEMS); k < items; k = NAMED(next_of_lane)(k, lanes)) sum += piece[k];
        sums->own[l] = sums->through[l] = sum;
    }
    for (int step = 1; step < lanes; step *= 2)
        for (int l = lanes - 1; l >= step; --l) sums->through[l] = sums->through[l - step] + sums->through[l];
    return (double)sums->through[lanes - 1];
}

/* The item of a piece at target, where sum is positive. */
static int32_t NAMED(find_in_lanes)(const REAL *piece, int32_t items, const NAMED(lane_sums) * sums, double target)
{
    int chosen = 0;
    for (int l = 0; l < sums->lanes; ++l) {
        if (!(sums->own[l] > 0)) continue;
        chosen = l;
        if (target < (double)sums->through[l]) break;
    }
    REAL last = sums->own[chosen], rest = NAMED(spg_rest)(target - ((double)sums->through[chosen] - (double)last));
    if (!(rest > 0)) rest = 0;
    if (!(rest < last)) rest = NAMED(before)(last);
    REAL sum = 0;
    for (int32_t k = chosen * NAMED(LANE_ITEMS); k < items; k = NAMED(next_of_lane)(k, sums->lanes)) {
        sum += piece[k];
        if (rest < sum) return k;
    }
    return items - 1;
}

/* through: one number per piece. */
static int32_t NAMED(draw_by_lanes)(const REAL *products, int32_t topics, uint64_t bits, double *through)
{
    NAMED(lane_sums) sums = {.lanes = spg_lanes(topics, sizeof(REAL))};
    int64_t pieces = lda_pieces(topics), p = 0;
    double sum = 0;
    for (int64_t k = 0; k < pieces; ++k) {
        const REAL *piece = products + k * SPG_LANE_PIECE;
        through[k] = sum += NAMED(sum_lanes)(piece, lda_piece_items(topics, k), &sums);
    }
    if (!(sum > 0 && sum <= DBL_MAX)) return -1;
    double target = spg_target_f64(spg_uniform_f64(bits), sum);
    if (!(target < sum)) target = before_f64(sum);
    while (!(target < through[p])) ++p;
    const REAL *piece = products + p * SPG_LANE_PIECE;
    int32_t items = lda_piece_items(topics, p);
    NAMED(sum_lanes)(piece, items, &sums);
    double rest = target - (p > 0 ? through[p - 1] : 0);
    return (int32_t)(p * SPG_LANE_PIECE) + NAMED(find_in_lanes)(piece, items, &sums, rest);
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

/* Word w of document m. */
static int32_t NAMED(draw_word)(const lda_call *call, int64_t m, int64_t w, void *products, double *through)
{
    const spg_lda *lda = call->lda;
    int32_t topics = lda->topics;
    uint64_t bits = spg_random_number(call->random->seed, call->random->stream, call->random->first + (uint64_t)w);
    const REAL *theta = (const REAL *)lda->theta + m * topics, *phi = (const REAL *)lda->phi;
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
