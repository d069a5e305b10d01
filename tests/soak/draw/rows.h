/* Matrices by what their rows are like. */
#ifndef SPG_SOAK_ROWS_H
#define SPG_SOAK_ROWS_H

#include "soak.h"

/* In the order of the traits. */
typedef enum soak_rows {
    SOAK_EVEN,         /* uniform lengths around a mean */
    SOAK_SHORT,        /* up to 4 entries */
    SOAK_HUBS,         /* short ones, and some of up to all columns */
    SOAK_POWER,        /* floor(scale * Pareto(alpha)) entries */
    SOAK_ALIKE,        /* rows of a group have the same columns */
    SOAK_SHIFTED,      /* each row has those of the row before, shifted */
    SOAK_BANDED,       /* around the diagonal */
    SOAK_DENSE,        /* all columns */
    SOAK_MOSTLY_EMPTY, /* 95 percent empty, the others with an entry or a few */
    SOAK_EMPTY,        /* all empty */
    SOAK_ROW_KINDS
} soak_rows;

typedef enum soak_order { SOAK_SORTED, SOAK_MIXED, SOAK_UNSORTED } soak_order;

typedef struct soak_pattern {
    soak_rows rows;
    double mean, alpha, scale;
    bool from_zero; /* Pareto's distribution begins at 0, not at 1 */
    int64_t group;  /* rows alike; entries either side of the diagonal */
    int64_t stride; /* by which rows are shifted */
    bool skewed;    /* low columns are named more often */
    bool widest;    /* columns are spread over all that 32 bits hold, whatever `cols` says */
    soak_order order;
    bool repeated; /* some columns are repeated */
} soak_pattern;

/* A pattern at random, of this kind. */
soak_pattern soak_draw_pattern(uint64_t *state, soak_rows kind);
soak_rows soak_draw_row_kind(uint64_t *state);

/* rows x cols with at most about `most` entries, arrays by malloc; counts its traits. */
void soak_draw_matrix(uint64_t *state, const soak_pattern *pattern, int64_t rows, int64_t cols, int64_t most,
                      const soak_settings *settings, spg_csr *matrix);

/* New numbers for the same pattern. */
void soak_draw_numbers(uint64_t seed, soak_numbers numbers, spg_type type, int64_t count, void *values);

/* A size: 0, 1, a few, hundreds, thousands, 10^5 and more. */
int64_t soak_draw_size(uint64_t *state);
int64_t soak_draw_size_to(uint64_t *state, int64_t most);

#endif
