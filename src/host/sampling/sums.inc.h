/* The leaves of a block. Template; see for_each_real.h. */
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
