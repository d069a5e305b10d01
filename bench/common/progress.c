#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double quiet_ms = 10000.0;

double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

void progress(const char *format, ...)
{
    static double last_ms = 0.0;
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    if (last_ms == 0.0) last_ms = now_ms();
    if (!is_terminal && now_ms() - last_ms < quiet_ms) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_terminal) /* a text of two lines could not be cleared */
        fprintf(stderr, "\r\033[K%.79s", text);
    else
        fprintf(stderr, "%s\n", text);
    fflush(stderr);
    last_ms = now_ms();
}

void progress_clear(void)
{
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}
