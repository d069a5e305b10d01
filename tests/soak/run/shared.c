/* See shared.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "shared.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <time.h>

soak_shared *soak_common;

bool soak_share(void)
{
    void *memory = mmap(NULL, sizeof *soak_common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    soak_common = memory != MAP_FAILED ? memory : NULL;
    return soak_common != NULL;
}

int64_t soak_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

bool soak_fault(const char *format, ...)
{
    if (soak_common->fault[0] != '\0') return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(soak_common->fault, sizeof soak_common->fault, format, arguments);
    va_end(arguments);
    return false;
}

void soak_count(int trait)
{
    if (atomic_load(&soak_common->counts)) atomic_fetch_add(&soak_common->traits[trait], 1);
}
