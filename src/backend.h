/* The seam: what a backend (the host, a GPU) must be able to do, one stage-sized function a field. Private.
 *
 * The functions are called with checked arguments (argument.h): types known, shapes fitting, arrays at the backend's
 * place. Results have been zeroed. On failure a function frees what it took, leaves its result zeroed and has left a
 * message by spg_context_fail. */
#ifndef SPG_SRC_BACKEND_H
#define SPG_SRC_BACKEND_H

#include "context.h"

/* A product under way: what the stages of spgemm.c hand to each other. */
typedef struct spg_product {
    spg_context *context;
    const spg_csr *A, *B;
    spg_csr *C;        /* shape and types set; arrays come from the stages */
    bool pattern_only; /* for a plan: C's values are not computed */
    /* C's pattern is symmetric, its entries below the diagonal are to be those above it, and B's rows ascend, for B is
     * a product; is_mirrored: product_assemble has made them so, else all are computed. */
    bool symmetric, is_mirrored;
    spg_row_limits limits; /* resolved */
    spgemm_stats stats;
    void *state; /* the backend's own, from product_begin to product_end */
} spg_product;

/* Where the mirror images of a matrix's entries below the diagonal are: those of row i are begins[i] .. begins[i + 1]
 * of them, in the order of storage. Arrays at the place. */
typedef struct spg_images {
    int64_t rows, count; /* count 0: nothing is noted */
    uint32_t *begins, *images;
} spg_images;

typedef struct spg_backend {
    spg_place place;
    spg_row_limits default_limits;
    /* The backend's own part of a context, context->backend_state; NULL where it has none. */
    spg_status (*open)(spg_context *context);
    void (*close)(spg_context *context);
    void (*describe)(const spg_context *context, char *text, size_t size);

    /* Memory at the place, for contexts without an allocator of the caller's; NULL on the host, see memory.c. */
    void *(*allocate)(spg_context *context, int64_t bytes);
    void (*release)(spg_context *context, void *memory, int64_t bytes);

    /* Copies to or from the backend's place, and waits: on a device from and to the host, on the host from a device. */
    spg_status (*copy_bytes)(spg_context *context, void *to, spg_place to_place, const void *from, spg_place from_place,
                             int64_t bytes);
    spg_status (*zero_bytes)(spg_context *context, void *memory, int64_t bytes);

    /* Work beside other work. After begin_side_stream, what is called between use_side_stream(.., true) and
     * use_side_stream(.., false) is queued beside all that is not, after what was queued before; what is called after
     * end_side_stream follows both. What one of the two took, the other gives back after end_side_stream alone. Fails
     * as a device does; *is_beside false, as on the host: all is done in the order of the calls, and none of the others
     * is needed. */
    spg_status (*begin_side_stream)(spg_context *context, bool *is_beside);
    void (*use_side_stream)(spg_context *context, bool beside);
    spg_status (*end_side_stream)(spg_context *context); /* after a failure as well */

    spg_status (*csr_check)(spg_context *context, const spg_csr *matrix);
    spg_status (*csr_sort)(spg_context *context, spg_csr *matrix);
    /* map: NULL, or where to note, for each entry of the transpose, which of the matrix it is. */
    spg_status (*csr_transpose)(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose);
    /* The same in two calls, so that other work can be queued while a device counts. checks: the matrix is checked as
     * by csr_check, by either call. *pending: for the end, which is to follow where the beginning succeeded. */
    spg_status (*csr_transpose_begin)(spg_context *context, const spg_csr *matrix, bool checks, int64_t *map,
                                      spg_csr *transpose, void **pending);
    spg_status (*csr_transpose_end)(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose,
                                    void *pending);
    /* alpha NULL: 1; beta NULL: 0, and y is not read. Both point to the host. */
    spg_status (*csr_spmv)(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                           const void *beta, void *y);
    /* The result's offset_type is set: it is the one to make. */
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
    spg_status (*product_begin)(spg_product *product);    /* analysis: the work, cut into slices; room for C */
    spg_status (*product_multiply)(spg_product *product); /* expand, sort, contract: rows by class */
    spg_status (*product_assemble)(spg_product *product); /* offsets scanned, rows placed, C exact */
    void (*product_end)(spg_product *product);            /* frees the state; after a failure as well */

    /* A plan's numeric phase, after a product of the pattern alone (plan.c). C's shape is the plan's. */
    spg_status (*plan_create)(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan *plan);
    spg_status (*plan_allocate_result)(spgemm_plan *plan, spg_csr *C);      /* with the pattern written */
    spg_status (*plan_compare_result)(spgemm_plan *plan, const spg_csr *C); /* SHAPE if C has another pattern */
    spg_status (*plan_check)(spgemm_plan *plan, const spg_csr *A, const spg_csr *B); /* likewise of the operands */
    spg_status (*plan_run)(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C);
    void (*plan_destroy)(spgemm_plan *plan);

    const struct spg_amg_backend *amg;           /* amg/amg_backend.h */
    const struct spg_sampling_backend *sampling; /* sampling/sampling_backend.h */
} spg_backend;

/* The backend of a place, or NULL if this build has none there or the machine has no such place. */
const spg_backend *spg_find_backend(spg_place place);

const spg_backend *spg_host_backend(void);

#ifdef SPG_WITH_CUDA
const spg_backend *spg_cuda_backend(void); /* NULL where there is no GPU */
const char *spg_cuda_absence(void);        /* why there is none, for people */

/* Where an address lies, whoever allocated it. Asks a driver that is loaded already, and loads none. */
typedef struct spg_location {
    spg_place place;
    int device; /* its ordinal; -1: on the host, or in memory that every device reaches */
} spg_location;
spg_location spg_cuda_locate(const spg_context *context, const void *memory);

/* Copies to the host from whichever device the bytes lie on, for a context on the host: waits for all that this device
 * was asked to do before. */
spg_status spg_cuda_copy_to_host(spg_context *context, void *to, const void *from, int64_t bytes);
#endif

#endif
