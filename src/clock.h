/* Wall-clock time. Private. */
#ifndef SPG_SRC_CLOCK_H
#define SPG_SRC_CLOCK_H

/* Seconds since an arbitrary start; monotonic. */
double spg_seconds(void);

#endif
