/* How many cores the process may use. Private. */
#ifndef SPG_SRC_THREADS_CORES_H
#define SPG_SRC_THREADS_CORES_H

/* The cores of its affinity mask, but no more than the processor time that its control groups grant (cgroups version 1
 * and 2, its own group and all parents), rounded up to whole cores; at least 1. root: prefix of /proc and /sys in file
 * names; "" except in tests. */
int spg_usable_cores(const char *root);

/* The cores that the control groups grant; 0 if they set no limit or cannot be read. */
int spg_granted_cores(const char *root);

#endif
