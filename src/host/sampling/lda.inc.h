/* The z-step's draws of one word, in the type of theta and phi. Template; see for_each_real.h.
 *
 * A draw returns the topic, or -1 for products that can't be drawn from; `products` has room for the topics (and a tree
 * of doubles, scratch, for all of them). */

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

/* The nodes of heights 1 and 2 are of the type, those above doubles. */
static int32_t NAMED(draw_by_tree)(const REAL *products, int32_t topics, uint64_t bits, double *tree)
{
    int levels = spg_levels(topics);
    int64_t leaves = (int64_t)1 << levels;
    double *below = tree, base = 0;
    for (int64_t k = 0; k < leaves; ++k) tree[k] = k < topics ? (double)products[k] : 0;
    for (int h = 1; h <= levels && h <= 2; ++h) {
        double *level = below + (leaves >> (h - 1));
        for (int64_t k = 0; k < leaves >> h; ++k) level[k] = (double)((REAL)below[2 * k] + (REAL)below[2 * k + 1]);
        below = level;
    }
    double sum = levels > 2 ? spg_tree_fill(below, levels - 2) : *below;
    if (!(sum > 0 && sum <= DBL_MAX)) return -1;
    return (int32_t)spg_tree_descend(tree, levels, spg_uniform_f64(bits) * sum, &base);
}

static int32_t NAMED(last_positive)(const REAL *products, int32_t topics)
{
    int32_t topic = topics - 1;
    while (topic > 0 && !(products[topic] > 0)) --topic;
    return topic;
}

/* Algorithms 1 and 4: prefix sums in order, then the first that passes target (a binary search finds the same). */
static int32_t NAMED(draw_in_order)(const REAL *products, int32_t topics, uint64_t bits, double *unused)
{
    REAL sum = 0, part = 0;
    (void)unused;
    for (int32_t k = 0; k < topics; ++k) sum += products[k];
    if (!(sum > 0 && sum <= NAMED(most))) return -1;
    REAL target = NAMED(spg_uniform)(bits) * sum;
    for (int32_t k = 0; k < topics; ++k) {
        part += products[k];
        if (target < part) return k;
    }
    return NAMED(last_positive)(products, topics);
}

/* The tree over a block of 32. */
static REAL NAMED(fill_block)(const REAL *products, REAL *tree)
{
    REAL *below = tree;
    for (int k = 0; k < BLOCK; ++k) tree[k] = products[k];
    for (int count = BLOCK; count > 1; count /= 2) {
        REAL *level = below + count;
        for (int k = 0; k < count / 2; ++k) level[k] = below[2 * k] + below[2 * k + 1];
        below = level;
    }
    return *below;
}

/* Algorithm 9 and 10: of the children of a node the table holds but one, the left where the lane's bit is clear. */
static int32_t NAMED(search_block)(const REAL *tree, int64_t lane, REAL low, REAL high, REAL target)
{
    int node = 0, begin = 2 * BLOCK - 2;
    for (int half = BLOCK / 2; half >= 1; half /= 2) {
        begin -= BLOCK / half;
        const REAL *children = tree + begin + 2 * node;
        REAL middle = (lane & half) == 0 ? low + children[0] : high - children[1];
        bool right = target >= middle;
        if (right)
            low = middle;
        else
            high = middle;
        node = 2 * node + right;
    }
    return node;
}

/* The topic where target lies; the search in a block may end beside it, at a product of 0. */
static int32_t NAMED(find_by_table)(const REAL *products, int32_t topics, int64_t lane, REAL target)
{
    REAL tree[2 * BLOCK], sum = 0, low = 0, high = 0;
    int32_t remnant = topics % BLOCK, chosen = -1;
    for (int32_t k = 0; k < remnant; ++k) {
        sum += products[k];
        if (target < sum) return k;
    }
    for (int32_t first = remnant; first < topics; first += BLOCK) {
        REAL block_sum = NAMED(fill_block)(products + first, tree), next = sum + block_sum;
        if (block_sum > 0) chosen = first, low = sum, high = next;
        if (target < next) break;
        sum = next;
    }
    if (chosen < 0) return remnant - 1;
    NAMED(fill_block)(products + chosen, tree);
    return chosen + NAMED(search_block)(tree, lane, low, high, target);
}

/* Algorithm 7. */
static int32_t NAMED(draw_by_table)(const REAL *products, int32_t topics, uint64_t bits, int64_t lane)
{
    REAL tree[2 * BLOCK], sum = 0;
    int32_t remnant = topics % BLOCK;
    for (int32_t k = 0; k < remnant; ++k) sum += products[k];
    for (int32_t first = remnant; first < topics; first += BLOCK) sum += NAMED(fill_block)(products + first, tree);
    if (!(sum > 0 && sum <= NAMED(most))) return -1;
    int32_t topic = NAMED(find_by_table)(products, topics, lane, NAMED(spg_uniform)(bits) * sum), k = topic;
    while (k < topics && !(products[k] > 0)) ++k;
    return k < topics ? k : NAMED(last_positive)(products, topics);
}

/* Word w of document m. */
static int32_t NAMED(draw_word)(const lda_call *call, int64_t m, int64_t w, void *products, double *tree)
{
    const spg_lda *lda = call->lda;
    int32_t topics = lda->topics;
    uint64_t bits = spg_random_number(call->random->seed, call->random->stream, call->random->first + (uint64_t)w);
    const REAL *theta = (const REAL *)lda->theta + m * topics, *phi = (const REAL *)lda->phi;
    if (!NAMED(multiply)(theta, phi + (int64_t)lda->words[w] * topics, topics, products)) return -1;
    if (call->method == SPG_BUTTERFLY_AUTO) return NAMED(draw_by_tree)(products, topics, bits, tree);
    if (call->method == SPG_BUTTERFLY_TABLE) return NAMED(draw_by_table)(products, topics, bits, m % BLOCK);
    return NAMED(draw_in_order)(products, topics, bits, tree);
}

/* What is wrong with a word that gave no draw. */
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
