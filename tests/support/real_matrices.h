/* Real matrices for tests, as Matrix Market files NAME.mtx in the folder that the environment's SPG_REAL_MATRICES
 * names: 494_bus, 1138_bus, ani4, bcsstk13, cryg2500, franz6_aug, jagmesh7, lp_e226, west0479 and young1c of the
 * SuiteSparse collection; airfoil, bar, bar_nullspace and unit_cube of PyAMG's examples. Without the folder their tests
 * are skipped. */
#ifndef SPG_TESTS_REAL_MATRICES_H
#define SPG_TESTS_REAL_MATRICES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEST_PATH_SIZE = 1024 };

/* NULL: there are none. */
static inline const char *test_real_matrices(void)
{
    const char *folder = getenv("SPG_REAL_MATRICES");
    return folder != NULL && access(folder, R_OK) == 0 ? folder : NULL;
}

/* Whether there is such a file; its path. */
static inline bool test_find_real_matrix(const char *name, char path[TEST_PATH_SIZE])
{
    const char *folder = test_real_matrices();
    if (folder == NULL) return false;
    const int length = snprintf(path, TEST_PATH_SIZE, "%s/%s.mtx", folder, name);
    return length < TEST_PATH_SIZE && access(path, R_OK) == 0;
}

#endif
