/* The table of a hierarchy's levels. */
#include "amg.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct printer {
    spg_log log;
    void *user;
} printer;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
print(const printer *to, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    to->log(to->user, line);
}

/* How the last level is solved. */
static const char *name_solver(const spg_amg *amg)
{
    if (amg->level[amg->levels - 1].rows == 0) return "";
    if (amg->is_diagonal) return "  diagonal";
    if (amg->dense == NULL) return "  smoothed";
    return amg->backend->dense_is_singular(amg->dense) ? "  dense, singular" : "  dense";
}

static void print_levels(const spg_amg *amg, const printer *to, int64_t all_nonzeros)
{
    print(to, "%5s %12s %14s %8s %12s %14s", "level", "rows", "nonzeros", "percent", "aggregates", "bytes");
    for (int l = 0; l < amg->levels; ++l) {
        const spg_level *level = &amg->level[l];
        print(to, "%5d %12lld %14lld %7.2f%% %12lld %14lld%s", l, (long long)level->rows, (long long)level->nnz,
              all_nonzeros > 0 ? 100.0 * (double)level->nnz / (double)all_nonzeros : 0.0,
              (long long)level->aggregates.aggregates, (long long)level->bytes,
              l + 1 < amg->levels ? "" : name_solver(amg));
    }
}

static void print_filters(const spg_amg *amg, const printer *to)
{
    for (int l = 0; l + 1 < amg->levels; ++l) {
        const spg_level *level = &amg->level[l];
        const int64_t weak = spg_amg_weak_entries(level);
        if (weak == 0) continue;
        print(to, "level %d: %lld weak entries (%.1f%%) were left out in smoothing its prolongator", l, (long long)weak,
              100.0 * (double)weak / (double)level->nnz);
    }
}

static void print_classes(const printer *to, int level, const char *product, const spgemm_stats *stats)
{
    const int64_t *rows = stats->class_rows;
    print(to, "%5d %7s %13lld %9lld %9lld %9lld %8lld %7lld", level, product, (long long)stats->products,
          (long long)rows[SPG_ROW_EMPTY], (long long)rows[SPG_ROW_THREAD], (long long)rows[SPG_ROW_WARP],
          (long long)rows[SPG_ROW_CTA], (long long)rows[SPG_ROW_GLOBAL]);
}

static void print_products(const spg_amg *amg, const printer *to)
{
    if (amg->levels < 2) return;
    print(to, "%5s %7s %13s %9s %9s %9s %8s %7s", "level", "product", "products", "empty", "thread", "warp", "cta",
          "global");
    for (int l = 0; l + 1 < amg->levels; ++l) {
        print_classes(to, l, "A*P", &amg->level[l].AP);
        print_classes(to, l, "R*AP", &amg->level[l].RAP);
    }
}

static void print_steps(const spg_amg_timings *t, const printer *to)
{
    const struct {
        const char *name;
        double seconds;
    } steps[] = {{"strength", t->strength},
                 {"aggregate", t->aggregate},
                 {"tentative", t->tentative},
                 {"spectral radius", t->spectral_radius},
                 {"smooth", t->smooth},
                 {"transpose", t->transpose},
                 {"A*P", t->AP},
                 {"R*AP", t->RAP},
                 {"symmetry", t->symmetry},
                 {"coarse", t->coarse},
                 {"plans", t->plans}};
    print(to, "%-15s %10s %8s", "setup", "seconds", "percent");
    for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k)
        print(to, "%-15s %10.6f %7.2f%%", steps[k].name, steps[k].seconds,
              t->total > 0 ? 100 * steps[k].seconds / t->total : 0.0);
    print(to, "%-15s %10.6f %7.2f%%", "total", t->total, 100.0);
}

spg_status spg_amg_print(const spg_amg *amg, spg_log log, void *user)
{
    if (amg == NULL) return SPG_ERROR_ARGUMENT;
    if (log == NULL) return spg_context_fail(amg->context, SPG_ERROR_ARGUMENT, "log is NULL");
    const printer to = {log, user};
    spg_amg_summary summary;
    spg_amg_summarise(amg, &summary);
    int64_t nonzeros = 0;
    for (int l = 0; l < amg->levels; ++l) nonzeros += amg->level[l].nnz;
    print(&to, "%d levels, operator complexity %.3f, grid complexity %.3f, %lld bytes", summary.levels,
          summary.operator_complexity, summary.grid_complexity, (long long)summary.bytes);
    if (amg->is_complex) print(&to, "A is complex: rows and nonzeros are those of its real form");
    print_levels(amg, &to, nonzeros);
    if (amg->is_unsymmetric)
        print(&to, "A is not %s: damping goes by row sums of D^-1 A; R is %s", spg_amg_symmetric(amg),
              amg->level[0].Q.row_offsets != NULL ? "smoothed by A^T" : "P^T");
    else if (!amg->was_symmetric)
        print(&to, "A is not %s bit for bit, but up to rounding and rows of only a diagonal", spg_amg_symmetric(amg));
    print_filters(amg, &to);
    print_products(amg, &to);
    print_steps(&summary.setup, &to);
    return SPG_OK;
}
