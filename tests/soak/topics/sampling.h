/* The parts of sampling's cases. */
#ifndef SPG_SOAK_SAMPLING_H
#define SPG_SOAK_SAMPLING_H

#include "place_under_soak.h"
#include "transcript.h"

#include "spg/sampling.h"

/* A place that draws, and what a case drew for it. */
typedef struct soak_sampler {
    soak_place p;
    const spg_csr *host; /* the weights; columns may be NULL */
    spg_csr here;
    int32_t *held_columns; /* of here, where its columns are NULL */
    spg_random random;
    uint64_t state; /* of choices, the same at each place */
    bool is_wrong;  /* no distribution: builds and draws must be refused (FORMAT) */
    soak_transcript *told;
} soak_sampler;

/* Each runs one family of calls, checks what its draws must be, and tells them. False after soak_fault. */
bool soak_sample_numbers(soak_sampler *s);
bool soak_sample_rows(soak_sampler *s);
bool soak_sample_alias(soak_sampler *s);
bool soak_sample_forest(soak_sampler *s);
bool soak_sample_topics(soak_sampler *s);
bool soak_sample_counts(soak_sampler *s);
bool soak_sample_graphs(soak_sampler *s);

/* The status of a call that reads the weights; SOAK_REFUSED also where they are wrong and it said so. */
soak_outcome soak_after_weights(soak_sampler *s, const char *call, spg_status status, const void *output, size_t bytes);

/* Room for draws at the place, full of -7, and back on the host. */
int32_t *soak_room(soak_sampler *s, int64_t count);
void soak_bring(soak_sampler *s, int32_t *here, int64_t count, int32_t *draws);

double soak_weight(const spg_csr *host, int64_t entry);

/* Which draws are looked at where each costs a walk along its row (-1: rows of the mean length): every so many. */
int64_t soak_stride(const soak_sampler *s, int64_t row, int64_t count);

/* Whether draw i is an item of its row of positive weight; the row is rows[i], or `row` where rows is NULL, or i where
 * row is -1. */
bool soak_are_items(const soak_sampler *s, const char *what, const int32_t *rows, int64_t row, int64_t count,
                    const int32_t *draws);

/* Whether draws from a row follow its weights, where there are few enough items and draws enough to tell. */
bool soak_follow_weights(const soak_sampler *s, const char *what, int64_t row, int64_t count, const int32_t *draws);

/* Whether u times the row's sum lies in the drawn item's interval, but for rounding, where columns are NULL. */
bool soak_is_interval(const soak_sampler *s, const char *what, int64_t row, int32_t draw, double u);

#endif
