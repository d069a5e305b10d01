/* Stands between the library and CUDA: a program that links this leads the library's calls here, by the options of
 * CMakeLists.txt beside it (--wrap). While calls are watched, one of them may be refused, and it is noted whether
 * their work is in the order of one stream. */
#ifndef SPG_TESTS_CUDA_CUDA_CALLS_H
#define SPG_TESTS_CUDA_CUDA_CALLS_H

#include <stdint.h>

/* From now on calls are watched, and the k-th of them fails without having been made; k = 0: none does. The stream is
 * the caller's: what is queued on others is to begin after what lies on it, and it is to wait for that. */
void cuda_calls_watch(int64_t k, void *stream);

/* No longer. Returns how many calls there were; those that find out what a device is like do not count. */
int64_t cuda_calls_end(void);

/* Which call was refused; NULL: none was. */
const char *cuda_calls_refused(void);

/* What is not in the order of the caller's stream; NULL: all is. And how often memory was asked for. */
const char *cuda_calls_astray(void);
int64_t cuda_calls_allocations(void);

/* What has been queued since the last wait for a stream. */
int64_t cuda_calls_queued(void);

#endif
