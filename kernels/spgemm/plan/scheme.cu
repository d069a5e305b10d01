/* Chooses how a plan's rows are done, from totals over all rows; on the host.
 *
 * Input: the facts. Output: by threads or by entries, how many rows together, blocks, and where long rows and slices
 * are cut. plan/classes.cu then classifies each row. */
#include "plan.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* How many rows are done at once: the number that saves most. */
int choose_equal_rows(const plan_facts &facts)
{
    const unsigned long long in_pairs = facts.grouped_rows[0], in_triples = facts.grouped_rows[1];
    if (in_pairs == 0 && in_triples == 0) return 1;
    return 4 * in_triples >= 3 * in_pairs ? 3 : 2;
}

/* Rows of blocks that a thread does: several share values of B, but leave fewer threads and need more memory for A's
 * values. */
int choose_rows_per_thread(const plan_maker &maker)
{
    const plan_scheme &scheme = maker.scheme;
    const int64_t entries = (int64_t)maker.facts.c_entries / (scheme.equal_rows * scheme.entry_width);
    const int64_t fit = runs_staged(PLAN_BLOCK_ROWS, maker.value_bytes, scheme.run_length) * scheme.run_length;
    return are_few(maker, entries) || (int64_t)maker.facts.longest_a > fit ? 1 : PLAN_BLOCK_ROWS;
}

/* Whether windows can number the entries of A and B. */
bool fit_windows(const plan_maker &maker) { return std::max(maker.a_nnz, maker.b_nnz) <= (int64_t)UINT32_MAX; }

/* Chooses blocks if nearly everything is in blocks. */
void choose_blocks(plan_maker &maker)
{
    const plan_facts &facts = maker.facts;
    plan_scheme &scheme = maker.scheme;
    int equal_rows = 1, run_length = 1;
    for (int k = 0; k < PLAN_WIDTHS; k++) {
        if (10 * facts.grouped_rows[k] >= 9 * (unsigned long long)maker.patterns.rows) equal_rows = plan_width(k);
        if (10 * facts.run_products[k] >= 9 * facts.products) run_length = plan_width(k);
    }
    scheme.run_length = scheme.entry_width = scheme.rows_per_thread = 1;
    /* Runs take the products of an entry of C by columns of A, which is storage order if rows of B have no column
     * twice. If rows of B are short, an entry has few blocks, and doing rows together alone is better (spgemm_bench,
     * H100, A*P of elast3d: .08 ms, .24 by blocks). */
    if (equal_rows == 1 || run_length == 1 || scheme.by_threads || scheme.by_entries || !maker.patterns.b_ascends ||
        !fit_windows(maker))
        return;
    scheme.equal_rows = equal_rows;
    scheme.run_length = run_length;
    scheme.entry_width = maker.patterns.b_is_paired ? 2 : 1;
    scheme.rows_per_thread = choose_rows_per_thread(maker);
}

} // namespace

/* Chooses the kernels of a plan. A thread a row if nearly all products are in short rows that have few, or that name
 * longer rows of B: codes then take the fewest bytes. Not if rows are equal, nor if neighbouring rows name rows of B
 * far from each other, because each lane would load from a different place. Otherwise a thread an entry if rows of B
 * are short; if they are long, a group of lanes across them shares its loads better. (spgemm_bench, H100, ms by threads
 * / entries / groups: fd3d7 A*P 0.13 / 0.18 / 0.24, fd3d7 A*A 0.21 / 0.40 / 0.27, fe2d9 A*A 0.35 / 0.44 / 0.47;
 * scattered: tri2d A*P 0.16 / 0.15 / 0.25, tri2d A*A 0.37 / 0.36 / 0.29, econ A*P 0.095 / 0.094 / 0.065; many products:
 * tet3d A*P 0.41 / 0.36 / 0.38, fe3d27 A*P 0.69 / 0.42 / 0.62, tet3d A*A - / 1.23 / 0.79. amg_bench, H100, A*P of the
 * first level of fe3d27, 5.3 entries a row of P: - / 0.50 / 0.58.) */
void choose_scheme(plan_maker &maker)
{
    const plan_facts &facts = maker.facts;
    plan_scheme &scheme = maker.scheme;
    const int64_t products = (int64_t)facts.products, a_entries = (int64_t)facts.a_entries;
    const int64_t equal_rows = (int64_t)std::max(facts.grouped_rows[0], facts.grouped_rows[1]);
    const bool most_are_short = facts.short_products >= facts.products / 10 * 9;
    const bool few = products <= PLAN_THREAD_MEAN * maker.patterns.rows;
    const bool short_b = products <= PLAN_THREAD_B_ROW * a_entries;
    const bool are_scattered = (int64_t)facts.far_rows > maker.patterns.rows / 4;
    scheme.by_entries =
        fit_windows(maker) && (products <= PLAN_ENTRIES_B_ROW * a_entries ||
                               (!are_scattered && 2 * products <= PLAN_ENTRIES_NEAR_TWO_B_ROWS * a_entries));
    const bool numbers_fit = std::max(maker.a_nnz, maker.c_nnz) <= (int64_t)UINT32_MAX &&
                             maker.b_nnz <= (int64_t)(UINT32_MAX >> PLAN_LENGTH_BITS);
    scheme.by_threads = numbers_fit && !maker.halves && most_are_short && (few || !short_b) && !are_scattered &&
                        equal_rows < maker.patterns.rows / 2;
    scheme.equal_rows = scheme.by_entries && !scheme.by_threads ? choose_equal_rows(facts) : 1;
    choose_blocks(maker);
    scheme.most_runs =
        scheme.run_length > 1 ? runs_staged(scheme.rows_per_thread, maker.value_bytes, scheme.run_length) : 0;
    scheme.hub = !fit_windows(maker)                        ? INT32_MAX
                 : are_few(maker, (int64_t)facts.c_entries) ? PLAN_FEW_HUB_A
                                                            : PLAN_HUB_A;
    const int64_t groups = (int64_t)maker.cuda->multiprocessors * PLAN_CUT_GROUPS;
    scheme.cut_products = std::max<int64_t>(PLAN_CUT_LEAST, products / groups);
    /* Slices leave the rest of the workspace free. */
    const int64_t limit = maker.context->config.workspace_limit;
    const int64_t room = limit > 0 ? (limit - maker.held - PLAN_SLICE_REST) / PLAN_SLICE_BYTES : (int64_t)PLAN_SLICE;
    scheme.slice_most = std::min<int64_t>(std::max<int64_t>(room, 1024), PLAN_SLICE);
    /* A small rest joins the slice before it. */
    if (limit == 0 && products <= PLAN_SLICE + PLAN_SLICE / 4) scheme.slice_most = PLAN_SLICE + PLAN_SLICE / 4;
}

} // namespace spg
