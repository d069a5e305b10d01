/* MPI for the libraries that want it: one process. */
#include "amg_peer.h"

#include <mpi.h>
#include <stdlib.h>

static void end_mpi(void)
{
    int ended = 0;
    if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended) MPI_Finalize();
}

spg_status start_mpi(spg_context *errors)
{
    int begun = 0;
    if (MPI_Initialized(&begun) == MPI_SUCCESS && begun) return SPG_OK;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return spg_context_fail(errors, SPG_ERROR_INTERNAL, "MPI_Init failed");
    atexit(end_mpi);
    return SPG_OK;
}
