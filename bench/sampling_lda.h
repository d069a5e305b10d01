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

/* Measures one method for `topics` topics: prints a line and writes a record. *ms: its median, 0 if wrong. */
spg_status measure_z_step(sampling_bench *bench, const corpus *of, int32_t topics, spg_butterfly_method method,
                          const char *paper, double *ms);

/* Reading the rows that it must, on a device; 0 on the host. */
spg_status measure_reads(sampling_bench *bench, const corpus *of, int32_t topics, const char *paper, double *ms);

/* Reading a row of phi for each word, theta once and the words, and writing topics, at the copy bandwidth. */
double z_step_limit_ms(const sampling_bench *bench, const corpus *of, int32_t topics);

#endif
