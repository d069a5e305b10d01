/* AVX-512 code next to portable code, chosen at run time. Private. */
#ifndef SPG_SRC_HOST_VECTOR_H
#define SPG_SRC_HOST_VECTOR_H

#include <stdbool.h>

/* 0: only portable code is built. SPG_SIMDE: for tests, these kernels in plain C, on any processor. */
#ifndef SPG_HAVE_AVX512
#if defined(SPG_SIMDE) || (defined(__x86_64__) && defined(__GNUC__))
#define SPG_HAVE_AVX512 1
#else
#define SPG_HAVE_AVX512 0
#endif
#endif

#if defined(SPG_SIMDE) && SPG_HAVE_AVX512
#define SPG_AVX512
static inline bool spg_vector_is_available(void) { return true; }
#elif SPG_HAVE_AVX512
#define SPG_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi,bmi2,popcnt")))

static inline bool spg_vector_is_available(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}
#else
static inline bool spg_vector_is_available(void) { return false; }
#endif

#endif
