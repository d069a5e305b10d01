/* See cores.h. A group's limit is a quota of microseconds per period: cpu.max in version 2, cpu.cfs_quota_us and
 * cpu.cfs_period_us in version 1. /proc/self/mountinfo says where groups are mounted, and which group is the top of
 * each mount. In a container the process's group often cannot be found by its own name, but the group at the top of the
 * mount can. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "cores.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PATH = 4096, MOST_LINE = 8192 };

/* A mount of a cgroup hierarchy that limits processor time. */
typedef struct group_mount {
    bool is_v2;
    char from[MOST_PATH]; /* the group at the top of the mount */
    char at[MOST_PATH];
} group_mount;

/* Whether a comma-separated list contains the word. */
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0' || at[length] == '\n'))
            return true;
    }
    return false;
}

/* A line of mountinfo: "36 35 98:0 FROM AT OPTIONS [FIELDS...] - TYPE SOURCE SUPER_OPTIONS". */
static bool parse_mount(const char *line, group_mount *mount)
{
    char type[64], options[MOST_PATH];
    const char *rest = strstr(line, " - ");
    if (rest == NULL || sscanf(rest, " - %63s %*s %4095s", type, options) != 2) return false;
    mount->is_v2 = strcmp(type, "cgroup2") == 0;
    if (!mount->is_v2 && !(strcmp(type, "cgroup") == 0 && lists(options, "cpu"))) return false;
    return sscanf(line, "%*s %*s %*s %4095s %4095s", mount->from, mount->at) == 2;
}

/* A line of /proc/self/cgroup: "ID:CONTROLLERS:GROUP"; CONTROLLERS is empty in version 2. */
static const char *parse_group(char *line, bool is_v2)
{
    char *controllers = strchr(line, ':');
    char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL) return NULL;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    const bool fits = is_v2 ? controllers[1] == '\0' : lists(controllers + 1, "cpu");
    return fits ? group : NULL;
}

/* The process's group in that version. */
static bool find_group(const char *root, bool is_v2, char *group)
{
    char line[MOST_LINE];
    bool found = false;
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *file = fopen(line, "r");
    if (file == NULL) return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const char *name = parse_group(line, is_v2);
        found = name != NULL && strlen(name) < MOST_PATH;
        if (found) strcpy(group, name);
    }
    fclose(file);
    return found;
}

/* Two numbers, from one file or two. False unless both are present and positive: there is then no limit. */
static bool read_numbers(const char *folder, const char *first_name, const char *second_name, double *first,
                         double *second)
{
    char path[MOST_LINE + 64];
    snprintf(path, sizeof path, "%s/%s", folder, first_name);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    const int read = fscanf(file, "%lf %lf", first, second);
    fclose(file);
    if (second_name != NULL) {
        snprintf(path, sizeof path, "%s/%s", folder, second_name);
        if (read != 1 || (file = fopen(path, "r")) == NULL) return false;
        const bool is_read = fscanf(file, "%lf", second) == 1;
        fclose(file);
        return is_read && *first > 0 && *second > 0;
    }
    return read == 2 && *first > 0 && *second > 0;
}

/* The smallest share of a folder's group and its parents, up to the mount; `most` if none is smaller. */
static double least_share(char *folder, size_t top, bool is_v2, double most)
{
    for (;;) {
        double quota, period;
        const bool is_limited = is_v2 ? read_numbers(folder, "cpu.max", NULL, &quota, &period)
                                      : read_numbers(folder, "cpu.cfs_quota_us", "cpu.cfs_period_us", &quota, &period);
        if (is_limited && quota / period < most) most = quota / period;
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= top || slash == NULL || slash < folder + top) return most;
        *slash = '\0';
    }
}

static double share_of_mount(const char *root, const group_mount *mount, double most)
{
    char group[MOST_PATH], folder[MOST_LINE];
    if (!find_group(root, mount->is_v2, group)) return most;
    const size_t from = strcmp(mount->from, "/") == 0 ? 0 : strlen(mount->from);
    const bool is_within = strncmp(group, mount->from, from) == 0 && (group[from] == '/' || group[from] == '\0');
    const int top = snprintf(folder, sizeof folder, "%s%s", root, mount->at);
    if (top < 0 || (size_t)top >= sizeof folder - MOST_PATH) return most;
    if (is_within) strcat(folder, strcmp(group, "/") == 0 ? "" : group + from);
    return least_share(folder, (size_t)top, mount->is_v2, most);
}

int spg_granted_cores(const char *root)
{
    const double unlimited = 1 << 20;
    double share = unlimited;
    char line[MOST_LINE];
    snprintf(line, sizeof line, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(line, "r");
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        group_mount mount;
        if (parse_mount(line, &mount)) share = share_of_mount(root, &mount, share);
    }
    fclose(file);
    if (share >= unlimited) return 0;
    return (int)share + (share > (int)share);
}

static int cores_of_affinity(void)
{
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    for (int most = 1024; most <= 1 << 18; most *= 2) { /* until the kernel's mask fits */
        cpu_set_t *set = CPU_ALLOC((size_t)most);
        const size_t bytes = CPU_ALLOC_SIZE((size_t)most);
        const bool is_known = set != NULL && sched_getaffinity(0, bytes, set) == 0;
        if (is_known) cores = CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (is_known) break;
    }
#endif
    return cores > 1 ? cores : 1;
}

int spg_usable_cores(const char *root)
{
    const int cores = cores_of_affinity(), granted = spg_granted_cores(root);
    return granted > 0 && granted < cores ? granted : cores;
}
