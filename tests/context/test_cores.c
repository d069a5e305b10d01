/* How many threads of the host a context takes: as many as the process may use, by what the system grants it, by the
 * cores it is pinned to and by what is asked for. */
#define _GNU_SOURCE
#include "busy_machine.h"
#include "place.h"
#include "scratch.h"

#include "context.h"
#include "threads/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Trees of /proc and /sys ---- */

/* Writes a file and the folders that it lies in. */
static void put(const char *root, const char *name, const char *text)
{
    char path[2 * TEST_PATH];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *const V2_MOUNT = "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
                                    "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char *const V1_MOUNTS =
    "33 25 0:29 / /sys/fs/cgroup/cpuset rw,nosuid - cgroup cgroup rw,cpuset\n"
    "34 25 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw,nosuid master:11 - cgroup cgroup rw,cpu,cpuacct\n";

static void no_tree_sets_no_limit(void **state)
{
    (void)state;
    char root[TEST_PATH];
    test_new_folder(root);
    assert_int_equal(spg_granted_cores(root), 0);
    put(root, "/proc/self/mountinfo", V2_MOUNT);
    assert_int_equal(spg_granted_cores(root), 0);
    put(root, "/proc/self/cgroup", "0::/a/b\n");
    assert_int_equal(spg_granted_cores(root), 0);
    put(root, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    assert_int_equal(spg_granted_cores(root), 0);
    put(root, "/sys/fs/cgroup/a/b/cpu.max", "nonsense\n");
    assert_int_equal(spg_granted_cores(root), 0);
    put(root, "/sys/fs/cgroup/a/b/cpu.max", "100000 0\n");
    assert_int_equal(spg_granted_cores(root), 0);
    test_remove_folder(root);
}

static void quotas_of_version_2_count_of_the_group_and_of_those_around_it(void **state)
{
    (void)state;
    char root[TEST_PATH];
    test_new_folder(root);
    put(root, "/proc/self/mountinfo", V2_MOUNT);
    put(root, "/proc/self/cgroup", "0::/a/b\n");
    put(root, "/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
    assert_int_equal(spg_granted_cores(root), 3);
    put(root, "/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    assert_int_equal(spg_granted_cores(root), 2);
    put(root, "/sys/fs/cgroup/cpu.max", "25000 100000\n");
    assert_int_equal(spg_granted_cores(root), 1);
    test_remove_folder(root);
}

static void a_container_that_sees_its_own_group_alone_is_limited_by_it(void **state)
{
    (void)state;
    char root[TEST_PATH];
    test_new_folder(root);
    put(root, "/proc/self/mountinfo", V2_MOUNT);
    put(root, "/proc/self/cgroup", "0::/../elsewhere\n");
    put(root, "/sys/fs/cgroup/cpu.max", "200000 100000\n");
    assert_int_equal(spg_granted_cores(root), 2);
    test_remove_folder(root);
}

static void quotas_of_version_1_count_where_the_controller_is_mounted(void **state)
{
    (void)state;
    char root[TEST_PATH];
    test_new_folder(root);
    put(root, "/proc/self/mountinfo", V1_MOUNTS);
    put(root, "/proc/self/cgroup", "5:cpuset:/other\n4:cpu,cpuacct:/docker/abc/job\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    assert_int_equal(spg_granted_cores(root), 0);
    put(root, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "500000\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    assert_int_equal(spg_granted_cores(root), 5);
    put(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
    assert_int_equal(spg_granted_cores(root), 4);
    test_remove_folder(root);
}

/* ---- How many threads a context takes ---- */

static int threads_of(int asked, int oversubscribe)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = asked;
    config.oversubscribe = oversubscribe;
    spg_context *context = test_context_of(&config);
    const int threads = spg_context_threads(context);
    spg_context_destroy(context);
    return threads;
}

static void a_number_asked_for_is_a_bound_and_the_cores_another(void **state)
{
    (void)state;
    test_require_threads();
    const int cores = spg_usable_cores("");
    assert_true(cores >= 1);
    assert_int_equal(threads_of(1, 0), 1);
    assert_int_equal(threads_of(0, 0), cores < 4096 ? cores : 4096);
    assert_int_equal(threads_of(4096, 0), cores < 4096 ? cores : 4096);
    assert_int_equal(threads_of(7, 1), 7);
    assert_int_equal(threads_of(0, 1), threads_of(0, 0));
}

static void the_variable_of_openmp_is_a_bound_where_no_number_is_asked_for(void **state)
{
    (void)state;
    test_require_threads();
    const int cores = threads_of(0, 0);
    setenv("OMP_NUM_THREADS", "1", 1);
    assert_int_equal(threads_of(0, 0), 1);
    assert_int_equal(threads_of(cores, 0), cores);
    setenv("OMP_NUM_THREADS", "100000", 1);
    assert_int_equal(threads_of(0, 0), cores);
    setenv("OMP_NUM_THREADS", "many", 1);
    assert_int_equal(threads_of(0, 0), cores);
    unsetenv("OMP_NUM_THREADS");
}

static void a_process_pinned_to_one_core_has_one_thread(void **state)
{
    (void)state;
    test_pin_to_one_core();
    const int threads = threads_of(8, 0);
    test_unpin();
    assert_int_equal(threads, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_tree_sets_no_limit),
        cmocka_unit_test(quotas_of_version_2_count_of_the_group_and_of_those_around_it),
        cmocka_unit_test(a_container_that_sees_its_own_group_alone_is_limited_by_it),
        cmocka_unit_test(quotas_of_version_1_count_where_the_controller_is_mounted),
        cmocka_unit_test(a_number_asked_for_is_a_bound_and_the_cores_another),
        cmocka_unit_test(the_variable_of_openmp_is_a_bound_where_no_number_is_asked_for),
        cmocka_unit_test(a_process_pinned_to_one_core_has_one_thread),
    };
    return TEST_RUN_HERE(argc, argv, "cores", tests);
}
