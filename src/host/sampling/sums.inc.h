/* See sums.h. Template; see for_each_real.h. */
bool NAMED(spg_tree_leaves)(const REAL *weights, int count, double scale, int levels, double *tree)
{
    bool sound = true;
    for (int k = 0; k < count; ++k) {
        sound &= weights[k] >= 0;
        tree[k] = (double)weights[k] * scale;
    }
    for (int k = count; k < 1 << levels; ++k) tree[k] = 0;
    return sound;
}

static inline REAL NAMED(fill)(REAL *tree, int levels)
{
    REAL *below = tree;
    for (int64_t count = (int64_t)1 << levels; count > 1; count /= 2) {
        REAL *level = below + count;
        for (int64_t k = 0; k < count / 2; ++k) level[k] = below[2 * k] + below[2 * k + 1];
        below = level;
    }
    return *below;
}

REAL NAMED(spg_tree_fill)(REAL *tree, int levels) { return NAMED(fill)(tree, levels); }
REAL NAMED(spg_block_fill)(REAL *tree) { return NAMED(fill)(tree, SPG_BLOCK_LEVELS); }

int32_t NAMED(spg_search_block)(const REAL *tree, int64_t lane, REAL low, REAL high, REAL target)
{
    int32_t node = 0, begin = 2 * SPG_BLOCK - 2;
    for (int half = SPG_BLOCK / 2; half >= 1; half /= 2) {
        begin -= SPG_BLOCK / half;
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
