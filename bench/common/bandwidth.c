#define _GNU_SOURCE 1
#include "bandwidth.h"

#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { REPETITIONS = 12 };
static const size_t array_bytes = (size_t)192 << 20;

static char *allocate_array(void)
{
    char *array = aligned_alloc((size_t)2 << 20, array_bytes);
    if (array == NULL) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(array, array_bytes, MADV_HUGEPAGE);
#endif
    return array;
}

static void parallel_copy(char *to, const char *from, int threads)
{
    const size_t part = array_bytes / (size_t)threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) memcpy(to + (size_t)t * part, from + (size_t)t * part, part);
}

double copy_bandwidth(int threads)
{
    double best = 0.0;
    char *from = allocate_array(), *to = allocate_array();
    if (from != NULL && to != NULL) {
        memset(from, 1, array_bytes);
        memset(to, 0, array_bytes);
        for (int k = 0; k < REPETITIONS; k++) {
            const double start = now_ms();
            parallel_copy(to, from, threads);
            const double seconds = (now_ms() - start) / 1000.0;
            const double bandwidth = 2.0 * (double)array_bytes / seconds;
            if (bandwidth > best) best = bandwidth;
        }
    }
    free(from);
    free(to);
    return best;
}
