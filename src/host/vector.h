/* AVX-512 and AVX2 code next to portable code, chosen at run time. Private.
 *
 * The choice is made in functions that are compiled for every processor: a compiler may use the instructions of a
 * function's target anywhere in it, from its first instruction on. So an external function has a target only if its
 * name has _avx512 or _avx2 in it, and it is called after a test (tests/build/vector_functions.sh). */
#ifndef SPG_SRC_HOST_VECTOR_H
#define SPG_SRC_HOST_VECTOR_H

/* 0: such code is not built. SPG_SIMDE: for tests, the AVX-512 kernels in plain C, on any processor. */
#ifndef SPG_HAVE_AVX512
#if defined(SPG_SIMDE) || (defined(__x86_64__) && defined(__GNUC__))
#define SPG_HAVE_AVX512 1
#else
#define SPG_HAVE_AVX512 0
#endif
#endif
#ifndef SPG_HAVE_AVX2
#if !defined(SPG_SIMDE) && defined(__x86_64__) && defined(__GNUC__)
#define SPG_HAVE_AVX2 1
#else
#define SPG_HAVE_AVX2 0
#endif
#endif

#ifdef SPG_SIMDE
#define SPG_AVX512
#else
#define SPG_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi,bmi2,popcnt")))
#endif
#define SPG_AVX2 __attribute__((target("avx2")))

/* What this processor and this build offer; each includes those before it. */
typedef enum spg_vector_level { SPG_VECTOR_NONE, SPG_VECTOR_AVX2, SPG_VECTOR_AVX512 } spg_vector_level;

spg_vector_level spg_host_vector_level(void);

#endif
