/* A corpus of the shape that Steele and Tristan measured, generated: Zipf words, ids scattered. */
#ifndef SPG_BENCH_SAMPLING_LDA_H
#define SPG_BENCH_SAMPLING_LDA_H

#include "sampling_modes.h"

typedef struct corpus {
    spg_lda host, here; /* its parameters hold most_topics topics; with fewer, rows begin at multiples of fewer */
    int32_t most_topics;
    int32_t *topics, *fetched; /* results: at the place; on the host */
} corpus;

/* documents: 0 for the paper's 43556 documents of 3072662 words, 37286 of them different, the longest of 307 words;
 * otherwise as many words a document. */
spg_status corpus_make(sampling_bench *bench, int64_t documents, int32_t most_topics, spg_type type, corpus *made);
void corpus_drop(sampling_bench *bench, corpus *made);

#endif
