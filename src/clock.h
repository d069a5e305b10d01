/* Wall-clock time. Private. */
#ifndef SPG_SRC_CLOCK_H
#define SPG_SRC_CLOCK_H

/* Seconds since some moment; never steps back. */
double spg_seconds(void);

#endif
