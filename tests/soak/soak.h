/* The soak: random use of the whole public interface, compared with CXSparse, with other ways to the same result, and
 * of the host with a device.
 *
 * A case is drawn from (seed, family, number) alone, so that any one can be repeated alone. Cases run in a process of
 * their own (supervise.c), so that a crash, a hang or a device that is lost is a fault like others. */
#ifndef SPG_SOAK_H
#define SPG_SOAK_H

#include "spg/spg.h"

#include <stdbool.h>
#include <stdio.h>

enum { SOAK_MATRICES = 3, SOAK_DIMENSIONS = 4 };

/* ---- A case ---------------------------------------------------------------------------------------------------- */

typedef enum soak_numbers {
    SOAK_WHOLE,  /* small whole numbers: products are exact in every type */
    SOAK_REAL,   /* uniform in [-1, 1) */
    SOAK_SPECIAL /* with infinities, NaNs, denormals and zeros of either sign among them */
} soak_numbers;

typedef enum soak_damage_kind {
    SOAK_SOUND,
    SOAK_COLUMN_HIGH,
    SOAK_COLUMN_NEGATIVE,
    SOAK_ROW_OUTSIDE, /* all columns of a row */
    SOAK_OFFSETS_FALL,
    SOAK_OFFSET_HIGH,
    SOAK_OFFSET_NEGATIVE,
    SOAK_FIRST_OFFSET,
    SOAK_LAST_OFFSET,
    SOAK_DAMAGES
} soak_damage_kind;

/* What makes an operand malformed before it is given to a call that must refuse it. */
typedef struct soak_damage {
    soak_damage_kind kind;
    int matrix;   /* which one of the case */
    double where; /* the row or entry, as a share of all */
} soak_damage;

typedef struct soak_settings {
    spg_type value_type;
    soak_numbers numbers;
    int threads;
    spg_row_limits row_limits;
    int64_t workspace_limit, keep_bytes;
    bool timing;
    bool by_setters;       /* limits come by spg_context_set_..., not by the configuration */
    bool caller_allocates; /* by the allocator of fault.h, which poisons and guards */
    int64_t fail_at;       /* the allocation of a first try that is refused; 0: none */
    soak_damage damage;
    uint64_t seed; /* of what a family draws besides */
} soak_settings;

typedef struct soak_case {
    int family;
    uint64_t seed;
    int64_t number;
    soak_settings settings;
    int count;
    const char *names[SOAK_MATRICES];
    spg_csr matrices[SOAK_MATRICES];                    /* on the host, arrays by malloc */
    int rows_of[SOAK_MATRICES], cols_of[SOAK_MATRICES]; /* which dimension each side is */
    bool whole[SOAK_MATRICES];                          /* entries are not dropped one by one (symmetric, say) */
    int64_t dimensions[SOAK_DIMENSIONS];
} soak_case;

/* Where a case runs. Two of these, of which the results are compared: both places, or the host with as many threads as
 * the case says and with one. */
typedef struct soak_where {
    spg_place place;
    int threads;      /* 0: as many as the case says */
    const char *name; /* for messages */
} soak_where;

typedef struct soak_run {
    int count;
    soak_where at[2];
} soak_run;

/* ---- Families --------------------------------------------------------------------------------------------------- */

typedef struct soak_family {
    const char *name;
    /* Draws the matrices; settings are drawn already and may be changed. */
    void (*draw)(uint64_t *state, soak_case *c);
    /* False after soak_fault. */
    bool (*check)(const soak_case *c, const soak_run *run);
} soak_family;

extern const soak_family soak_families[];
extern const int soak_family_count;

void soak_draw_products(uint64_t *state, soak_case *c);
bool soak_check_products(const soak_case *c, const soak_run *run);
bool soak_check_plans(const soak_case *c, const soak_run *run);
void soak_draw_galerkin(uint64_t *state, soak_case *c);
bool soak_check_galerkin(const soak_case *c, const soak_run *run);
void soak_draw_multigrid(uint64_t *state, soak_case *c);
bool soak_check_multigrid(const soak_case *c, const soak_run *run);
void soak_draw_sampling(uint64_t *state, soak_case *c);
bool soak_check_sampling(const soak_case *c, const soak_run *run);
void soak_draw_containers(uint64_t *state, soak_case *c);
bool soak_check_containers(const soak_case *c, const soak_run *run);
bool soak_check_krylov(const soak_case *c, const soak_run *run);
bool soak_check_complex(const soak_case *c, const soak_run *run);

/* Case `number` of the family: the same for the same arguments. */
void soak_draw_case(int family, uint64_t seed, int64_t number, soak_case *c);
void soak_case_free(soak_case *c);

/* ---- Faults and counts (shared.c) ---------------------------------------------------------------------------------
 */

/* Records what is wrong; the first one of a case stays. Returns false. */
bool soak_fault(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Counts a case that has this trait (traits.h). */
void soak_count(int trait);

#endif
