/* Draws from discrete distributions: a row of a CSR matrix of weights is one distribution, and a matrix of one row one
 * big distribution. Three families: one draw from each of many distributions, straight from the weights (butterfly
 * partial sums: Steele, Tristan 2015); alias tables, built once for many draws (Lehmann 2021; Huebschle-Schneider,
 * Sanders 2019); and monotone inversion by radix tree forests or cutpoints (Binder, Keller 2019), which keeps what is
 * good about low-discrepancy points.
 *
 * Weights are float or double (SPG_F32, SPG_F64), finite, not negative, in any scale, and lie at the context's place.
 * An item is named by its column; where columns is NULL, by its place in the row, from 0. An item of weight zero is
 * never drawn. A row that is empty or holds nothing but zeros, and a weight that is negative, infinite or NaN, are
 * refused (FORMAT) with the row, the item and the kind in the message, a row of 2^31 items or more as UNSUPPORTED.
 *
 * Draws depend on seed, stream and the draw's number alone: the same on host and device, at any number of threads, and
 * however a sequence is split into calls.
 *
 * On a device work is queued on the context's stream. Builds, draws straight from weights, and those by rows or
 * uniforms of the caller's wait for it, since what they read may be at fault; numbers and other draws from tables do
 * not, but for grouped ones from a table of several rows. */
#ifndef SPG_SAMPLING_H
#define SPG_SAMPLING_H

#include "spg/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Uniform numbers ------------------------------------------------------------------------------------------- */

/* Where uniform numbers come from. Draw i of a call is number first + i of the sequence (seed, stream) of Philox
 * 4x32-10 (Salmon et al. 2011): calls of n and m draws give what one call of n + m gives, if the second has first n
 * greater. */
typedef struct spg_random {
    uint64_t seed, stream, first;
} spg_random;

/* The 64 bits of number `first + i`, for i in [0, count), at the context's place: what the draws of this module take.
 */
SPG_API spg_status spg_random_bits(spg_context *context, const spg_random *random, int64_t count, uint64_t *bits);
/* The same as numbers of [0, 1): the upper 24 (f32) or 53 (f64) bits. */
SPG_API spg_status spg_random_uniforms(spg_context *context, const spg_random *random, int64_t count, spg_type type,
                                       void *uniforms);

/* ---- One draw from each of many distributions ------------------------------------------------------------------- */

/* How one draw from each row is made. */
typedef enum spg_butterfly_method {
    SPG_BUTTERFLY_AUTO = 0,       /* the fastest: rows by length, to a thread, some lanes or a warp, in registers */
    SPG_BUTTERFLY_PLAIN = 1,      /* a thread a distribution, prefix sums and a binary search (Algorithm 1) */
    SPG_BUTTERFLY_TRANSPOSED = 2, /* blocks of 32 distributions, read transposed (Algorithm 4) */
    SPG_BUTTERFLY_TABLE = 3       /* butterfly-patterned partial sums (Algorithm 7) */
} spg_butterfly_method;

/* draws[i] = an item of row i: the first whose weights, summed in storage order up to and with it, pass u_i times the
 * row's sum. u_i is number i of `random` as double, or uniforms[i] (of the weights' type, in [0, 1)) where uniforms is
 * not NULL. ARGUMENT: a uniform out of [0, 1), naming it.
 * Sums are those of the method's fixed order in double, so that neighbouring items may change places in the last bits
 * between methods, never between places. draws: weights->rows of them. */
SPG_API spg_status spg_butterfly_draw(spg_context *context, const spg_csr *weights, spg_butterfly_method method,
                                      const spg_random *random, const void *uniforms, int32_t *draws);

/* The z-step of latent Dirichlet allocation by Gibbs sampling: word w of document m is of topic k with a probability
 * proportional to theta[m*topics + k] * phi[words[w]*topics + k]. All arrays at the context's place. */
typedef struct spg_lda {
    int64_t documents, vocabulary, words_total;
    int32_t topics;
    spg_type type;               /* of theta and phi: SPG_F32 or SPG_F64 */
    const void *theta;           /* documents x topics, row-major */
    const void *phi;             /* vocabulary x topics, row-major */
    const int64_t *word_offsets; /* documents + 1 */
    const int32_t *words;        /* words_total of them, in [0, vocabulary) */
} spg_lda;

/* topics[w] for every word; number w of `random`. AUTO cumulates the products in an order of its own, a permutation by
 * topics and type alone: the same on every place, but not monotone in the number. FORMAT: a word out of range or
 * offsets that do not ascend, or products of a word that are all zero, negative or not finite, naming document and
 * word. */
SPG_API spg_status spg_lda_draw(spg_context *context, const spg_lda *lda, spg_butterfly_method method,
                                const spg_random *random, int32_t *topics);

/* ---- Alias tables ----------------------------------------------------------------------------------------------- */

typedef enum spg_alias_builder {
    SPG_ALIAS_AUTO = 0,
    SPG_ALIAS_SWEEP = 1,   /* one pass over light and heavy items, each row by one thread */
    SPG_ALIAS_PSA = 2,     /* parallel split and pack: partition, prefix sums, p-ary split, pack */
    SPG_ALIAS_PSA_PLUS = 3 /* greedy packing in tiles first, what they leave by split and pack */
} spg_alias_builder;

typedef enum spg_alias_resolution {
    /* 8 bytes an item: shares in units of 2^-32 of a row's mean weight, an absolute resolution: an item of less than
     * about 2^-33 of the mean may vanish or be drawn too often by as much, but one of weight zero is never drawn. */
    SPG_ALIAS_COMPACT = 0,
    SPG_ALIAS_EXACT = 1 /* 16 bytes an item: thresholds as double, for weights of a wide range */
} spg_alias_resolution;

/* How split and pack find where parts of the lists of light and heavy items begin. */
typedef enum spg_alias_split {
    SPG_ALIAS_PARTIAL_P_ARY = 0, /* the threads of a block narrow the range of all its splits together */
    SPG_ALIAS_BINARY = 1         /* each split by a binary search of its own */
} spg_alias_split;

typedef struct spg_alias_options {
    spg_alias_builder builder;
    spg_alias_resolution resolution;
    /* Of PSA on a device, for the one row of a matrix; tables are the same whatever they say. */
    spg_alias_split split;
    int chunks; /* parts of 2048 steps that a block packs in turn, at most 1024; only the first is split; 0 for 1 */
} spg_alias_options;

typedef struct spg_alias spg_alias;

/* A table for every row of weights, which is not kept. Destroy it before the context, whose memory it is; contexts of
 * the same place and device may draw from it, several at a time (PLACE: of another), and what they have queued must
 * have ended before it is destroyed. options may be NULL for zeros. The same bits on every place and at any number of
 * threads for a builder and resolution. UNSUPPORTED on a device also: more than 2^31 - 1 rows. */
SPG_API spg_status spg_alias_build(spg_context *context, const spg_csr *weights, const spg_alias_options *options,
                                   spg_alias **alias);
SPG_API void spg_alias_destroy(spg_alias *alias);

/* How the table of one row, of more than 2048 items, was built; of other tables all is 0. Wall-clock milliseconds of
 * the phases; on a device 0 unless spg_config.timing. */
typedef struct spg_alias_stats {
    int64_t left;        /* items that tiles did not pair greedily: all but for PSA_PLUS */
    int64_t splits;      /* found before packing; 0 where each block finds its own (PSA_PLUS on a device) */
    double sum_ms;       /* the sum of the weights; on a device also memory for the table */
    double tiles_ms;     /* light and heavy items, paired greedily within tiles if so built */
    double partition_ms; /* prefix sums and lists of those left; on the host part of tiles_ms */
    double split_ms, pack_ms;
} spg_alias_stats;

/* ARGUMENT: NULL. */
SPG_API spg_status spg_alias_build_stats(const spg_alias *alias, spg_alias_stats *stats);

typedef enum spg_alias_sampler {
    SPG_SAMPLER_AUTO = 0,
    SPG_SAMPLER_BASELINE = 1,  /* each draw reads the table where it falls */
    SPG_SAMPLER_SECTIONED = 2, /* draws grouped by sections of the table that stay in cache */
    SPG_SAMPLER_LIMITED = 3,   /* the same, with as few blocks at a time as the cache holds sections */
    SPG_SAMPLER_SHARED = 4     /* the same, with sections in shared memory */
} spg_alias_sampler;

typedef struct spg_alias_draw_options {
    spg_alias_sampler sampler;
    /* 0: draws are independent of each other in the order written. 1: they come grouped by section of the table, counts
     * of sections being exact binomial splits, which is several times as fast for large tables: the multiset of draws
     * is right, their order means nothing. (A million draws and fewer, and fewer than a tenth of the items, are faster
     * ungrouped.) The samplers but BASELINE group, and give the same draws: AUTO takes what is fastest by the numbers
     * of items and draws. */
    int grouped;
} spg_alias_draw_options;

/* count draws from row `row` of the table, numbers 0 .. count-1 of `random`. options may be NULL for zeros. A grouped
 * call is one sequence: it can't be split into calls. ARGUMENT: a row or sampler that there is not, a negative count,
 * NULL, or BASELINE asked to group. */
SPG_API spg_status spg_alias_draw(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                                  const spg_random *random, const spg_alias_draw_options *options, int32_t *draws);

/* draws[i] from row rows[i] (at the context's place; NULL: row i, and count is at most the rows): a step of random
 * walks, for one. ARGUMENT: a row out of range. */
SPG_API spg_status spg_alias_draw_rows(spg_context *context, const spg_alias *alias, int64_t count, const int32_t *rows,
                                       const spg_random *random, int32_t *draws);

/* ---- Monotone inversion ----------------------------------------------------------------------------------------- */

typedef enum spg_forest_method {
    SPG_FOREST_AUTO = 0,
    SPG_FOREST_CUTPOINT = 1, /* a guide table, then binary search (Chen, Asau 1974) */
    SPG_FOREST_RADIX = 2     /* a guide table, then a radix tree in each of its cells */
} spg_forest_method;

typedef struct spg_forest_options {
    spg_forest_method method;
    double cells_per_item; /* of the guide table, rounded up to a power of two in each row; 0 for 1 */
} spg_forest_options;

typedef struct spg_forest spg_forest;

/* A structure for every row of weights, which is not kept. Destroy it before the context, whose memory it is; contexts
 * of the same place and device may draw from it, several at a time (PLACE: of another), and what they have queued must
 * have ended before it is destroyed. options may be NULL for zeros. */
SPG_API spg_status spg_forest_build(spg_context *context, const spg_csr *weights, const spg_forest_options *options,
                                    spg_forest **forest);
SPG_API void spg_forest_destroy(spg_forest *forest);

/* draws[i] = the item of row rows[i] (NULL: of row 0) whose interval of the cumulated weights holds u_i: monotone in u.
 * u_i is uniforms[i] (double, in [0, 1), at the context's place), or number i of `random` where uniforms is NULL.
 * probabilities (NULL or count doubles): the item's share of its row; remapped (NULL or count doubles): where in the
 * item's interval u_i lies, in [0, 1), to draw with on the next level of a hierarchy. ARGUMENT: a row out of range, a
 * uniform out of [0, 1), naming it. */
SPG_API spg_status spg_forest_draw(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                   const spg_random *random, const double *uniforms, int32_t *draws,
                                   double *probabilities, double *remapped);

/* Stratified draws from row `row`: u_i = (i + x_i) / count, where x_i in [0, 1) is number i of `random`, so that one
 * number lies in each of count equal parts of [0, 1), and draws ascend by item. An item of share p is drawn less than
 * two times more or less often than p * count. They cost a fraction of independent draws. A call is one sequence: it
 * can't be split into calls. The rest as above. */
SPG_API spg_status spg_forest_draw_stratified(spg_context *context, const spg_forest *forest, int64_t row,
                                              int64_t count, const spg_random *random, int32_t *draws,
                                              double *probabilities, double *remapped);

/* Memory reads of a draw, for the paper's Table 1: nodes or bounds visited for each u_i beside the guide table. loads:
 * count of them. Arguments and errors as of spg_forest_draw, but that uniforms must not be NULL. */
SPG_API spg_status spg_forest_loads(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                    const double *uniforms, int32_t *loads);

#ifdef __cplusplus
}
#endif

#endif
