/* See options.h. */
#include "options.h"

#include "parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] = "spg_soak: random use of the library, compared with CXSparse, with other ways\n"
                           "to the same result, and of the host with a device. Exit status: 0 if all was\n"
                           "right, 1 after a fault, 77 if there is no such place here.\n"
                           "\n"
                           "  --place host|device|both  where (both where there is a device, else host)\n"
                           "  --seconds N               how long (20)\n"
                           "  --seed S                  of all cases (drawn from the clock, and printed)\n"
                           "  --only FAMILY,...         some of: products, plans, galerkin, multigrid,\n"
                           "                            sampling, containers, krylov, complex\n"
                           "  --case K                  this case alone, of the one family that --only names\n"
                           "  --json FILE               append lines of JSON: families, kinds, faults\n"
                           "  --folder FOLDER           where operands of faults are written (.)\n"
                           "  --faults N                end after so many (1)\n"
                           "  --shrink-seconds N        the most for making a faulty case smaller (30)\n"
                           "  --patience N              a case that takes longer is a fault (120)\n";

const char *soak_place_name(const soak_run *run)
{
    return run->count == 2 ? "both" : run->at[0].place == SPG_PLACE_HOST ? "host" : "device";
}

static bool parse_families(const char *text, soak_options *options)
{
    memset(options->chosen, 0, sizeof options->chosen);
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        int family = 0;
        while (family < soak_family_count &&
               (strlen(soak_families[family].name) != length || strncmp(text, soak_families[family].name, length) != 0))
            family++;
        if (family == soak_family_count)
            return complain("--only: '%.*s' is not a family; use products, plans, galerkin, multigrid, sampling, "
                            "containers, krylov or complex, separated by commas",
                            (int)length, text);
        options->chosen[family] = true;
        text += length + (text[length] == ',');
    }
    return true;
}

bool soak_choose_places(const char *text, soak_options *options)
{
    static const char *const words[] = {"host", "device", "both"};
    static const soak_run runs[] = {{1, {{SPG_PLACE_HOST, 0, "host"}}},
                                    {1, {{SPG_PLACE_DEVICE, 0, "device"}}},
                                    {2, {{SPG_PLACE_HOST, 0, "host"}, {SPG_PLACE_DEVICE, 0, "device"}}}};
    int chosen = 0;
    if (!parse_word("place", text, words, 3, &chosen)) return false;
    options->run = runs[chosen];
    return true;
}

static bool parse_seed(const char *text, uint64_t *seed)
{
    char *end = NULL;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return (end != text && *end == '\0' && errno == 0 && *text != '-') ||
           complain("--seed: '%s' is not a number from 0 to 2^64 - 1", text);
}

static bool parse_option(const char *name, const char *value, soak_options *o)
{
    long long number = 0;
    if (strcmp(name, "place") == 0) return o->place_given = soak_choose_places(value, o);
    if (strcmp(name, "seconds") == 0) return parse_number(name, value, 0, 1e9, &o->seconds);
    if (strcmp(name, "seed") == 0) return parse_seed(value, &o->seed);
    if (strcmp(name, "only") == 0) return parse_families(value, o);
    if (strcmp(name, "faults") == 0) return parse_count(name, value, 1, &o->faults);
    if (strcmp(name, "shrink-seconds") == 0) return parse_number(name, value, 0, 1e9, &o->shrink_seconds);
    if (strcmp(name, "patience") == 0) return parse_number(name, value, 1, 1e9, &o->patience);
    if (strcmp(name, "json") == 0) return (o->json = value) != NULL;
    if (strcmp(name, "folder") == 0) return (o->folder = value) != NULL;
    if (strcmp(name, "case") != 0) return complain("unknown option '--%s'; see --help", name);
    const bool right = parse_int(name, value, 0, INT64_MAX, &number);
    o->only_case = number;
    return right;
}

soak_parsed soak_parse(int argc, char **argv, soak_options *o)
{
    int families = 0;
    *o = (soak_options){.seconds = 20, .only_case = -1, .faults = 1, .shrink_seconds = 30, .patience = 120};
    o->folder = ".";
    o->seed = (uint64_t)time(NULL) * 1000 + (uint64_t)getpid() % 1000;
    memset(o->chosen, true, sizeof o->chosen);
    parse_begin("spg_soak");
    for (int k = 1; k < argc; k += 2) {
        if (strcmp(argv[k], "--help") == 0) {
            fputs(help, stdout);
            return SOAK_HELP;
        }
        if (strncmp(argv[k], "--", 2) != 0 || k + 1 == argc) {
            complain(k + 1 == argc ? "'%s' needs a value; see --help" : "unknown argument '%s'; see --help", argv[k]);
            return SOAK_MISUSE;
        }
        if (!parse_option(argv[k] + 2, argv[k + 1], o)) return SOAK_MISUSE;
    }
    for (int k = 0; k < soak_family_count; k++) families += o->chosen[k];
    if (o->only_case >= 0 && families != 1) {
        complain("--case: name its family by --only");
        return SOAK_MISUSE;
    }
    return SOAK_GO;
}
