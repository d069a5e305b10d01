/* See random_bytes.h. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* getentropy */
#endif
#include "random_bytes.h"

#include "philox.h"

#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

enum { MOST_AT_ONCE = 256 }; /* the limit of getentropy */

static int ask_system(unsigned char *bytes, size_t count)
{
    for (size_t at = 0; at < count; at += MOST_AT_ONCE)
        if (getentropy(bytes + at, count - at < MOST_AT_ONCE ? count - at : MOST_AT_ONCE) != 0) return -1;
    return 0;
}

/* Mixes the time in nanoseconds, the addresses of the stack, the code and the caller's bytes, and the contents of these
 * bytes. */
static void spread_what_is_here(unsigned char *bytes, size_t count)
{
    struct timespec now = {0};
    timespec_get(&now, TIME_UTC);
    uint64_t last = 0;
    memcpy(&last, bytes, count < sizeof last ? count : sizeof last);
    const uint64_t time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    const uint64_t places = (uint64_t)(uintptr_t)&now ^ (uint64_t)(uintptr_t)bytes << 17;
    const uint64_t key = spg_random_number(time, places, (uint64_t)(uintptr_t)&spg_random_bytes ^ last);
    for (size_t at = 0; at < count; at += sizeof last) {
        const uint64_t number = spg_random_number(key, places ^ time << 1, at);
        memcpy(bytes + at, &number, count - at < sizeof number ? count - at : sizeof number);
    }
}

void spg_random_bytes(void *bytes, size_t count)
{
    if (ask_system(bytes, count) == 0) return;
    memset(bytes, 0, count);
    spread_what_is_here(bytes, count);
}
