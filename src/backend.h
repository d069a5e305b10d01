/* The backend interface: one function per stage, for each backend (the host, a GPU). Private.
 *
 * Arguments are already checked (argument.h): types known, shapes matching, arrays at the backend's place. Results are
 * already zeroed. On failure a function frees what it allocated, leaves its result zeroed and sets a message by
 * spg_context_fail. */
#ifndef SPG_SRC_BACKEND_H
#define SPG_SRC_BACKEND_H

#include "context.h"

/* A product in progress: what the stages of spgemm.c pass to each other. */
typedef struct spg_product {
    spg_context *context;
    const spg_csr *A, *B;
    spg_csr *C;        /* shape and types are set; the stages allocate the arrays */
    bool pattern_only; /* for a plan: C's values are not computed */
    /* symmetric: C's pattern is symmetric, its entries below the diagonal must equal those above it, and B's rows
     * ascend, since B is a product. is_mirrored: product_assemble has copied them; else all were computed. */
    bool symmetric, is_mirrored;
    spg_row_limits limits; /* resolved */
    spgemm_stats stats;
    void *state; /* private to the backend, from product_begin to product_end */
} spg_product;

/* The positions of the mirror images of a matrix's entries below the diagonal: images[k], begins[i] <= k < begins[i +
 * 1], for row i in storage order. Arrays at the place. */
typedef struct spg_images {
    int64_t rows, count; /* count 0: nothing is stored */
    uint32_t *begins, *images;
} spg_images;

typedef struct spg_backend {
    spg_place place;
    spg_row_limits default_limits;
    /* The backend's own part of a context, context->backend_state; NULL if it has none. */
    spg_status (*open)(spg_context *context);
    void (*close)(spg_context *context);
    void (*describe)(const spg_context *context, char *text, size_t size);

    /* Memory at the place, for contexts without a caller's allocator; NULL on the host, see memory.c. */
    void *(*allocate)(spg_context *context, int64_t bytes);
    void (*release)(spg_context *context, void *memory, int64_t bytes);

    /* Copies to or from the backend's place, and waits: on a device from and to the host, on the host from a device. */
    spg_status (*copy_bytes)(spg_context *context, void *to, spg_place to_place, const void *from, spg_place from_place,
                             int64_t bytes);
    spg_status (*zero_bytes)(spg_context *context, void *memory, int64_t bytes);

    /* Whether the context's stream is being captured: then nothing may be allocated, recorded or replayed. NULL on the
     * host. */
    bool (*is_captured)(const spg_context *context);

    /* Work on a side stream. After begin_side_stream, calls between use_side_stream(.., true) and use_side_stream(..,
     * false) are queued on the side stream, after all that was queued before; they may overlap with the other calls.
     * Calls after end_side_stream follow both. Memory allocated on one of the two may be released on the other only
     * after end_side_stream. Fails as a device does. *is_forked false, as on the host: everything runs in call order,
     * and the other three are not needed. when_waiting: work(user) is called once, on the side stream, when a call on
     * the other stream is about to wait for the device, or at the next use_side_stream(.., true) or end_side_stream. It
     * does not change the context's message if it succeeds. */
    spg_status (*begin_side_stream)(spg_context *context, bool *is_forked);
    void (*use_side_stream)(spg_context *context, bool beside);
    void (*when_waiting)(spg_context *context, void (*work)(void *user), void *user);
    spg_status (*end_side_stream)(spg_context *context); /* also after a failure */

    spg_status (*csr_check)(spg_context *context, const spg_csr *matrix);
    spg_status (*csr_sort)(spg_context *context, spg_csr *matrix);
    /* map: NULL, or receives, for each entry of the transpose, the index of the matrix entry. */
    spg_status (*csr_transpose)(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose);
    /* The same in two calls, so that other work can be queued while a device counts. checks: one of the calls checks
     * the matrix as csr_check does. *pending: passed to the end, which must be called if the beginning succeeded. */
    spg_status (*csr_transpose_begin)(spg_context *context, const spg_csr *matrix, bool checks, int64_t *map,
                                      spg_csr *transpose, void **pending);
    spg_status (*csr_transpose_end)(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose,
                                    void *pending);
    /* alpha NULL: 1; beta NULL: 0, and y is not read. Both point to the host. */
    spg_status (*csr_spmv)(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                           const void *beta, void *y);
    /* The result's offset_type is set by the caller. */
    spg_status (*csr_from_coo)(spg_context *context, const spg_coo *source, spg_csr *matrix);
    spg_status (*coo_check)(spg_context *context, const spg_coo *matrix);
    spg_status (*coo_sort)(spg_context *context, spg_coo *matrix);
    spg_status (*coo_spmv)(spg_context *context, const void *alpha, const spg_coo *matrix, const void *x,
                           const void *beta, void *y);
    spg_status (*coo_from_csr)(spg_context *context, const spg_csr *source, spg_coo *matrix);

    /* The full analysis of spgemm_analyse. */
    spg_status (*product_analysis)(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C,
                                   const spg_row_limits *limits, int64_t *row_products, spgemm_analysis *analysis);

    /* The stages of a product, in this order. */
    spg_status (*product_begin)(spg_product *product);    /* analysis: split the work into slices, make room for C */
    spg_status (*product_multiply)(spg_product *product); /* expand, sort, contract: rows by class */
    spg_status (*product_assemble)(spg_product *product); /* scan the offsets, place the rows; C has its exact size */
    void (*product_end)(spg_product *product);            /* frees the state; also after a failure */

    /* A plan's numeric phase, after a product of the patterns only (plan.c). C's shape is the plan's. */
    spg_status (*plan_create)(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan *plan);
    spg_status (*plan_allocate_result)(spgemm_plan *plan, spg_csr *C);      /* and writes the pattern */
    spg_status (*plan_compare_result)(spgemm_plan *plan, const spg_csr *C); /* SHAPE if C has another pattern */
    spg_status (*plan_check)(spgemm_plan *plan, const spg_csr *A, const spg_csr *B); /* the same for the operands */
    spg_status (*plan_run)(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C);
    void (*plan_destroy)(spgemm_plan *plan);

    const struct spg_operations_backend *operations; /* operations/operations_backend.h */
    const struct spg_amg_backend *amg;               /* amg/amg_backend.h */
    const struct spg_sampling_backend *sampling;     /* sampling/sampling_backend.h */
} spg_backend;

/* The backend of a place, or NULL if this build has none or the machine lacks the place. */
const spg_backend *spg_find_backend(spg_place place);

const spg_backend *spg_host_backend(void);

#ifdef SPG_WITH_CUDA
const spg_backend *spg_cuda_backend(void); /* NULL if there is no GPU */
const char *spg_cuda_absence(void);        /* why there is none, as text for users */

/* Where an address lies, whoever allocated it. Asks a driver only if it is already loaded. */
typedef struct spg_location {
    spg_place place;
    int device; /* its ordinal; -1: on the host, or in memory that every device can access */
} spg_location;
spg_location spg_cuda_locate(const spg_context *context, const void *memory);

/* Copies to the host from the device that holds the bytes, for a context on the host. Waits for all work queued on that
 * device before. */
spg_status spg_cuda_copy_to_host(spg_context *context, void *to, const void *from, int64_t bytes);
#endif

#endif
