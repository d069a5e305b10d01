/* The clock, and the line on stderr that tells where a long run is. */
#ifndef SPG_BENCH_PROGRESS_H
#define SPG_BENCH_PROGRESS_H

/* Milliseconds of a monotonic clock. */
double now_ms(void);

/* Shows the text, or as much of it as fits into 79 columns, in place of the one before if stderr is a terminal;
 * otherwise as a line of its own, if ten seconds have passed since the last. */
void progress(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Clears the line, before text on stdout. */
void progress_clear(void);

#endif
