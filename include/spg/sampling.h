/* Draws from discrete distributions. Each row of a CSR matrix of weights is one distribution; a matrix of one row is
 * one big distribution. Some methods work straight from the weights: partial sums make one draw from each of many
 * distributions (Steele, Tristan 2017), exponential keys draw without replacement (Efraimidis, Spirakis 2006), and
 * binomial numbers give counts of draws (Hoermann 1993). Others build something first. Alias tables are built once for
 * many draws, or for random walks (Lehmann 2020; Huebschle-Schneider, Sanders 2019). Monotone inversion, by radix tree
 * forests or cutpoints (Binder, Keller 2019), keeps the advantages of low-discrepancy points.
 *
 * Weights are float or double (SPG_F32, SPG_F64), finite, not negative, of any scale, at the context's place. An item
 * is named by its column or, if columns is NULL, by its position in the row, from 0. An item of weight zero is never
 * drawn. FORMAT: a row that is empty or all zeros (unless spg_draw_options.empty_rows), or a weight that is negative,
 * infinite or NaN; the message names the row, the item and the fault. UNSUPPORTED: a row of 2^31 items or more.
 *
 * An array that a call writes must not overlap one that it reads or another that it writes. ARGUMENT: it does; the
 * message names both, and nothing is written. spg_forest_draw alone can work in place.
 *
 * A draw depends only on the seed, the stream and the draw's number: it is the same on host and device, at any number
 * of threads, and however a sequence is split into calls.
 *
 * On a device work is queued on the context's stream. Builds, draws straight from weights, and draws with the caller's
 * rows or uniforms wait for their end, because their input may be invalid (see spg_draw_options.trusted). Random
 * numbers and all other draws from tables do not wait, except grouped draws from a table of several rows. */
#ifndef SPG_SAMPLING_H
#define SPG_SAMPLING_H

#include "spg/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options of a context ------------------------------------------------------------------------------------------
 */

/* How the calls of this header take special operands. Zeros are the defaults. */
typedef struct spg_draw_options {
    /* Not 0: a row may be empty or all zeros, as a sink of a graph is. A draw from it gives item -1, with probability 0
     * and remapped number 0. Tables that are built with it keep it, whatever context draws from them; then a row number
     * of -1 gives -1 too, as for a walk that has ended. */
    int empty_rows;
    /* Not 0: draws trust their operands: weights, rows, uniforms and corpora are valid, as an earlier call without this
     * option has found them, and the draws are the same. On a device they then do not wait, but for spg_subset_draw and
     * spg_multinomial_draw. Draws that are not grouped and use SPG_BUTTERFLY_AUTO allocate nothing and can be captured
     * in a CUDA graph. Operands that are not valid give any draws, or an access outside of arrays. Builds check as
     * always. */
    int trusted;
} spg_draw_options;

/* Sets the options of a context's later builds and draws. options may be NULL for zeros. */
SPG_API spg_status spg_context_set_draw_options(spg_context *context, const spg_draw_options *options);

/* ---- Uniform numbers ------------------------------------------------------------------------------------------- */

/* The source of uniform numbers. Draw i of a call uses number first + i of the sequence (seed, stream) of Philox
 * 4x32-10 (Salmon et al. 2011). So a call of n draws and then one of m draws with `first` increased by n give the same
 * as one call of n + m. */
typedef struct spg_random {
    uint64_t seed;   /* the same seed gives the same numbers */
    uint64_t stream; /* numbers of another stream are independent */
    uint64_t first;  /* the number that the call begins with */
} spg_random;

/* The 64 bits of number `first + i`, for i in [0, count), at the context's place: the bits that this module's draws
 * use. */
SPG_API spg_status spg_random_bits(spg_context *context, const spg_random *random, int64_t count, uint64_t *bits);

/* The same as numbers in [0, 1): the upper 24 (f32) or 53 (f64) bits. */
SPG_API spg_status spg_random_uniforms(spg_context *context, const spg_random *random, int64_t count, spg_type type,
                                       void *uniforms);

/* ---- One draw from each of many distributions ------------------------------------------------------------------- */

/* How one draw from each row is made. */
typedef enum spg_butterfly_method {
    SPG_BUTTERFLY_AUTO = 0,       /* the fastest: a row in registers, by a thread, some lanes or a warp by its length */
    SPG_BUTTERFLY_PLAIN = 1,      /* one thread per distribution: prefix sums and a binary search (Algorithm 1) */
    SPG_BUTTERFLY_TRANSPOSED = 2, /* blocks of 32 distributions, read transposed (Algorithm 4) */
    SPG_BUTTERFLY_TABLE = 3       /* butterfly-patterned partial sums (Algorithm 7) */
} spg_butterfly_method;

/* draws[i] is an item of row i: the first item at which the sum of weights in storage order exceeds u_i times the sum
 * of the row. u_i is number i of `random` as double or, if uniforms is not NULL, uniforms[i] (of the weights' type, in
 * [0, 1)). ARGUMENT: a uniform outside [0, 1); the message names it. Each method sums in double in its own fixed order.
 * So two methods may differ by rounding in which of two neighbouring items they draw; two places never differ. draws:
 * weights->rows of them. */
SPG_API spg_status spg_butterfly_draw(spg_context *context, const spg_csr *weights, spg_butterfly_method method,
                                      const spg_random *random, const void *uniforms, int32_t *draws);

/* The z-step of latent Dirichlet allocation by Gibbs sampling: word w of document m gets topic k with a probability
 * proportional to theta[m*topics + k] * phi[words[w]*topics + k]. All arrays are at the context's place. */
typedef struct spg_lda {
    int64_t documents, vocabulary; /* documents; different words */
    int64_t words_total;           /* words of all documents */
    int32_t topics;                /* number of topics */
    spg_type type;                 /* of theta and phi: SPG_F32 or SPG_F64 */
    const void *theta;             /* documents x topics, row-major */
    const void *phi;               /* vocabulary x topics, row-major */
    const int64_t *word_offsets;   /* documents + 1 */
    const int32_t *words;          /* words_total of them, in [0, vocabulary) */
} spg_lda;

/* topics[w] for every word w, from number w of `random`. AUTO accumulates the products in an order of its own, a
 * permutation that depends only on topics and type: it is the same on every place, but not monotone in the number.
 * FORMAT: a word out of range, offsets that decrease, or products of a word that are all zero, negative or not finite;
 * the message names document and word. */
SPG_API spg_status spg_lda_draw(spg_context *context, const spg_lda *lda, spg_butterfly_method method,
                                const spg_random *random, int32_t *topics);

/* ---- Draws without replacement ---------------------------------------------------------------------------------- */

/* k different items of each row, as if drawn one by one, each with a probability proportional to its weight among those
 * not yet drawn: row i of draws (rows x k, row-major), in the order of the draws. By exponential keys (Efraimidis,
 * Spirakis 2006): the item of entry e, counted over the whole matrix, uses number e of `random`. k of all items are a
 * weighted shuffle. FORMAT: a row with fewer than k items of weight above zero; with spg_draw_options.empty_rows -1
 * fills its place. UNSUPPORTED on a device: 2^31 entries or more in several rows. On a device a call waits. */
SPG_API spg_status spg_subset_draw(spg_context *context, const spg_csr *weights, int64_t k, const spg_random *random,
                                   int32_t *draws);

/* ---- Counts of draws --------------------------------------------------------------------------------------------- */

/* Multinomial counts: counts[e] is how often the item of entry e comes up in n draws from its row, with replacement;
 * they take the time of the items, whatever n is. trials: the number of draws of each row, at the place of the context
 * (n is then not read); NULL: n for each. counts: weights->nnz of them, in the order of the entries; those of a row add
 * up to its number of draws, or, for a row that is empty or all zeros with spg_draw_options.empty_rows, to 0. Row i
 * uses number random->first + i: rows may be split into calls. On a device a call waits. ARGUMENT: a negative number of
 * draws; the message names its row. */
SPG_API spg_status spg_multinomial_draw(spg_context *context, const spg_csr *weights, int64_t n, const int64_t *trials,
                                        const spg_random *random, int64_t *counts);

/* ---- Alias tables ----------------------------------------------------------------------------------------------- */

/* How tables are built. Tables of two builders may differ; each has the right distribution. */
typedef enum spg_alias_builder {
    SPG_ALIAS_AUTO = 0,    /* PSA_PLUS */
    SPG_ALIAS_SWEEP = 1,   /* one pass over light and heavy items, one thread per row */
    SPG_ALIAS_PSA = 2,     /* parallel split and pack: partition, prefix sums, p-ary split, pack */
    SPG_ALIAS_PSA_PLUS = 3 /* greedy packing in tiles first; split and pack for what the tiles leave */
} spg_alias_builder;

/* How finely a table holds the weights, and its size. */
typedef enum spg_alias_resolution {
    /* 8 bytes an item: shares in units of 2^-32 of the row's mean weight, an absolute resolution. An item of less than
     * about 2^-33 of the mean may vanish or be drawn too often by as much; an item of weight zero is never drawn.
     * Grouped draws have numbers of fewer bits: they round the shares in an entry to units of 2^-30. */
    SPG_ALIAS_COMPACT = 0,
    SPG_ALIAS_EXACT = 1 /* 16 bytes an item: thresholds as double, for weights of a wide range */
} spg_alias_resolution;

/* How split and pack finds where its parts of the lists of light and heavy items begin. */
typedef enum spg_alias_split {
    SPG_ALIAS_PARTIAL_P_ARY = 0, /* the threads of a block jointly narrow the range of all its splits */
    SPG_ALIAS_BINARY = 1         /* a separate binary search for each split */
} spg_alias_split;

/* Zeros are the defaults. */
typedef struct spg_alias_options {
    spg_alias_builder builder;       /* AUTO */
    spg_alias_resolution resolution; /* COMPACT */
    /* For PSA on a device, for a matrix of one row; the tables do not depend on these. */
    spg_alias_split split;
    int chunks; /* parts of 2048 steps that a block packs one after another, at most 1024; only the first is split; 0
                   for 1 */
} spg_alias_options;

/* Alias tables of all rows of a matrix of weights. */
typedef struct spg_alias spg_alias;

/* Builds a table for every row of weights; the weights are not kept. Destroy the table before the context, which owns
 * its memory. Other contexts of the same place and device may draw from it, several at a time (PLACE: any other
 * context); the work they queue must end before it is destroyed. options may be NULL for zeros. For a given builder and
 * resolution the bits are the same on every place and at any number of threads. UNSUPPORTED on a device also: more than
 * 2^31 - 1 rows. */
SPG_API spg_status spg_alias_build(spg_context *context, const spg_csr *weights, const spg_alias_options *options,
                                   spg_alias **alias);
/* Gives a table new weights on the pattern that it was built from: of all rows (rows NULL) or of `count` rows, whose
 * numbers ascend, at the context's place. Of `weights` only these rows are read; columns may be NULL. The rows are then
 * those of a new table with the same options, bit for bit. Only workspace is allocated. Draws that other contexts have
 * queued must have ended; on a device a call waits. Empty rows are as the table was built for. A call that is refused
 * leaves the table as it was: SHAPE for other numbers of rows, columns or entries, FORMAT for another pattern, with the
 * row, and for weights as above, ARGUMENT for rows that do not ascend or are out of range. If memory or the device
 * fails, draws from the table are refused (ARGUMENT) until all rows have been rebuilt. */
SPG_API spg_status spg_alias_rebuild(spg_context *context, spg_alias *alias, const spg_csr *weights, int64_t count,
                                     const int32_t *rows);
/* Frees the tables. NULL is allowed. */
SPG_API void spg_alias_destroy(spg_alias *alias);

/* How the table of a matrix of one row with more than 2048 items was built; for other tables all members are 0.
 * Wall-clock milliseconds of the phases; on a device 0 unless spg_config.timing. */
typedef struct spg_alias_stats {
    int64_t left;             /* items that tiles did not pair greedily: all of them, except with PSA_PLUS */
    int64_t splits;           /* splits found before packing; 0 if each block finds its own (PSA_PLUS on a device) */
    double sum_ms;            /* summing the weights; on a device also allocating the table */
    double tiles_ms;          /* light and heavy items; with PSA_PLUS also greedy pairing within tiles */
    double partition_ms;      /* prefix sums and lists of the remaining items; on the host part of tiles_ms */
    double split_ms, pack_ms; /* finding the splits; packing */
} spg_alias_stats;

/* ARGUMENT: NULL. */
SPG_API spg_status spg_alias_build_stats(const spg_alias *alias, spg_alias_stats *stats);

/* How draws read a table. */
typedef enum spg_alias_sampler {
    SPG_SAMPLER_AUTO = 0,      /* the fastest of what `grouped` allows */
    SPG_SAMPLER_BASELINE = 1,  /* each draw reads its entry of the table directly */
    SPG_SAMPLER_SECTIONED = 2, /* draws grouped by sections of the table that stay in cache */
    SPG_SAMPLER_LIMITED = 3,   /* the same, with only as many blocks at a time as the cache holds sections */
    SPG_SAMPLER_SHARED = 4     /* the same, with sections in shared memory */
} spg_alias_sampler;

/* Zeros are the defaults. */
typedef struct spg_alias_draw_options {
    spg_alias_sampler sampler; /* AUTO */
    /* 0: draws are independent of each other in the order written. 1: draws come grouped by section of the table, and
     * the count of each section is an exact binomial split. This is several times as fast for large tables. The
     * multiset of draws is right; their order has no meaning. (At most a million draws, and fewer than a tenth of the
     * items, are faster ungrouped.) All samplers except BASELINE group and give the same draws; AUTO takes the fastest
     * for the numbers of items and draws. */
    int grouped;
} spg_alias_draw_options;

/* Makes count draws from row `row` of the table, from numbers 0 .. count-1 of `random`. options may be NULL for zeros.
 * A grouped call is one sequence: it cannot be split into calls. ARGUMENT: an invalid row or sampler, a negative count,
 * NULL, or BASELINE with grouped. */
SPG_API spg_status spg_alias_draw(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                                  const spg_random *random, const spg_alias_draw_options *options, int32_t *draws);

/* draws[i] comes from row rows[i] (rows at the context's place; NULL: row i, with count at most the number of rows):
 * for example, a step of random walks. ARGUMENT: a row out of range (-1 gives -1 if the table may have empty rows). */
SPG_API spg_status spg_alias_draw_rows(spg_context *context, const spg_alias *alias, int64_t count, const int32_t *rows,
                                       const spg_random *random, int32_t *draws);

/* ---- Walks ------------------------------------------------------------------------------------------------------ */

/* The bias of walks of second order (node2vec; Grover, Leskovec 2016). Zeros are the defaults. */
typedef struct spg_walk_options {
    double p; /* return: a step back to the node before has its weight over p; in [1/1024, 1024]; 0 for 1 */
    double q; /* in-out: a step to a node that is no neighbour of the one before has its weight over q; likewise */
} spg_walk_options;

/* Random walks over a graph: the table has the weights of node v's edges in row v, and their columns name nodes. Row w
 * of walks (walkers x (steps + 1), row-major) is walk w: first starts[w] (NULL: node w, with walkers at most the number
 * of rows and 2^31), then the node after each step. A step is a draw from the row of the node; draw k of walk w has
 * number w * steps + k of `random`. With p or q, a step is also chosen by the node before, by rejection: with expected
 * attempts of at most the largest over the least of 1 / p, 1 and 1 / q. A node is a neighbour of v if row v has an
 * entry of it, also of weight zero. After a sink (spg_draw_options.empty_rows) a walk goes on as -1; starts may then be
 * -1 too. options may be NULL for zeros. On a device a call waits if there are starts, or p or q, unless the context
 * trusts. ARGUMENT: a start out of range; more columns than rows; weights without columns. FORMAT: with p or q, a row
 * whose columns do not ascend. */
SPG_API spg_status spg_alias_walk(spg_context *context, const spg_alias *alias, int64_t walkers, const int32_t *starts,
                                  int64_t steps, const spg_random *random, const spg_walk_options *options,
                                  int32_t *walks);

/* ---- Monotone inversion ----------------------------------------------------------------------------------------- */

/* What a draw searches. Both find the same item. */
typedef enum spg_forest_method {
    SPG_FOREST_AUTO = 0,     /* CUTPOINT */
    SPG_FOREST_CUTPOINT = 1, /* a guide table, then binary search (Chen, Asau 1974) */
    SPG_FOREST_RADIX = 2     /* a guide table, then a radix tree in each of its cells */
} spg_forest_method;

/* Zeros are the defaults. */
typedef struct spg_forest_options {
    spg_forest_method method; /* AUTO */
    double cells_per_item;    /* cells of the guide table, rounded up to a power of two in each row; 0 for 1 */
} spg_forest_options;

/* What spg_forest_draw searches, for all rows of a matrix of weights. */
typedef struct spg_forest spg_forest;

/* Builds a structure for every row of weights; the weights are not kept. Destroy it before the context, which owns its
 * memory. Other contexts of the same place and device may draw from it, several at a time (PLACE: any other context);
 * the work they queue must end before it is destroyed. options may be NULL for zeros. */
SPG_API spg_status spg_forest_build(spg_context *context, const spg_csr *weights, const spg_forest_options *options,
                                    spg_forest **forest);
/* Frees the structure. NULL is allowed. */
SPG_API void spg_forest_destroy(spg_forest *forest);

/* What a draw may tell beyond the item. Each member is NULL, if it is not wanted, or an array of count doubles. */
typedef struct spg_forest_details {
    double *probabilities; /* the item's share of its row */
    double *remapped;      /* the position of u_i in the item's interval, in [0, 1), for a draw on the next level of a
                              hierarchy */
} spg_forest_details;

/* draws[i] is the item of row rows[i] (NULL: row 0) whose interval of the cumulative weights contains u_i: monotone in
 * u. u_i is uniforms[i] (double, in [0, 1), at the context's place), or number i of `random` if uniforms is NULL.
 * details may be NULL. In place: draws may be the array `rows`, and details->remapped the array `uniforms`, from the
 * same address on. ARGUMENT: a row out of range, or a uniform outside [0, 1); the message names it. */
SPG_API spg_status spg_forest_draw(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                   const spg_random *random, const double *uniforms, int32_t *draws,
                                   const spg_forest_details *details);

/* Stratified draws from row `row`: u_i = (i + x_i) / count, where x_i in [0, 1) is number i of `random`. So each of
 * count equal parts of [0, 1) holds one u_i, and draws ascend by item. The number of draws of an item of share p
 * differs from p * count by less than two. Stratified draws cost a fraction of independent ones. A call is one
 * sequence: it cannot be split into calls. Otherwise as spg_forest_draw. */
SPG_API spg_status spg_forest_draw_stratified(spg_context *context, const spg_forest *forest, int64_t row,
                                              int64_t count, const spg_random *random, int32_t *draws,
                                              const spg_forest_details *details);

/* Memory reads of a draw, for the paper's Table 1: for each u_i, the nodes or bounds visited besides the guide table.
 * loads: count of them. Arguments and errors as for spg_forest_draw, except that uniforms must not be NULL. */
SPG_API spg_status spg_forest_loads(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                    const double *uniforms, int32_t *loads);

#ifdef __cplusplus
}
#endif

#endif
