/* Another library of algebraic multigrid, measured beside spg: conjugate gradients preconditioned by one V-cycle. */
#ifndef SPG_BENCH_AMG_PEER_H
#define SPG_BENCH_AMG_PEER_H

#include "amg_system.h"

#include <stdio.h>

enum { MOST_AMG_PEERS = 8 };

/* Of a hierarchy; 0: the library does not tell. */
typedef struct amg_peer_sizes {
    int levels;
    double operator_complexity, grid_complexity;
} amg_peer_sizes;

/* Timed are set_up, which makes the hierarchy of a matrix that is in place, and solve, from x = 0 to the tolerance of
 * the options on the residual over the right-hand side. Everything else happens outside the timing. On a device both
 * need only queue their work. Functions that fail leave a message in the context that open got. */
typedef struct amg_peer {
    const char *name;
    const char *(*version)(void);
    const char *aggregation, *smoother; /* for records: what takes the place of spg's options of these names */
    const char *settings;               /* all that is not the library's default, for people */
    spg_place works_at;                 /* HOST or DEVICE; it has one thread on the host */
    spg_status (*open)(spg_context *errors, const amg_system *system, const amg_options *chosen, void **state);
    spg_status (*set_up)(void *state);
    spg_status (*start)(void *state); /* x = 0 */
    spg_status (*solve)(void *state, int *iterations);
    spg_status (*take_sizes)(void *state, amg_peer_sizes *sizes);
    spg_status (*take_x)(void *state, double *x); /* to the host */
    void (*discard)(void *state);                 /* the hierarchy, if there is one */
    void (*close)(void *state);                   /* all of it; NULL is allowed */
} amg_peer;

/* Each one of this build: entry k, or NULL past the end. One name may stand twice, for the host and for a device. */
const amg_peer *amg_peer_at(int k);

/* Those that a list of --peers names and that work at this place. False, and said on stderr, if the build lacks a name
 * or, unless the word is "all", the place does. place AUTO: names alone are judged. */
bool amg_peers_choose(const char *list, spg_place place, const amg_peer *peers[MOST_AMG_PEERS], int *count);

/* For --help: the peers of this build. */
void amg_peers_print_names(FILE *stream);

extern const amg_peer amg_peer_hypre_host, amg_peer_hypre_device, amg_peer_gamg, amg_peer_amgx,
    amg_peer_amgx_aggregation;

/* Starts MPI with this process alone, once; it ends with the program. */
spg_status start_mpi(spg_context *errors);

#endif
