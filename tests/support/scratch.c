/* See scratch.h. */
#define _GNU_SOURCE
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the program lies, and a name to be made out. */
static void begin_path(char path[TEST_PATH])
{
    static const char name[] = "/scratch-XXXXXX";
    const ssize_t length = readlink("/proc/self/exe", path, TEST_PATH - 1);
    assert_true(length > 0);
    path[length] = '\0';
    char *end = strrchr(path, '/');
    assert_true(end != NULL && end + sizeof name <= path + TEST_PATH);
    memcpy(end, name, sizeof name);
}

int test_new_file(char path[TEST_PATH])
{
    begin_path(path);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    return file;
}

void test_new_folder(char path[TEST_PATH])
{
    begin_path(path);
    assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)type, (void)at;
    return remove(path);
}

void test_remove_folder(const char *path) { assert_int_equal(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0); }
