/* What calls gave at a place, in their order, to be compared with what they gave at another. */
#ifndef SPG_SOAK_TRANSCRIPT_H
#define SPG_SOAK_TRANSCRIPT_H

#include "soak.h"

enum { SOAK_MOST_TOLD = 256 };

typedef struct soak_told {
    char name[48];
    spg_type type;    /* of values, of which a NaN equals any NaN; SPG_I32 for plain bytes */
    double tolerance; /* values may differ by so much of the largest of them; 0: bit for bit; infinite: not compared */
    size_t bytes;
    void *data; /* NULL: the call was refused for want of memory, and is not compared */
} soak_told;

typedef struct soak_transcript {
    int count;
    soak_told told[SOAK_MOST_TOLD];
} soak_transcript;

/* Copies them. */
void soak_tell(soak_transcript *t, const char *name, const void *data, size_t bytes);
void soak_tell_values(soak_transcript *t, const char *name, spg_type type, int64_t count, const void *values,
                      double tolerance);
void soak_tell_matrix(soak_transcript *t, const char *name, const spg_csr *host, double tolerance);

/* In place of what a refused call would have told, so that both places tell as many. */
void soak_tell_nothing(soak_transcript *t, const char *name);

/* False after soak_fault. */
bool soak_is_same_told(const soak_transcript *actual, const soak_transcript *expected);

void soak_forget(soak_transcript *t);

#endif
