/* MPI for the libraries that want it: one process. */
#define _GNU_SOURCE 1
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
    setenv("OMPI_MCA_btl", "self", 0); /* Open MPI: a process alone opens no network */
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return spg_context_fail(errors, SPG_ERROR_INTERNAL, "MPI_Init failed");
    atexit(end_mpi);
    return SPG_OK;
}
