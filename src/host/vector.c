/* Which vector code this processor can run. */
#include "vector.h"

spg_vector_level spg_host_vector_level(void)
{
#if SPG_HAVE_AVX512
#ifdef SPG_SIMDE
    return SPG_VECTOR_AVX512;
#else
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
        return SPG_VECTOR_AVX512;
#endif
#endif
#if SPG_HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) return SPG_VECTOR_AVX2;
#endif
    return SPG_VECTOR_NONE;
}
