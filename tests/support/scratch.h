/* Files and folders of a test's own. They lie beside its program, so that what a test leaves that is ended before it is
 * through lies among what was built. */
#ifndef SPG_TESTS_SCRATCH_H
#define SPG_TESTS_SCRATCH_H

#include "test_support.h"

enum { TEST_PATH = 1024 };

/* Each makes a new one and fails the test if it can't. The file is open for reading and writing. */
int test_new_file(char path[TEST_PATH]);
void test_new_folder(char path[TEST_PATH]);

/* With all that is in it. */
void test_remove_folder(const char *path);

#endif
