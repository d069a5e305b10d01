/* The CUDA backend's side of a context: device, stream, memory pool, and how kernels report to the host. Private.
 *
 * Every entry of the backend's table begins with spg_cuda_enter, which makes the context's device current, and ends
 * with spg_cuda_leave; they may be nested. Between them work is queued on the context's stream. What waits does so by
 * spg_cuda_wait or spg_cuda_poll, but for a plan that is timed (an event), spg_cuda_end_side_stream after a failure
 * and, where a device has no memory pool, cudaFree. */
#ifndef SPG_KERNELS_DEVICE_H
#define SPG_KERNELS_DEVICE_H

#include <cuda_runtime_api.h>

/* What src/ shares with kernels (inline.h) is for both sides here. */
#ifdef __CUDACC__
#define SPG_INLINE static __host__ __device__ inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

#include "argument.h"
#include "backend.h"
#include "memory.h"
#include "spgemm/plan.h"

/* What kernels find wrong with operands while they read them; bits of spg_counters.faults. */
enum spg_fault {
    SPG_FAULT_A = 1,         /* offsets or columns of A out of range: the product reads nothing by them */
    SPG_FAULT_B = 2,         /* of B */
    SPG_FAULT_B_UNSORTED = 4 /* a row of B does not ascend strictly: kernels that merge or contract at once cannot do */
};

/* What a sample of the rows of a product tells (spgemm/analysis/sample.cu). Of those rows of C that were counted with
 * it: */
typedef struct spg_sample {
    unsigned long long nnz;        /* their entries */
    unsigned long long products;   /* of all rows of the sample */
    unsigned long long b_descents; /* entries of B whose columns are not greater than those before them in their rows,
                                    * of all of B (spgemm/analysis/b_order.cuh); 0: every row ascends */
    unsigned int longest_row;      /* entries of the longest */
    unsigned int too_long;         /* rows of C too long for the table of the sample */
    unsigned int uncounted;        /* rows that need too many products to be counted with the sample */
    unsigned int longest_a;        /* entries of the longest row of A */
    unsigned int pairs, triples;   /* rows of A with the columns of the next row, and of the next two */
    unsigned int shifted;          /* rows of A whose columns are the next row's less one */
    unsigned int most_span;        /* columns from the first to the last of a row of C, at most */
    unsigned int most_products;    /* of a row */
} spg_sample;

/* What the kernels of one product add up, in device memory; zero between products. A word has one meaning. */
typedef struct spg_counters {
    unsigned long long nnz, products;
    unsigned long long class_rows[SPG_ROW_CLASSES]; /* by the paper's limits, where an analysis counted them */
    spg_sample sample;
    unsigned int faults;                    /* bits of spg_fault */
    unsigned int rows;                      /* of C that were counted: whose lengths were found and written */
    unsigned int longest_row;               /* entries of the longest of them, overflow rows apart */
    unsigned int overflow;                  /* rows that a counting kernel could not hold: listed for another kernel */
    unsigned int longest_overflow_row;      /* of those that were counted in the same wait */
    unsigned int long_rows;                 /* counted rows of C that no list in registers holds */
    unsigned int long_half_rows;            /* that were to be listed (spgemm/symmetric_half/one_pass.cu) */
    unsigned int rows_left;                 /* counted but not written, by kernels that count and fill at once */
    unsigned int scattered;                 /* of a few rows of A, those far from the next one's columns */
    unsigned int merged_a, merged_products; /* of the rows that counting by merging merged: entries of the longest row
                                             * of A, up to MERGE_MOST; products of a row that a thread did, at most */
    unsigned int blocks_done;               /* of the kernel that posts the counters when its last block ends */
} spg_counters;

/* Page-locked host memory that kernels write: a counters, and after it the number of the post; and signs that a kernel
 * of draws sets, which the host clears before and reads once it has waited (kernels/sampling/sampling.cuh); and the
 * flag of amg/amg_backend.h that was told last. */
typedef struct spg_mailbox {
    spg_counters counters;
    volatile unsigned int number, signs[2];
    volatile unsigned int told; /* a flag, and from bit 1 on the number of its telling */
} spg_mailbox;

/* What kernels over a matrix tell the host about it, in device memory: numbers of the first rows or entries at fault,
 * all bits set where there is none, and the figures of a message. */
typedef struct spg_report {
    unsigned long long first[2];
    long long figures[4];
} spg_report;

/* The stages whose ends are stamped with events where spg_config.timing asks for it. */
enum spg_stage { SPG_STAGE_BEGIN, SPG_STAGE_ANALYSIS, SPG_STAGE_COUNT, SPG_STAGE_FILL, SPG_STAGE_END, SPG_STAGES };

/* Streams beside the context's own, for kernels that may run at the same time; see spgemm/route/binned_rows.cu. */
enum { SPG_SIDE_STREAMS = 2 };

/* In the order of which stream a block is free: while work is queued beside other work (side_stream.cu), what one of
 * the two gives back is not yet the other's to take. */
typedef enum spg_order { SPG_ORDER_BOTH, SPG_ORDER_OWN, SPG_ORDER_BESIDE } spg_order;

/* A block of device memory that the pools gave lately; see kept_blocks.cu. */
typedef struct spg_block {
    void *memory; /* NULL: none */
    int64_t bytes;
    bool is_kept; /* given back, and not yet to its pool */
    spg_order order;
} spg_block;
enum { SPG_BLOCKS = 32 };

/* A stream, and what its kernels report by; as in spg_cuda. */
typedef struct spg_lane {
    cudaStream_t stream;
    spg_counters *counters;
    spg_report *report;
    spg_mailbox *mailbox, *device_mailbox;
    unsigned int posts;
} spg_lane;

typedef struct spg_cuda {
    int device, previous_device, entered; /* entered: spg_cuda_enter less spg_cuda_leave */
    cudaStream_t stream;
    /* NULL: the caller's allocator, or a device without pools. Small blocks have a pool of their own: among the large
     * ones they would leave holes that the next result does not fit, and mapping memory takes milliseconds. */
    cudaMemPool_t pool, small_pool;
    int multiprocessors, block_shared_bytes, multiprocessor_shared_bytes, multiprocessor_threads;
    spg_counters *counters;                /* device memory */
    spg_report *report;                    /* device memory */
    spg_mailbox *mailbox, *device_mailbox; /* one page, as the host and as the device address it */
    unsigned int posts;                    /* asked of kernels so far */
    cudaEvent_t events[SPG_STAGES];        /* NULL unless timing is asked for */
    void *pointer_attribute;               /* see pointer.c */
    cudaStream_t side_streams[SPG_SIDE_STREAMS];
    cudaStream_t urgent_stream; /* likewise; blocks of its kernels are dealt before those of all others */
    cudaEvent_t fork, joins[SPG_SIDE_STREAMS], urgent_join; /* when these streams may begin; when they have ended */
    spg_counters *product_counters;                         /* device memory; of products alone */
    bool product_counters_are_clear; /* false while a product counts, and after one that failed */
    spg_block blocks[SPG_BLOCKS];
    int next_block; /* the one to be forgotten first */
    int64_t kept_bytes;
    spg_lane other; /* while work is queued beside other work, the context's own, else the one for that */
    bool is_forked, on_side_stream; /* between the calls of side_stream.cu; whether `other` is the context's own */
    cudaEvent_t side_begin, side_end;
    volatile unsigned int *told, *device_told; /* of the context's own mailbox */
    unsigned int tellings;
    bool kernels_wait; /* as compiled for this device, kernels wait for those before them themselves: launch.cuh */
} spg_cuda;

static inline spg_cuda *spg_cuda_of(const spg_context *context) { return (spg_cuda *)context->backend_state; }

/* kept_blocks.cu. The blocks that are kept are free in the order of both streams. */
void spg_cuda_merge_orders(spg_cuda *cuda);
/* A kept block of so many bytes, or NULL; then those kept of the same pool have gone back to it. */
void *spg_cuda_take_kept(spg_cuda *cuda, int64_t bytes);
void spg_cuda_note_block(spg_cuda *cuda, void *memory, int64_t bytes);
/* Whether the block is kept, in the order of the stream, while all that are kept have no more than most_bytes. */
bool spg_cuda_keep(spg_cuda *cuda, void *memory, int64_t most_bytes);
void spg_cuda_give_back_kept(spg_cuda *cuda, bool small, bool large);

/* side_stream.cu. What kernels report by; the lane beside the context's own; the calls of backend.h. */
cudaError_t spg_cuda_create_reports(spg_lane *lane);
void spg_cuda_free_reports(spg_lane *lane);
cudaError_t spg_cuda_create_side_stream(spg_cuda *cuda);
void spg_cuda_destroy_side_stream(spg_cuda *cuda);
spg_status spg_cuda_begin_side_stream(spg_context *context, bool *is_beside);
void spg_cuda_use_side_stream(spg_context *context, bool side);
spg_status spg_cuda_end_side_stream(spg_context *context);

spg_status spg_cuda_open(spg_context *context);
void spg_cuda_close(spg_context *context);
void *spg_cuda_allocate(spg_context *context, int64_t bytes);
void spg_cuda_release(spg_context *context, void *memory, int64_t bytes);
void spg_cuda_describe(const spg_context *context, char *text, size_t size);
bool spg_cuda_is_present(void);

spg_status spg_cuda_enter(spg_context *context);
void spg_cuda_leave(spg_context *context);

/* DEVICE with a message if error is one; `what` was being done. A refused allocation is MEMORY. */
spg_status spg_cuda_check(spg_context *context, cudaError_t error, const char *what);

/* Whether the launch just made was taken; asynchronous faults show at the next wait. */
spg_status spg_cuda_check_launch(spg_context *context, const char *kernel);

/* Waits for the stream. Not allowed while it is captured. */
spg_status spg_cuda_wait(spg_context *context);

/* Waits until the masked bits of a word that a kernel of the stream writes to mapped memory are `number`. */
spg_status spg_cuda_poll(spg_context *context, const volatile unsigned int *word, unsigned int mask,
                         unsigned int number);

/* Waits until the post `number` has come, by polling the mailbox, and copies its counters. */
spg_status spg_cuda_wait_for_counters(spg_context *context, unsigned int number, spg_counters *counters);

spg_status spg_cuda_copy_bytes(spg_context *context, void *to, spg_place to_place, const void *from,
                               spg_place from_place, int64_t bytes);
spg_status spg_cuda_zero_bytes(spg_context *context, void *memory, int64_t bytes);

/* Queues a copy that the host does not wait for. */
spg_status spg_cuda_copy_on_device(spg_context *context, void *to, const void *from, int64_t bytes);

/* Blocks up to so many bytes are of the small pool. */
enum { SPG_SMALL_BYTES = 8 << 20 };

/* For spg_cuda.pointer_attribute: the driver's cuPointerGetAttributes if a driver is loaded, else NULL. */
void *spg_cuda_find_pointer_attribute(void);

#ifdef __cplusplus
}
#endif

#endif
