/* Any words as the command line of one of the three benches: refused, or options within the ranges that --help tells.
 * The first byte says which bench; words end with a line's end. */
#include "fuzz.h"

#include "amg_options.h"
#include "sampling_options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 32 };

static bool is_real(spg_type type) { return type == SPG_F32 || type == SPG_F64; }

/* Of threads 0 says that none were asked for, of counts -1. */
static void require_common(spg_place place, int threads, int reps, int warmup)
{
    REQUIRE((unsigned)place <= (unsigned)SPG_PLACE_AUTO && threads >= 0 && threads <= 4096);
    REQUIRE((reps == -1 || reps >= 1) && warmup >= -1);
}

static void parse_products(int argc, char **argv)
{
    options chosen;
    if (options_parse(argc, argv, &chosen) != OPTIONS_RUN) return;
    require_common(chosen.place, chosen.threads, chosen.reps, chosen.warmup);
    REQUIRE((unsigned)chosen.type <= (unsigned)SPG_C64);
    REQUIRE(chosen.workspace_limit >= 0 && chosen.keep_bytes >= -1 && chosen.matrix_count > 0);
    REQUIRE(chosen.implementation_count > 0 && chosen.implementation_count <= MAX_IMPLEMENTATIONS);
    REQUIRE(chosen.products[PRODUCT_AP] || chosen.products[PRODUCT_AA] || chosen.products[PRODUCT_RAP]);
    options_settle(&chosen, SPG_PLACE_HOST);
    REQUIRE(chosen.reps >= 1 && chosen.warmup >= 0);
}

static void parse_multigrid(int argc, char **argv)
{
    amg_options chosen;
    if (amg_options_parse(argc, argv, &chosen) != OPTIONS_RUN) return;
    require_common(chosen.place, chosen.threads, chosen.reps, chosen.warmup);
    REQUIRE((unsigned)chosen.type <= (unsigned)SPG_C64 && chosen.matrix_count > 0 && chosen.updates >= 0);
    REQUIRE(chosen.vary >= 0 && chosen.vary <= 1 && chosen.hierarchy.theta >= 0);
    REQUIRE(chosen.hierarchy.block_size >= 1 && chosen.hierarchy.block_size <= 32);
    REQUIRE((unsigned)chosen.hierarchy.cycle <= (unsigned)SPG_CYCLE_K);
    REQUIRE(chosen.solve.max_iterations >= 0 && chosen.solve.tolerance >= 0);
    amg_options_settle(&chosen, SPG_PLACE_HOST);
    REQUIRE(chosen.reps >= 1);
}

static void parse_sampling(int argc, char **argv)
{
    sampling_options chosen;
    if (sampling_options_parse(argc, argv, &chosen) != OPTIONS_RUN) return;
    require_common(chosen.place, chosen.threads, chosen.reps, chosen.warmup);
    REQUIRE(is_real(chosen.type) && chosen.topics >= 0 && chosen.step >= 1);
    REQUIRE(chosen.items >= 0 && chosen.rows >= 0 && chosen.draws >= 0 && chosen.cells >= 0);
    REQUIRE(chosen.methods >= 0 && chosen.methods < 16 && chosen.parts >= 0 && chosen.parts < 16);
    REQUIRE(chosen.task_size >= 0 && chosen.p > 0 && chosen.q > 0 && (unsigned)chosen.task <= TASK_REBUILD);
    wants_peer(&chosen, "gsl");
    sampling_options_settle(&chosen, SPG_PLACE_HOST);
    REQUIRE(chosen.reps >= 1 && chosen.warmup >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char program[] = "bench";
    char *argv[MOST_WORDS + 2] = {program}, *text = malloc(size + 1);
    int argc = 1;
    if (size == 0 || text == NULL) {
        free(text);
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (char *word = strtok(text, "\n"); word != NULL && argc <= MOST_WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    optind = 0; /* getopt begins anew */
    if (data[0] % 3 == 0) parse_products(argc, argv);
    if (data[0] % 3 == 1) parse_multigrid(argc, argv);
    if (data[0] % 3 == 2) parse_sampling(argc, argv);
    free(text);
    return 0;
}
