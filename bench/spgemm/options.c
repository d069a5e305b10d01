#define _GNU_SOURCE 1
#include "options.h"

#include "generators.h"
#include "parse.h"
#include "peer.h"
#include "program.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_HELP = 'h',
    OPTION_VERSION = 'V',
    OPTION_PRODUCT = 256,
    OPTION_PLACE,
    OPTION_THREADS,
    OPTION_TYPE,
    OPTION_METHOD,
    OPTION_PEERS,
    OPTION_REPS,
    OPTION_WARMUP,
    OPTION_WORKSPACE_LIMIT,
    OPTION_KEEP,
    OPTION_SEED,
    OPTION_LENIENT,
    OPTION_JSON,
    OPTION_PAPER
};

static const struct option long_options[] = {{"help", no_argument, NULL, OPTION_HELP},
                                             {"version", no_argument, NULL, OPTION_VERSION},
                                             {"product", required_argument, NULL, OPTION_PRODUCT},
                                             {"place", required_argument, NULL, OPTION_PLACE},
                                             {"threads", required_argument, NULL, OPTION_THREADS},
                                             {"type", required_argument, NULL, OPTION_TYPE},
                                             {"method", required_argument, NULL, OPTION_METHOD},
                                             {"peers", required_argument, NULL, OPTION_PEERS},
                                             {"reps", required_argument, NULL, OPTION_REPS},
                                             {"warmup", required_argument, NULL, OPTION_WARMUP},
                                             {"workspace-limit", required_argument, NULL, OPTION_WORKSPACE_LIMIT},
                                             {"keep", required_argument, NULL, OPTION_KEEP},
                                             {"seed", required_argument, NULL, OPTION_SEED},
                                             {"lenient", no_argument, NULL, OPTION_LENIENT},
                                             {"json", required_argument, NULL, OPTION_JSON},
                                             {"paper", no_argument, NULL, OPTION_PAPER},
                                             {NULL, 0, NULL, 0}};

static const char *const help_head = "Usage: spgemm_bench [OPTION]... MATRIX...\n"
                                     "Verifies and times C = A*B, spg beside other libraries.\n"
                                     "\n"
                                     "  --product LIST         AP (A times its smoothed-aggregation prolongator), AA\n"
                                     "                         (A*A) and RAP (P^T*A*P); default AP,AA\n"
                                     "  --place PLACE          auto, host or device; default auto\n"
                                     "  --threads N            at most; default as many as the process may use cores\n"
                                     "  --type TYPE            f32, f64, c32 or c64; default f64, and c64 for complex\n"
                                     "                         files\n"
                                     "  --method LIST          auto (spg and spg-plan); paper (the paper's row\n"
                                     "                         classes with its limits); rows forced into one class:\n"
                                     "                         thread, warp, cta, global (on a device, those too long\n"
                                     "                         for it go on to the next); reference (the same as\n"
                                     "                         global: the paper's reference method); default auto\n"
                                     "  --peers LIST           none, all (of the place), or names; default all\n"
                                     "  --reps N               timed repetitions; default 7, on a device 20\n"
                                     "  --warmup N             untimed repetitions before them; default 1, on a\n"
                                     "                         device 5\n"
                                     "  --workspace-limit SIZE\n"
                                     "                         bytes that spg may take beside C (suffix k, M or G);\n"
                                     "                         default 0: no limit\n"
                                     "  --keep SIZE            bytes of freed memory that spg keeps for its next\n"
                                     "                         call; default: the library's, and on a device, where\n"
                                     "                         its peers keep all, all\n"
                                     "  --seed N               of the generators; default 1\n"
                                     "  --lenient              takes files that other readers take and the format\n"
                                     "                         does not allow; warns on stderr\n"
                                     "  --json FILE            appends one line for each matrix, product and\n"
                                     "                         implementation; - for FILE: standard output\n"
                                     "  --paper                Tables 10, 11, 13 and 14 of Dalton, Bell and Olson:\n"
                                     "                         times, speed-ups and phases of the optimised and the\n"
                                     "                         reference method, of what spg chooses and of the\n"
                                     "                         fastest peer; sets --method auto,paper,reference, and\n"
                                     "                         the default matrices where none is given: fd2d5 fe2d9\n"
                                     "                         fd3d7 fe3d27 tri2d tet3d elast3d econ rmat16\n"
                                     "  --help                 this text\n"
                                     "  --version              the version of the library\n"
                                     "\n"
                                     "A time is the median of the repetitions. On the host they are taken in turn\n"
                                     "over the implementations: allocation of C and of any workspace, product,\n"
                                     "release of C. On a device one after the other, operands there beforehand and\n"
                                     "the device idle: allocation, product, wait for its end. Results are verified\n"
                                     "first, against CXSparse; no time is printed for a wrong one. Exit status: 0\n"
                                     "every result verified, 1 not so, 2 wrong usage.\n"
                                     "\n"
                                     "Examples:\n"
                                     "  spgemm_bench my.mtx\n"
                                     "  spgemm_bench --product RAP --threads 4 fd3d7:60\n"
                                     "  spgemm_bench --place device --peers all --json records.jsonl fd2d5 fe3d27\n";

static void print_help(void)
{
    fputs(help_head, stdout);
    int column = printf("\nPeers in this build:") - 1, count = 0;
    for (int k = 0; peer_at(k) != NULL; k++) {
        if (peer_at(k)->is_spg) continue;
        if (count++ > 0) column += printf(",");
        if (column + (int)strlen(peer_at(k)->name) > 77) column = printf("\n ") - 1;
        column += printf(" %s", peer_at(k)->name);
    }
    puts(count > 0 ? "" : " none");
    puts("\nMATRIX is a Matrix Market file or a generator (\":N\" sets its size):");
    for (int k = 0; generator_description(k) != NULL; k++) printf("  %s\n", generator_description(k));
}

static void add_implementation(options *chosen, const peer *added)
{
    for (int k = 0; k < chosen->implementation_count; k++)
        if (chosen->implementations[k] == added) return;
    if (chosen->implementation_count < MAX_IMPLEMENTATIONS)
        chosen->implementations[chosen->implementation_count++] = added;
}

static bool add_product(options *chosen, const char *word)
{
    for (int k = 0; k < PRODUCT_KINDS; k++) {
        if (strcmp(word, product_name((product_kind)k)) == 0) {
            chosen->products[k] = true;
            return true;
        }
    }
    return complain("--product: unknown product '%s'; use AP, AA or RAP", word);
}

static bool add_method(options *chosen, const char *word)
{
    if (strcmp(word, "auto") == 0) {
        add_implementation(chosen, peer_by_name("spg"));
        add_implementation(chosen, peer_by_name("spg-plan"));
        return true;
    }
    char name[32];
    snprintf(name, sizeof name, "spg-%.20s", word);
    const peer *found = strcmp(word, "plan") != 0 ? peer_by_name(name) : NULL;
    if (found == NULL)
        return complain("--method: unknown method '%s'; use auto, paper, thread, warp, cta, global or reference", word);
    add_implementation(chosen, found);
    return true;
}

static bool add_peer(options *chosen, const char *word)
{
    if (strcmp(word, "none") == 0) return true;
    bool found = strcmp(word, "all") == 0;
    chosen->all_peers = chosen->all_peers || found;
    for (int k = 0; peer_at(k) != NULL; k++) {
        const peer *candidate = peer_at(k);
        if (candidate->is_spg || (strcmp(word, "all") != 0 && strcmp(word, candidate->name) != 0)) continue;
        add_implementation(chosen, candidate);
        found = true;
    }
    return found || complain("--peers: this build has no '%s'; --help lists those it has", word);
}

/* Calls add for each word of a comma-separated list. */
static bool for_each_word(const char *list, options *chosen, bool (*add)(options *, const char *))
{
    char copy[256];
    if (strlen(list) >= sizeof copy) return complain("'%s' is too long a list", list);
    strcpy(copy, list);
    char *rest = NULL;
    for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest))
        if (!add(chosen, word)) return false;
    return true;
}

/* Those of the measurements in README.md. */
static const char *const usual_matrices[] = {"fd2d5", "fe2d9",   "fd3d7", "fe3d27", "tri2d",
                                             "tet3d", "elast3d", "econ",  "rmat16"};
enum { USUAL_MATRICES = sizeof usual_matrices / sizeof *usual_matrices };

/* Which lists were given, once or more often. */
typedef struct lists {
    bool products, methods, peers;
} lists;

static bool parse_option(int code, const char *value, options *chosen, lists *given)
{
    long long seed = 0;
    switch (code) {
    case OPTION_PRODUCT: given->products = true; return for_each_word(value, chosen, add_product);
    case OPTION_METHOD: given->methods = true; return for_each_word(value, chosen, add_method);
    case OPTION_PEERS: given->peers = true; return for_each_word(value, chosen, add_peer);
    case OPTION_PLACE: return parse_place(value, &chosen->place);
    case OPTION_THREADS: return parse_threads(value, &chosen->threads);
    case OPTION_TYPE: chosen->type_given = true; return parse_type(value, &chosen->type);
    case OPTION_REPS: return parse_count("reps", value, 1, &chosen->reps);
    case OPTION_WARMUP: return parse_count("warmup", value, 0, &chosen->warmup);
    case OPTION_WORKSPACE_LIMIT: return parse_size("workspace-limit", value, &chosen->workspace_limit);
    case OPTION_KEEP: return parse_size("keep", value, &chosen->keep_bytes);
    case OPTION_LENIENT: chosen->lenient = true; return true;
    case OPTION_JSON: chosen->json_path = value; return true;
    case OPTION_PAPER:
        chosen->paper = given->methods = true;
        return for_each_word("auto,paper,reference", chosen, add_method);
    default:
        if (!parse_int("seed", value, 0, INT64_MAX, &seed)) return false;
        chosen->seed = (uint64_t)seed;
        return true;
    }
}

void options_settle(options *chosen, spg_place place)
{
    const bool on_device = place == SPG_PLACE_DEVICE;
    chosen->place = place;
    if (chosen->reps < 0) chosen->reps = on_device ? 20 : 7;
    if (chosen->warmup < 0) chosen->warmup = on_device ? 5 : 1;
    if (chosen->keep_bytes < 0 && on_device) chosen->keep_bytes = INT64_MAX;
    int kept = 0;
    for (int k = 0; k < chosen->implementation_count; k++) {
        const peer *candidate = chosen->implementations[k];
        if (candidate->works_at == SPG_PLACE_AUTO || candidate->works_at == place || !chosen->all_peers)
            chosen->implementations[kept++] = candidate;
    }
    chosen->implementation_count = kept;
}

static bool has_product(const options *chosen)
{
    for (int k = 0; k < PRODUCT_KINDS; k++)
        if (chosen->products[k]) return true;
    return false;
}

/* spg's methods before the peers, in whatever order they were given. */
static void own_first(options *chosen)
{
    const peer *sorted[MAX_IMPLEMENTATIONS];
    int count = 0;
    for (int own = 1; own >= 0; own--)
        for (int k = 0; k < chosen->implementation_count; k++)
            if (chosen->implementations[k]->is_spg == (own == 1)) sorted[count++] = chosen->implementations[k];
    for (int k = 0; k < count; k++) chosen->implementations[k] = sorted[k];
}

options_result options_parse(int argc, char **argv, options *chosen)
{
    *chosen =
        (options){.place = SPG_PLACE_AUTO, .type = SPG_F64, .reps = -1, .warmup = -1, .keep_bytes = -1, .seed = 1};
    lists given = {false, false, false};
    bool valid = true;
    parse_begin("spgemm_bench");
    for (int code; valid && (code = getopt_long(argc, argv, "hV", long_options, NULL)) != -1;) {
        if (code == OPTION_HELP) {
            print_help();
            return OPTIONS_HELP;
        }
        if (code == OPTION_VERSION) {
            print_version("spgemm_bench");
            return OPTIONS_HELP;
        }
        valid = code != '?' && parse_option(code, optarg, chosen, &given);
    }
    valid = valid && (given.products || for_each_word("AP,AA", chosen, add_product)) &&
            (given.methods || for_each_word("auto", chosen, add_method)) &&
            (given.peers || for_each_word("all", chosen, add_peer));
    own_first(chosen);
    if (valid && !has_product(chosen)) valid = complain("no product: nothing to measure");
    if (valid && chosen->implementation_count == 0) valid = complain("no method and no peer: nothing to measure");
    if (valid && optind == argc && !chosen->paper) valid = complain("no matrix given");
    if (!valid) {
        fputs("Try 'spgemm_bench --help'.\n", stderr);
        return OPTIONS_ERROR;
    }
    chosen->matrices = optind < argc ? (const char *const *)(argv + optind) : usual_matrices;
    chosen->matrix_count = optind < argc ? argc - optind : USUAL_MATRICES;
    return OPTIONS_RUN;
}
