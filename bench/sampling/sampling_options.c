#define _GNU_SOURCE 1
#include "sampling_options.h"

#include "parse.h"
#include "program.h"
#include "weights.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum {
    OPTION_HELP = 'h',
    OPTION_VERSION = 'V',
    OPTION_METHOD = 256,
    OPTION_WEIGHTS,
    OPTION_ITEMS,
    OPTION_ROWS,
    OPTION_RAGGED,
    OPTION_DRAWS,
    OPTION_PLACE,
    OPTION_THREADS,
    OPTION_TYPE,
    OPTION_ORDER,
    OPTION_UNIFORMS,
    OPTION_BUILDER,
    OPTION_RESOLUTION,
    OPTION_SPLIT,
    OPTION_CHUNKS,
    OPTION_SAMPLER,
    OPTION_CELLS,
    OPTION_COUNTS,
    OPTION_SUBSET,
    OPTION_WALK,
    OPTION_P,
    OPTION_Q,
    OPTION_REBUILD,
    OPTION_LDA,
    OPTION_PAPER,
    OPTION_PARTS,
    OPTION_STEP,
    OPTION_PEERS,
    OPTION_REPS,
    OPTION_WARMUP,
    OPTION_SEED,
    OPTION_JSON
};

static const struct option long_options[] = {{"help", no_argument, NULL, OPTION_HELP},
                                             {"version", no_argument, NULL, OPTION_VERSION},
                                             {"method", required_argument, NULL, OPTION_METHOD},
                                             {"weights", required_argument, NULL, OPTION_WEIGHTS},
                                             {"items", required_argument, NULL, OPTION_ITEMS},
                                             {"rows", required_argument, NULL, OPTION_ROWS},
                                             {"ragged", no_argument, NULL, OPTION_RAGGED},
                                             {"draws", required_argument, NULL, OPTION_DRAWS},
                                             {"place", required_argument, NULL, OPTION_PLACE},
                                             {"threads", required_argument, NULL, OPTION_THREADS},
                                             {"type", required_argument, NULL, OPTION_TYPE},
                                             {"order", required_argument, NULL, OPTION_ORDER},
                                             {"uniforms", required_argument, NULL, OPTION_UNIFORMS},
                                             {"builder", required_argument, NULL, OPTION_BUILDER},
                                             {"resolution", required_argument, NULL, OPTION_RESOLUTION},
                                             {"split", required_argument, NULL, OPTION_SPLIT},
                                             {"chunks", required_argument, NULL, OPTION_CHUNKS},
                                             {"sampler", required_argument, NULL, OPTION_SAMPLER},
                                             {"cells", required_argument, NULL, OPTION_CELLS},
                                             {"counts", no_argument, NULL, OPTION_COUNTS},
                                             {"subset", required_argument, NULL, OPTION_SUBSET},
                                             {"walk", required_argument, NULL, OPTION_WALK},
                                             {"p", required_argument, NULL, OPTION_P},
                                             {"q", required_argument, NULL, OPTION_Q},
                                             {"rebuild", no_argument, NULL, OPTION_REBUILD},
                                             {"lda", required_argument, NULL, OPTION_LDA},
                                             {"paper", required_argument, NULL, OPTION_PAPER},
                                             {"parts", required_argument, NULL, OPTION_PARTS},
                                             {"step", required_argument, NULL, OPTION_STEP},
                                             {"peers", required_argument, NULL, OPTION_PEERS},
                                             {"reps", required_argument, NULL, OPTION_REPS},
                                             {"warmup", required_argument, NULL, OPTION_WARMUP},
                                             {"seed", required_argument, NULL, OPTION_SEED},
                                             {"json", required_argument, NULL, OPTION_JSON},
                                             {NULL, 0, NULL, 0}};

static const char help[] = "Usage: sampling_bench [OPTION]...\n"
                           "Times draws from discrete distributions, and the building of tables for them.\n"
                           "Rows are distributions.\n"
                           "\n"
                           "  --method LIST          auto, butterfly, alias, forest or cutpoint; auto:\n"
                           "                         butterfly for many rows, else alias and cutpoint\n"
                           "  --weights NAME|FILE    a Matrix Market file, or one of these (A from 0 to 64,\n"
                           "                         1 where it is left out; SHARE from 0 to 1); default\n"
                           "                         uniform:\n"
                           "             %s\n"
                           "  --items N              of a row; default 1000000, with --rows 1024\n"
                           "  --rows M               default 1\n"
                           "  --ragged               rows of 1 to N items, a length of probability about\n"
                           "                         length^-1.5\n"
                           "  --draws D              from one row; default 10 million, on a device 1\n"
                           "                         billion. Many rows: one from each\n"
                           "  --place PLACE          auto, host or device; default auto\n"
                           "  --threads N            at most; default as many as the process may use cores\n"
                           "  --type TYPE            of the weights: f32 or f64; default f64\n"
                           "  --order ORDER          independent or grouped, of draws from an alias table;\n"
                           "                         default independent\n"
                           "  --uniforms KIND        random, stratified or given (stratified, in an array),\n"
                           "                         for forests and cutpoints; default random\n"
                           "  --builder NAME         auto, sweep, psa or psa+, of alias tables; default\n"
                           "                         auto\n"
                           "  --resolution NAME      compact or exact, of alias tables; default compact\n"
                           "  --split NAME           p-ary or binary, of psa on a device; default p-ary\n"
                           "  --chunks N             parts that a block packs in turn, of psa on a device;\n"
                           "                         default 1\n"
                           "  --sampler NAME         auto, baseline, sectioned, limited or shared; default\n"
                           "                         auto\n"
                           "  --cells X              cells of the guide table for each item; default 1\n"
                           "\n";

static const char more_help[] = "  --counts               instead: how often each item comes up in --draws draws\n"
                                "                         from each row\n"
                                "  --subset K             instead: K different items of each row\n"
                                "  --walk STEPS           instead: walks on a graph of --rows nodes (1 million),\n"
                                "                         of --items edges each (16), one from each of the first\n"
                                "                         --draws nodes (all)\n"
                                "  --p P, --q Q           of --walk: bias of second order; default 1\n"
                                "  --rebuild              instead: new weights for an alias table, and a build\n"
                                "\n"
                                "  --lda K                instead: a topic for each word of a corpus of the\n"
                                "                         paper's shape with K topics; --rows sets its documents\n"
                                "  --paper butterfly      instead: the z-step for K from 16 to --items (1024) in\n"
                                "                         steps of --step (16), the slow ones timed fewer times,\n"
                                "                         twice at least\n"
                                "  --paper forest         instead: Table 1 and Figures 7 to 9; --draws sets the\n"
                                "                         most samples\n"
                                "  --paper alias          instead: builds to --items (10^8) and draws to --draws\n"
                                "                         (10^9), by method\n"
                                "  --parts LIST           of --paper alias: build (Figures 5.2 to 5.5, Table\n"
                                "                         5.2), split (5.1), transfer (5.6), draw (5.7 to 5.9,\n"
                                "                         Table 5.3); default all\n"
                                "\n"
                                "  --peers LIST           none, all, or of std, gsl, search; default all that\n"
                                "                         are at the place\n"
                                "  --reps N               timed repetitions; default 5, on a device 10\n"
                                "  --warmup N             untimed ones before them; default 1, on a device 3\n"
                                "  --seed N               of weights and draws; default 1\n"
                                "  --json FILE            appends one line for each measurement; - for FILE:\n"
                                "                         standard output\n"
                                "  --help                 this text\n"
                                "  --version              the version of the library\n"
                                "\n"
                                "Times are medians, memory for tables included, on a device from an idle device\n"
                                "to its end of work. The draws of the last repetition go through a two-sided\n"
                                "chi-square test, and no time is printed where it fails. Exit status: 0 all\n"
                                "right, 1 not so, 2 wrong usage.\n"
                                "\n"
                                "Examples:\n"
                                "  sampling_bench\n"
                                "  sampling_bench --rows 100000 --items 256 --type f32\n"
                                "  sampling_bench --weights powerlaw:1.1 --method alias --order grouped\n";

static const char *const
    method_words[] = {"butterfly", "alias", "forest", "cutpoint"},
    *const orders[] = {"independent", "grouped"}, *const kinds[] = {"random", "stratified", "given"},
    *const builders[] = {"auto", "sweep", "psa", "psa+"}, *const resolutions[] = {"compact", "exact"},
    *const samplers[] = {"auto", "baseline", "sectioned", "limited", "shared"}, *const splits[] = {"p-ary", "binary"},
    *const parts[] = {"build", "split", "transfer", "draw"}, *const papers[] = {"none", "butterfly", "forest", "alias"},
    *const butterflies[] = {"auto", "plain", "transposed", "table"};

const char *alias_builder_name(spg_alias_builder builder) { return builders[builder]; }
const char *alias_split_name(spg_alias_split split) { return splits[split]; }
const char *alias_sampler_name(spg_alias_sampler sampler) { return samplers[sampler]; }
const char *butterfly_method_name(spg_butterfly_method method) { return butterflies[method]; }

/* Calls use(word) for each word of a comma-separated list until one is refused. */
static bool next_word(const char **rest, char *word, size_t size)
{
    const size_t length = strcspn(*rest, ",");
    if (length == 0 || length >= size) return false;
    memcpy(word, *rest, length);
    word[length] = '\0';
    *rest += length;
    if (**rest == ',') ++*rest;
    return true;
}

/* A bit for each of the words in a list. */
static bool parse_bits(const char *name, const char *list, const char *const *words, int count, int *bits)
{
    char word[32];
    int found = 0;
    *bits = 0;
    if (*list == '\0') return complain("--%s: the list is empty", name);
    while (next_word(&list, word, sizeof word)) {
        if (!parse_word(name, word, words, count, &found)) return false;
        *bits |= 1 << found;
    }
    return *list == '\0' || complain("--%s: words in a list are separated by one comma; '%s' is left over", name, list);
}

static bool parse_methods(const char *list, int *methods)
{
    *methods = 0;
    return strcmp(list, "auto") == 0 || parse_bits("method", list, method_words, 4, methods);
}

static bool is_peer(const char *word)
{
    return strcmp(word, "std") == 0 || strcmp(word, "gsl") == 0 || strcmp(word, "search") == 0;
}

static bool parse_peers(const char *list, const char **peers)
{
    char word[32];
    const char *rest = list;
    *peers = list;
    if (strcmp(list, "none") == 0 || strcmp(list, "all") == 0) return true;
    while (next_word(&rest, word, sizeof word))
        if (!is_peer(word)) return complain("--peers: unknown peer '%s'; use std, gsl or search", word);
    return *rest == '\0' || complain("--peers: peers in a list are separated by one comma; '%s' is left over", list);
}

bool wants_peer(const sampling_options *chosen, const char *name)
{
    char word[32];
    const char *rest = chosen->peers;
    if (strcmp(rest, "all") == 0) return true;
    while (next_word(&rest, word, sizeof word))
        if (strcmp(word, name) == 0) return true;
    return false;
}

static bool parse_long(const char *name, const char *text, long long most, int64_t *value)
{
    long long number = 0;
    if (!parse_int(name, text, 1, most, &number)) return false;
    *value = number;
    return true;
}

static bool parse_table(int code, const char *value, sampling_options *chosen)
{
    int word = 0;
    bool valid = true;
    switch (code) {
    case OPTION_ORDER:
        valid = parse_word("order", value, orders, 2, &word);
        chosen->grouped = word == 1;
        return valid;
    case OPTION_UNIFORMS:
        valid = parse_word("uniforms", value, kinds, 3, &word);
        chosen->stratified = word > 0;
        chosen->given = word == 2;
        return valid;
    case OPTION_BUILDER:
        valid = parse_word("builder", value, builders, 4, &word);
        chosen->alias.builder = (spg_alias_builder)word;
        return valid;
    case OPTION_RESOLUTION:
        valid = parse_word("resolution", value, resolutions, 2, &word);
        chosen->alias.resolution = (spg_alias_resolution)word;
        return valid;
    case OPTION_SPLIT:
        valid = parse_word("split", value, splits, 2, &word);
        chosen->alias.split = (spg_alias_split)word;
        return valid;
    case OPTION_P: return parse_number("p", value, 0x1p-10, 1024, &chosen->p);
    case OPTION_Q: return parse_number("q", value, 0x1p-10, 1024, &chosen->q);
    case OPTION_CHUNKS: return parse_count("chunks", value, 1, &chosen->alias.chunks);
    case OPTION_SAMPLER:
        valid = parse_word("sampler", value, samplers, 5, &word);
        chosen->sampler = (spg_alias_sampler)word;
        return valid;
    case OPTION_PAPER:
        valid = parse_word("paper", value, papers, 4, &word);
        chosen->paper = (sampling_paper)word;
        return valid;
    default: return parse_number("cells", value, 1e-6, 1024, &chosen->cells);
    }
}

static bool more_than_one_task(void)
{
    return complain("only one of --counts, --subset, --walk, --rebuild, --lda and --paper at a time");
}

static bool take_task(sampling_task task, sampling_options *chosen)
{
    if (chosen->task != TASK_NONE && chosen->task != task) return more_than_one_task();
    chosen->task = task;
    return true;
}

static bool parse_option(int code, const char *value, sampling_options *chosen)
{
    long long seed = 0;
    switch (code) {
    case OPTION_METHOD: return parse_methods(value, &chosen->methods);
    case OPTION_WEIGHTS: chosen->weights = value; return true;
    case OPTION_ITEMS: return parse_long("items", value, INT32_MAX, &chosen->items);
    case OPTION_ROWS: return parse_long("rows", value, INT32_MAX, &chosen->rows);
    case OPTION_RAGGED: chosen->ragged = true; return true;
    case OPTION_DRAWS: return parse_long("draws", value, INT64_C(1) << 40, &chosen->draws);
    case OPTION_PLACE: return parse_place(value, &chosen->place);
    case OPTION_THREADS: return parse_threads(value, &chosen->threads);
    case OPTION_TYPE:
        if (!parse_type(value, &chosen->type)) return false;
        return chosen->type == SPG_F32 || chosen->type == SPG_F64 || complain("--type: weights are of f32 or f64");
    case OPTION_COUNTS: return take_task(TASK_COUNTS, chosen);
    case OPTION_REBUILD: return take_task(TASK_REBUILD, chosen);
    case OPTION_SUBSET: return parse_count("subset", value, 1, &chosen->task_size) && take_task(TASK_SUBSET, chosen);
    case OPTION_WALK: return parse_count("walk", value, 1, &chosen->task_size) && take_task(TASK_WALK, chosen);
    case OPTION_PARTS: return parse_bits("parts", value, parts, 4, &chosen->parts);
    case OPTION_LDA: return parse_count("lda", value, 1, &chosen->topics);
    case OPTION_STEP: return parse_count("step", value, 1, &chosen->step);
    case OPTION_PEERS: return parse_peers(value, &chosen->peers);
    case OPTION_REPS: return parse_count("reps", value, 1, &chosen->reps);
    case OPTION_WARMUP: return parse_count("warmup", value, 0, &chosen->warmup);
    case OPTION_JSON: chosen->json_path = value; return true;
    case OPTION_SEED:
        if (!parse_int("seed", value, 0, INT64_MAX, &seed)) return false;
        chosen->seed = (uint64_t)seed;
        return true;
    default: return parse_table(code, value, chosen);
    }
}

void sampling_options_settle(sampling_options *chosen, spg_place place)
{
    const bool on_device = place == SPG_PLACE_DEVICE;
    chosen->place = place;
    if (chosen->reps < 0) chosen->reps = on_device ? 10 : 5;
    if (chosen->warmup < 0) chosen->warmup = on_device ? 3 : 1;
    if (chosen->paper != PAPER_NONE || chosen->topics > 0) return;
    if (chosen->task == TASK_WALK) {
        if (chosen->rows == 0) chosen->rows = 1000000;
        if (chosen->items == 0) chosen->items = 16;
        if (chosen->draws == 0) chosen->draws = chosen->rows;
    }
    if (chosen->rows == 0) chosen->rows = 1;
    if (chosen->items == 0) chosen->items = chosen->rows > 1 ? 1024 : 1000000;
    if (chosen->draws == 0) chosen->draws = on_device ? 1000000000 : 10000000;
}

options_result sampling_options_parse(int argc, char **argv, sampling_options *chosen)
{
    *chosen = (sampling_options){.weights = "uniform",
                                 .place = SPG_PLACE_AUTO,
                                 .type = SPG_F64,
                                 .step = 16,
                                 .p = 1,
                                 .q = 1,
                                 .peers = "all",
                                 .reps = -1,
                                 .warmup = -1,
                                 .seed = 1};
    bool valid = true;
    parse_begin("sampling_bench");
    for (int code; valid && (code = getopt_long(argc, argv, "hV", long_options, NULL)) != -1;) {
        if (code == OPTION_HELP) {
            printf(help, weights_names);
            fputs(more_help, stdout);
            return OPTIONS_HELP;
        }
        if (code == OPTION_VERSION) {
            print_version("sampling_bench");
            return OPTIONS_HELP;
        }
        valid = code != '?' && parse_option(code, optarg, chosen);
    }
    const int tasks = (chosen->task != TASK_NONE) + (chosen->topics > 0) + (chosen->paper != PAPER_NONE);
    if (valid && tasks > 1) valid = more_than_one_task();
    if (valid && optind != argc) valid = complain("unknown argument '%s'; this bench takes options only", argv[optind]);
    if (valid) return OPTIONS_RUN;
    fputs("Try 'sampling_bench --help'.\n", stderr);
    return OPTIONS_ERROR;
}
