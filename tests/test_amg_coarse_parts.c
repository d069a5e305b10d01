/* Last levels that fall into components, or are too large: none takes the cube of its rows, and what is not solved
 * densely is said to be smoothed. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(NULL),
    };
    return TEST_RUN_HERE(argc, argv, "amg coarse parts", tests);
}
