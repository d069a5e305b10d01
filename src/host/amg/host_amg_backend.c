/* The host's table of algebraic multigrid. */
#include "host_amg.h"

const spg_amg_backend spg_host_amg_backend = {
    /* setup */
    .find_symmetry = NULL,
    /* solve */
};
