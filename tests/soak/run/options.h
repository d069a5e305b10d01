/* The command line. */
#ifndef SPG_SOAK_OPTIONS_H
#define SPG_SOAK_OPTIONS_H

#include "shared.h"

typedef struct soak_options {
    soak_run run;
    bool place_given;
    double seconds;
    uint64_t seed;
    bool chosen[SOAK_MOST_FAMILIES];
    int64_t only_case; /* -1: all */
    int faults;        /* the run ends with so many */
    double shrink_seconds, patience;
    const char *json, *folder;
} soak_options;

typedef enum soak_parsed { SOAK_GO, SOAK_HELP, SOAK_MISUSE } soak_parsed;

/* Sets options->run. */
bool soak_choose_places(const char *text, soak_options *options);

soak_parsed soak_parse(int argc, char **argv, soak_options *options);

/* "host", "device", "both". */
const char *soak_place_name(const soak_run *run);

#endif
