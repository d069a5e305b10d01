/* Cases in a process of their own, watched. */
#ifndef SPG_SOAK_SUPERVISE_H
#define SPG_SOAK_SUPERVISE_H

#include "options.h"

typedef enum soak_end {
    SOAK_ENDED,   /* without a fault */
    SOAK_FAULTY,  /* soak_common->fault says what, also where the process died */
    SOAK_HANGS,   /* likewise; it was ended */
    SOAK_NO_PLACE /* there is no such place here */
} soak_end;

/* What such a process does; its return value is its status. */
typedef int soak_work(const soak_options *options, void *what);
enum { SOAK_STATUS_FAULT = 10, SOAK_STATUS_NO_PLACE = 77 };

/* Runs `work` in a process of its own. beat (may be NULL) is called a few times a second. */
soak_end soak_in_process(const soak_options *options, soak_work *work, void *what, void (*beat)(void));

/* The work of a run: cases until the time is over or one is faulty. */
soak_work soak_run_cases;

/* One case, between opening and closing the places. */
bool soak_check_case(const soak_options *options, const soak_case *c);

/* Whether there is a device; says why not. */
bool soak_has_device(const soak_options *options);

#endif
