/* Loops over blocks of vectors, compiled for each width, and again for wide registers, which is chosen at run time.
 * Private. AVX2 alone, as for spg_csr_spmm: no product is fused with a sum, so bits do not depend on the processor. */
#ifndef SPG_SRC_HOST_AMG_MANY_WIDTHS_H
#define SPG_SRC_HOST_AMG_MANY_WIDTHS_H

#include "amg/many_backend.h"
#include "host/vector.h"
#include "host/work.h"

#ifdef __GNUC__
#define ALWAYS_INLINE __attribute__((always_inline))
#else
#define ALWAYS_INLINE
#endif
#if SPG_HAVE_AVX2
#define WIDE SPG_AVX2
#else
#define WIDE
#endif

/* Packs: see packs.inc.h. CHOOSE: packs `yes` where `where` is not 0, else `no`. */
typedef int32_t bits_f32;
typedef int64_t bits_f64;
#ifdef __GNUC__
enum { PACK = 4 };
#define CHOOSE(where, yes, no)                                                                                         \
    (NAMED(pack))((((where) != 0) & (NAMED(mask))(yes)) | (((where) == 0) & (NAMED(mask))(no)))
#define IN_DOUBLES(pack) __builtin_convertvector(pack, pack_f64)
#else
enum { PACK = 1 };
#define CHOOSE(where, yes, no) ((where) != 0 ? (yes) : (no))
#define IN_DOUBLES(pack) (double)(pack)
#endif
enum { MOST_PACKS = SPG_AMG_MOST_WIDTH / PACK };

/* Defines `function`, an spg_work for jobs with a member `width`: body(job, range, width) with a constant width. */
#define FOR_WIDTHS(target, job_type, function, body)                                                                   \
    target static void function(const void *data, spg_range range)                                                     \
    {                                                                                                                  \
        const job_type *job = data;                                                                                    \
        switch (job->width) {                                                                                          \
        case 4: body(job, range, 4); break;                                                                            \
        case 8: body(job, range, 8); break;                                                                            \
        default: body(job, range, 16); break;                                                                          \
        }                                                                                                              \
    }

/* Whether this processor has the wide registers. */
static inline bool has_wide_registers(void) { return SPG_HAVE_AVX2 && spg_host_vector_level() >= SPG_VECTOR_AVX2; }

#endif
