/* Short rows that are sorted by networks, a batch at a time. Private. */
#ifndef SPG_SRC_HOST_SPGEMM_SORT_BATCH_H
#define SPG_SRC_HOST_SPGEMM_SORT_BATCH_H

#include "host/spgemm/rows.h"
#include "network.h"

enum { BATCH_ROWS = 32, LEAD = 16 };

/* The most products of a row whose columns are sorted alone: there are few enough of them to look up each product's in
 * registers. In longer rows, each column is sorted with the number of its product. */
enum { SHORT_ROW = 32 };

typedef struct network_row {
    int count, n;  /* products, entries */
    int first;     /* the first of its products in the batch */
    int slot;      /* the position of its sorted keys, of a row that is not short */
    int64_t begin; /* the position of its entries in the staging buffer */
} network_row;

/* All rows of a batch go through each phase before the next one, so that work on other rows hides the latency of a
 * row's stores. Products are numbered through the batch, so that expansion does not depend on the ends of rows. */
typedef struct network_batch {
    int64_t first_row;
    int rows;
    int32_t base; /* subtracted from the columns */
    int64_t first_entry, end_entry;
    int32_t *columns; /* of each product */
    uint32_t *sorted;
    network_row row[BATCH_ROWS];
} network_batch;

/* The rows of an open batch, in the staging buffer. */
#define DECLARE_BATCH(suffix)                                                                                          \
    void spg_batch_avx512_##suffix(spg_worker *worker, network_batch *batch);                                          \
    void spg_batch_avx2_##suffix(spg_worker *worker, network_batch *batch);
DECLARE_BATCH(none)
DECLARE_BATCH(f32)
DECLARE_BATCH(f64)
DECLARE_BATCH(c32)
DECLARE_BATCH(c64)

#endif
