/* Apart from amg_peer_hypre.c, because hypre's own headers redefine much. */
#include "hypre_levels.h"

#include <_hypre_parcsr_ls.h>

void hypre_levels_measure(void *boomeramg, hypre_levels_sizes *sizes)
{
    hypre_ParAMGData *amg = boomeramg;
    *sizes = (hypre_levels_sizes){.levels = (int)hypre_ParAMGDataNumLevels(amg)};
    for (int l = 0; l < sizes->levels; l++) {
        /* One process: all entries are in the block of its own columns. */
        hypre_CSRMatrix *A = hypre_ParCSRMatrixDiag(hypre_ParAMGDataAArray(amg)[l]);
        sizes->rows += (double)hypre_CSRMatrixNumRows(A);
        sizes->entries += (double)hypre_CSRMatrixNumNonzeros(A);
        if (l > 0) continue;
        sizes->fine_rows = sizes->rows;
        sizes->fine_entries = sizes->entries;
    }
}
