#define _POSIX_C_SOURCE 200809L
#include "load.h"

#include "progress.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Seconds that all cores were busy since boot, by the first line of Linux's /proc/stat: user nice system idle iowait
 * irq softirq steal, in ticks. */
static double busy_seconds(void)
{
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL) return -1.0;
    unsigned long long ticks[8] = {0};
    const int found = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1], &ticks[2],
                             &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
    fclose(file);
    if (found != 8) return -1.0;
    const unsigned long long busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
    return (double)busy / (double)sysconf(_SC_CLK_TCK);
}

static double own_seconds(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0.0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

load_mark load_now(void) { return (load_mark){busy_seconds(), own_seconds(), now_ms()}; }

double cores_taken_since(const load_mark *mark)
{
    const load_mark now = load_now();
    const double wall = (now.wall_ms - mark->wall_ms) * 1e-3;
    if (mark->busy_s < 0.0 || now.busy_s < 0.0 || !(wall > 0.0)) return 0.0;
    const double others = (now.busy_s - mark->busy_s) - (now.own_s - mark->own_s);
    return others > 0.0 ? others / wall : 0.0;
}
