/* How many cores the process may use. Private. */
#ifndef SPG_SRC_THREADS_CORES_H
#define SPG_SRC_THREADS_CORES_H

/* Those of its affinity mask, but no more than the processor time that its control groups grant it (cgroups, version 1
 * and 2, of the process and of all groups around it), rounded up to whole cores; at least 1. root: what stands before
 * /proc and /sys in the names of files; "" but for tests. */
int spg_usable_cores(const char *root);

/* The cores that the control groups grant; 0 if they set no limit, or cannot be read. */
int spg_granted_cores(const char *root);

#endif
