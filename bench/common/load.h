/* What else the machine did meanwhile. */
#ifndef SPG_BENCH_LOAD_H
#define SPG_BENCH_LOAD_H

typedef struct load_mark {
    double busy_s, own_s, wall_ms; /* busy_s < 0: the system does not tell */
} load_mark;

load_mark load_now(void);

/* Cores that other processes (and other guests of the host) kept busy since the mark, on average; 0 if unknown. */
double cores_taken_since(const load_mark *mark);

#endif
