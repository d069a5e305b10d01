#define _GNU_SOURCE 1
#include "amg_options.h"

#include "amg_peer.h"
#include "generators.h"
#include "parse.h"
#include "program.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_HELP = 'h',
    OPTION_VERSION = 'V',
    OPTION_PLACE = 256,
    OPTION_THREADS,
    OPTION_TYPE,
    OPTION_AGGREGATION,
    OPTION_JOIN,
    OPTION_THETA,
    OPTION_FILTER,
    OPTION_STRENGTH,
    OPTION_RESTRICTION,
    OPTION_BLOCK_SIZE,
    OPTION_NULLSPACE,
    OPTION_PROJECTION,
    OPTION_MAX_COARSE,
    OPTION_MAX_LEVELS,
    OPTION_LEAST_COARSENING,
    OPTION_MAX_COMPLEXITY,
    OPTION_SEED,
    OPTION_UNSMOOTHED,
    OPTION_PRECISION,
    OPTION_SMOOTHER,
    OPTION_SWEEPS,
    OPTION_STEPS,
    OPTION_DEGREE,
    OPTION_CYCLE,
    OPTION_RATIO,
    OPTION_METHOD,
    OPTION_RESTART,
    OPTION_TOLERANCE,
    OPTION_ITERATIONS,
    OPTION_RHS,
    OPTION_PREPARE,
    OPTION_UPDATE,
    OPTION_VARY,
    OPTION_PEERS,
    OPTION_REPS,
    OPTION_WARMUP,
    OPTION_MATRIX_SEED,
    OPTION_LENIENT,
    OPTION_LEVELS,
    OPTION_HISTORY,
    OPTION_JSON
};

static const struct option long_options[] = {{"help", no_argument, NULL, OPTION_HELP},
                                             {"version", no_argument, NULL, OPTION_VERSION},
                                             {"place", required_argument, NULL, OPTION_PLACE},
                                             {"threads", required_argument, NULL, OPTION_THREADS},
                                             {"type", required_argument, NULL, OPTION_TYPE},
                                             {"aggregation", required_argument, NULL, OPTION_AGGREGATION},
                                             {"join", required_argument, NULL, OPTION_JOIN},
                                             {"theta", required_argument, NULL, OPTION_THETA},
                                             {"filter", no_argument, NULL, OPTION_FILTER},
                                             {"strength", required_argument, NULL, OPTION_STRENGTH},
                                             {"restriction", required_argument, NULL, OPTION_RESTRICTION},
                                             {"block-size", required_argument, NULL, OPTION_BLOCK_SIZE},
                                             {"nullspace", required_argument, NULL, OPTION_NULLSPACE},
                                             {"nullspace-projection", no_argument, NULL, OPTION_PROJECTION},
                                             {"max-coarse", required_argument, NULL, OPTION_MAX_COARSE},
                                             {"max-levels", required_argument, NULL, OPTION_MAX_LEVELS},
                                             {"least-coarsening", required_argument, NULL, OPTION_LEAST_COARSENING},
                                             {"max-complexity", required_argument, NULL, OPTION_MAX_COMPLEXITY},
                                             {"seed", required_argument, NULL, OPTION_SEED},
                                             {"spectral-steps", required_argument, NULL, OPTION_STEPS},
                                             {"unsmoothed", no_argument, NULL, OPTION_UNSMOOTHED},
                                             {"precision", required_argument, NULL, OPTION_PRECISION},
                                             {"smoother", required_argument, NULL, OPTION_SMOOTHER},
                                             {"sweeps", required_argument, NULL, OPTION_SWEEPS},
                                             {"degree", required_argument, NULL, OPTION_DEGREE},
                                             {"cycle", required_argument, NULL, OPTION_CYCLE},
                                             {"ratio", required_argument, NULL, OPTION_RATIO},
                                             {"method", required_argument, NULL, OPTION_METHOD},
                                             {"restart", required_argument, NULL, OPTION_RESTART},
                                             {"tolerance", required_argument, NULL, OPTION_TOLERANCE},
                                             {"max-iterations", required_argument, NULL, OPTION_ITERATIONS},
                                             {"prepare-update", no_argument, NULL, OPTION_PREPARE},
                                             {"rhs", required_argument, NULL, OPTION_RHS},
                                             {"update", required_argument, NULL, OPTION_UPDATE},
                                             {"vary", required_argument, NULL, OPTION_VARY},
                                             {"peers", required_argument, NULL, OPTION_PEERS},
                                             {"reps", required_argument, NULL, OPTION_REPS},
                                             {"warmup", required_argument, NULL, OPTION_WARMUP},
                                             {"matrix-seed", required_argument, NULL, OPTION_MATRIX_SEED},
                                             {"lenient", no_argument, NULL, OPTION_LENIENT},
                                             {"levels", no_argument, NULL, OPTION_LEVELS},
                                             {"history", no_argument, NULL, OPTION_HISTORY},
                                             {"json", required_argument, NULL, OPTION_JSON},
                                             {NULL, 0, NULL, 0}};

static const char *const help_head = "Usage: amg_bench [OPTION]... MATRIX...\n"
                                     "Builds a smoothed-aggregation hierarchy of each matrix, verifies it, solves A x\n"
                                     "= b, of ones, from x = 0, and times it all.\n"
                                     "\n"
                                     "  --place PLACE          auto, host or device; default auto\n"
                                     "  --threads N            at most; default as many as the process may use cores\n"
                                     "  --type TYPE            f32, f64, c32 or c64; default f64\n"
                                     "\n"
                                     "  --aggregation NAME     mis2 or standard (on the host); default mis2\n"
                                     "  --join on|off          whether what MIS-2 leaves over joins aggregates;\n"
                                     "                         default on\n"
                                     "  --theta X              strength of connection; default 0: all entries are\n"
                                     "                         strong\n"
                                     "  --strength NAME        which couplings count as strong: symmetric, beside\n"
                                     "                         both diagonal entries, or classical, beside the\n"
                                     "                         row's largest; default symmetric\n"
                                     "  --filter               smooths prolongators without the weak entries of A;\n"
                                     "                         needs --theta\n"
                                     "  --restriction NAME     transpose or petrov-galerkin, smoothed by A^T if A is\n"
                                     "                         not symmetric; default transpose\n"
                                     "  --block-size N         unknowns a node; default 3 for elast3d and solid3d,\n"
                                     "                         else 1\n"
                                     "  --nullspace FILE.mtx   near-null-space candidates, an array file; default the\n"
                                     "                         rigid-body modes for elast3d and solid3d, else one\n"
                                     "                         constant for each unknown of a node\n"
                                     "  --nullspace-projection\n"
                                     "                         for singular matrices: solves A x = A w, w random.\n"
                                     "                         The part of the candidates' span that A maps to zero\n"
                                     "                         is projected out of b, x and each correction\n"
                                     "  --max-coarse N         rows of a level that is solved densely; default 500\n"
                                     "  --max-levels N         default 20\n"
                                     "  --least-coarsening X   ends where levels shrink by less; default the\n"
                                     "                         library's, 1.1\n"
                                     "  --max-complexity X     operator complexity to keep to, 0: any; default the\n"
                                     "                         library's, 3\n"
                                     "  --seed N               of MIS-2 and of the spectral radii; default 0\n"
                                     "  --spectral-steps N     of Lanczos; 0: until rho has settled; default 0\n"
                                     "  --unsmoothed           tentative prolongators as they are\n"
                                     "  --precision NAME       of the hierarchy's numbers: a (the type of A) or f32;\n"
                                     "                         default a\n";

static const char *const help_rest = "\n"
                                     "  --smoother NAME        jacobi, l1 or chebyshev; default jacobi\n"
                                     "  --sweeps N             before and after the coarse correction; default 1\n"
                                     "  --degree N             of Chebyshev polynomials; default 2\n"
                                     "  --ratio X              of the ends of their interval, before its 10 percent\n"
                                     "                         of margin; default 7\n"
                                     "  --cycle NAME           v or k, of two steps of a Krylov method on coarse\n"
                                     "                         levels; default v\n"
                                     "  --method NAME          cg or standalone (cycles alone), fcg, fgmres or\n"
                                     "                         bicgstab; default cg\n"
                                     "  --restart N            of fgmres; default 30\n"
                                     "  --tolerance X          of the residual over the right-hand side; default\n"
                                     "                         1e-8, with f32 1e-4\n"
                                     "  --max-iterations N     default 200\n"
                                     "\n"
                                     "  --rhs N                also solves N right-hand sides at once, and one\n"
                                     "                         after the other, with one hierarchy; for cg and\n"
                                     "                         standalone\n"
                                     "\n"
                                     "  --prepare-update       set-up makes what the first update would make\n"
                                     "  --update N             also times N updates to new values\n"
                                     "  --vary X               they are 3/2 of the old ones; those off the diagonal\n"
                                     "                         are then made less by up to the share X, at random.\n"
                                     "                         0: in turn 3/2 of the values and the values; default\n"
                                     "                         0.5\n"
                                     "  --peers LIST           none, all (of the place), or names: other libraries,\n"
                                     "                         by conjugate gradients to the same tolerance;\n"
                                     "                         default none\n"
                                     "  --reps N               timed repetitions of setup and solve; default 3, on a\n"
                                     "                         device 7\n"
                                     "  --warmup N             untimed ones before them; default 1\n"
                                     "  --matrix-seed N        of the generators; default 1\n"
                                     "  --lenient              takes files that other readers take and the format\n"
                                     "                         does not allow; warns on stderr\n"
                                     "  --levels               prints the table of levels and the set-up time by\n"
                                     "                         step, beside memory's limits\n"
                                     "  --history              prints the residual of each iteration\n"
                                     "  --json FILE            appends one line for each matrix; - for FILE: standard\n"
                                     "                         output\n"
                                     "  --help                 this text\n"
                                     "  --version              the version of the library\n"
                                     "\n"
                                     "Times are medians, on a device from an idle device to its end of work; set-up\n"
                                     "steps come from a repetition apart. Verified first: every coarse operator\n"
                                     "against R*(A*P) by products with a vector on the host, and the residual of the\n"
                                     "solution. No time is printed where that fails. Exit status: 0 all verified and\n"
                                     "converged, 1 not so, 2 wrong usage.\n"
                                     "\n"
                                     "Examples:\n"
                                     "  amg_bench fd2d5:500\n"
                                     "  amg_bench --levels --smoother chebyshev fe3d27:40\n"
                                     "  amg_bench --update 3 --prepare-update my.mtx\n";

static void print_help(void)
{
    fputs(help_head, stdout);
    fputs(help_rest, stdout);
    puts("\nMATRIX is a Matrix Market file or a generator (\":N\" sets its size):");
    for (int k = 0; generator_description(k) != NULL; k++) printf("  %s\n", generator_description(k));
    amg_peers_print_names(stdout);
}

static const char *const aggregations[] = {"mis2", "standard"}, *const smoothers[] = {"jacobi", "l1", "chebyshev"},
                         *const strengths[] = {"symmetric", "classical"},
                         *const restrictions[] = {"transpose", "petrov-galerkin"},
                         *const methods[] = {"cg", "standalone", "fcg", "fgmres", "bicgstab"},
                         *const switches[] = {"off", "on"}, *const precisions[] = {"a", "f32"},
                         *const cycles[] = {"v", "k"};

const char *aggregation_name(spg_aggregation aggregation) { return aggregations[aggregation]; }
const char *strength_name(spg_strength strength) { return strengths[strength]; }
const char *restriction_name(spg_restriction restriction) { return restrictions[restriction]; }
const char *smoother_name(spg_smoother smoother) { return smoothers[smoother]; }
const char *method_name(const amg_options *chosen)
{
    return methods[chosen->by_krylov ? 1 + (int)chosen->krylov : (int)chosen->solve.method];
}

static bool parse_seed(const char *name, const char *text, uint64_t *seed)
{
    long long number = 0;
    if (!parse_int(name, text, 0, INT64_MAX, &number)) return false;
    *seed = (uint64_t)number;
    return true;
}

static bool parse_hierarchy(int code, const char *value, amg_options *chosen)
{
    spg_amg_options *hierarchy = &chosen->hierarchy;
    int word = 0;
    long long rows = 0;
    switch (code) {
    case OPTION_AGGREGATION:
        if (!parse_word("aggregation", value, aggregations, 2, &word)) return false;
        hierarchy->aggregation = (spg_aggregation)word;
        return true;
    case OPTION_STRENGTH:
        if (!parse_word("strength", value, strengths, 2, &word)) return false;
        hierarchy->strength = (spg_strength)word;
        return true;
    case OPTION_RESTRICTION:
        if (!parse_word("restriction", value, restrictions, 2, &word)) return false;
        hierarchy->restriction = (spg_restriction)word;
        return true;
    case OPTION_JOIN: return parse_word("join", value, switches, 2, &hierarchy->join_leftovers);
    case OPTION_FILTER: hierarchy->filter = 1; return true;
    case OPTION_THETA: return parse_number("theta", value, 0, 1e300, &hierarchy->theta);
    case OPTION_BLOCK_SIZE:
        chosen->block_size_given = true;
        return parse_count_to("block-size", value, 1, 32, &hierarchy->block_size);
    case OPTION_MAX_COARSE:
        if (!parse_int("max-coarse", value, 1, 4096, &rows)) return false;
        hierarchy->max_coarse = rows;
        return true;
    case OPTION_MAX_LEVELS: return parse_count_to("max-levels", value, 1, 100, &hierarchy->max_levels);
    case OPTION_LEAST_COARSENING:
        return parse_number("least-coarsening", value, 1, 1e300, &hierarchy->least_coarsening);
    case OPTION_MAX_COMPLEXITY: return parse_number("max-complexity", value, 0, 1e300, &hierarchy->max_complexity);
    case OPTION_PREPARE: hierarchy->prepare_update = 1; return true;
    case OPTION_SEED: return parse_seed("seed", value, &hierarchy->seed);
    case OPTION_UNSMOOTHED: hierarchy->prolongator_relaxation = 0; return true;
    case OPTION_PRECISION:
        if (!parse_word("precision", value, precisions, 2, &word)) return false;
        hierarchy->precision = (spg_amg_precision)word;
        return true;
    case OPTION_SMOOTHER:
        if (!parse_word("smoother", value, smoothers, 3, &word)) return false;
        hierarchy->smoother = (spg_smoother)word;
        return true;
    case OPTION_CYCLE:
        if (!parse_word("cycle", value, cycles, 2, &word)) return false;
        hierarchy->cycle = (spg_cycle)word;
        return true;
    case OPTION_SWEEPS:
        if (!parse_count_to("sweeps", value, 0, 1000, &hierarchy->pre_sweeps)) return false;
        hierarchy->post_sweeps = hierarchy->pre_sweeps;
        return true;
    case OPTION_STEPS: return parse_count_to("spectral-steps", value, 0, 1000, &hierarchy->spectral_steps);
    case OPTION_RATIO: return parse_number("ratio", value, 1.001, 1e6, &hierarchy->chebyshev_ratio);
    default: return parse_count_to("degree", value, 1, 1000, &hierarchy->chebyshev_degree);
    }
}

/* Names alone: which of them work is known with the place. */
static bool parse_peers(const char *list, amg_options *chosen)
{
    const amg_peer *peers[MOST_AMG_PEERS];
    int count;
    chosen->peers = list;
    return amg_peers_choose(list, SPG_PLACE_AUTO, peers, &count);
}

static bool parse_option(int code, const char *value, amg_options *chosen)
{
    int word = 0;
    switch (code) {
    case OPTION_PLACE: return parse_place(value, &chosen->place);
    case OPTION_THREADS: return parse_threads(value, &chosen->threads);
    case OPTION_TYPE: return parse_type(value, &chosen->type);
    case OPTION_NULLSPACE: chosen->nullspace_path = value; return true;
    case OPTION_PROJECTION: chosen->solve.nullspace = SPG_AMG_NULLSPACE_CANDIDATES; return true;
    case OPTION_METHOD:
        if (!parse_word("method", value, methods, 5, &word)) return false;
        chosen->by_krylov = word > 1;
        chosen->solve.method = word > 1 ? SPG_AMG_CG : (spg_amg_method)word;
        chosen->krylov = (spg_krylov_method)(word - 1); /* fcg is 1 */
        return true;
    case OPTION_RESTART: return parse_count_to("restart", value, 1, 1000, &chosen->restart);
    case OPTION_TOLERANCE: return parse_number("tolerance", value, 0, 1e300, &chosen->solve.tolerance);
    case OPTION_ITERATIONS: return parse_count("max-iterations", value, 0, &chosen->solve.max_iterations);
    case OPTION_RHS: return parse_count("rhs", value, 1, &chosen->right_hand_sides);
    case OPTION_UPDATE: return parse_count("update", value, 0, &chosen->updates);
    case OPTION_VARY: return parse_number("vary", value, 0, 1, &chosen->vary);
    case OPTION_PEERS: return parse_peers(value, chosen);
    case OPTION_REPS: return parse_count("reps", value, 1, &chosen->reps);
    case OPTION_WARMUP: return parse_count("warmup", value, 0, &chosen->warmup);
    case OPTION_MATRIX_SEED: return parse_seed("matrix-seed", value, &chosen->matrix_seed);
    case OPTION_LENIENT: chosen->lenient = true; return true;
    case OPTION_LEVELS: chosen->shows_levels = true; return true;
    case OPTION_HISTORY: chosen->shows_history = true; return true;
    case OPTION_JSON: chosen->json_path = value; return true;
    default: return parse_hierarchy(code, value, chosen);
    }
}

void amg_options_settle(amg_options *chosen, spg_place place)
{
    chosen->place = place;
    if (chosen->reps < 0) chosen->reps = place == SPG_PLACE_DEVICE ? 7 : 3;
}

options_result amg_options_parse(int argc, char **argv, amg_options *chosen)
{
    *chosen = (amg_options){.place = SPG_PLACE_AUTO,
                            .type = SPG_F64,
                            .hierarchy = spg_amg_options_default(),
                            .solve = spg_amg_solve_options_default(),
                            .restart = 30,
                            .vary = 0.5,
                            .reps = -1,
                            .warmup = 1,
                            .matrix_seed = 1};
    bool valid = true;
    parse_begin("amg_bench");
    for (int code; valid && (code = getopt_long(argc, argv, "hV", long_options, NULL)) != -1;) {
        if (code == OPTION_HELP) {
            print_help();
            return OPTIONS_HELP;
        }
        if (code == OPTION_VERSION) {
            print_version("amg_bench");
            return OPTIONS_HELP;
        }
        valid = code != '?' && parse_option(code, optarg, chosen);
    }
    if (chosen->solve.tolerance == SPG_AMG_TOLERANCE_OF_TYPE)
        chosen->solve.tolerance = is_single_type(chosen->type) ? 1e-4 : 1e-8;
    if (valid && chosen->right_hand_sides > 0 && chosen->by_krylov)
        valid = complain("--rhs: solves by cg or standalone, not by %s", method_name(chosen));
    if (valid && chosen->right_hand_sides > 0 && chosen->hierarchy.cycle != SPG_CYCLE_V)
        valid = complain("--rhs: several right-hand sides take --cycle v");
    if (valid && chosen->right_hand_sides > 0 && is_complex_type(chosen->type))
        valid = complain("--rhs: several right-hand sides are of f32 or f64");
    if (valid && optind == argc) valid = complain("no matrix given");
    if (!valid) {
        fputs("Try 'amg_bench --help'.\n", stderr);
        return OPTIONS_ERROR;
    }
    chosen->matrices = (const char *const *)(argv + optind);
    chosen->matrix_count = argc - optind;
    return OPTIONS_RUN;
}
