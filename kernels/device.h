/* The CUDA backend's side of a context: device, stream, memory pools, and how kernels report to the host. Private.
 *
 * Every function in the backend's table begins with spg_cuda_enter, which makes the context's device current, and ends
 * with spg_cuda_leave; calls may nest. Between them, work is queued on the context's stream. The host waits only in
 * spg_cuda_wait and spg_cuda_poll, with three exceptions: a timed plan (an event), spg_cuda_end_side_stream after a
 * failure, and cudaFree where a device has no memory pool. */
#ifndef SPG_KERNELS_DEVICE_H
#define SPG_KERNELS_DEVICE_H

#include <cuda.h>
#include <cuda_runtime_api.h>

/* Headers that src/ shares with kernels (inline.h) compile for host and device here. */
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

/* Faults that kernels find in the operands while they read them; bits of spg_counters.faults. */
enum spg_fault {
    SPG_FAULT_A = 1,         /* offsets or columns of A out of range; the product reads nothing through them */
    SPG_FAULT_B = 2,         /* the same for B */
    SPG_FAULT_B_UNSORTED = 4 /* a row of B does not ascend strictly; kernels that merge, or contract while they expand,
                              * need that */
};

/* What a sample of a product's rows found (spgemm/analysis/sample.cu). nnz, longest_row, too_long: of the rows of C
 * that were counted in the sample. */
typedef struct spg_sample {
    unsigned long long nnz;        /* entries */
    unsigned long long products;   /* of all sampled rows */
    unsigned long long b_descents; /* entries of B whose column is not greater than the one before in the row, over all
                                    * of B (primitives/row_order.cuh); 0: every row ascends */
    unsigned int longest_row;      /* entries of the longest row */
    unsigned int too_long;         /* rows of C too long for the sample's hash table */
    unsigned int uncounted;        /* rows with too many products to be counted in the sample */
    unsigned int longest_a;        /* entries of the longest row of A */
    unsigned int pairs, triples;   /* rows of A with the same columns as the next row, and as the next two */
    unsigned int shifted;          /* rows of A whose columns, plus one, are those of the next row */
    unsigned int most_span;        /* columns from first to last of a row of C, maximum */
    unsigned int most_products;    /* of a row, maximum */
} spg_sample;

/* Counters that the kernels of one product add to, in device memory; zero between products. Each word has one
 * meaning. */
typedef struct spg_counters {
    unsigned long long nnz, products;
    unsigned long long class_rows[SPG_ROW_CLASSES]; /* by the paper's limits, if an analysis counted them */
    spg_sample sample;
    unsigned int faults;                    /* bits of spg_fault */
    unsigned int rows;                      /* rows of C that were counted: their lengths are known and written */
    unsigned int longest_row;               /* entries of the longest counted row, overflow rows excluded */
    unsigned int overflow;                  /* rows that a counting kernel could not hold and listed for another
                                             * kernel */
    unsigned int long_rows;                 /* counted rows of C too long for a list in registers */
    unsigned int long_half_rows;            /* those to be listed in symmetric_half/one_pass.cu */
    unsigned int rows_left;                 /* rows counted but not written, in one-pass kernels */
    unsigned int scattered;                 /* among a few rows of A: those whose columns are far from the next row's */
    unsigned int merged_a, merged_products; /* rows counted by merging: entries of the longest row of A, up to
                                             * MERGE_MOST; most products of a row done by one thread */
    unsigned int blocks_done;               /* blocks that have ended, in a kernel whose last block posts the
                                             * counters */
} spg_counters;

/* The scalars of a step of conjugate gradients and the step's number, written last (amg/vectors.cu). */
typedef struct spg_posted_step {
    double rr, pq, rz;
    volatile unsigned int number;
} spg_posted_step;
enum { SPG_POSTED_STEPS = 2 }; /* one that is read, and one queued after it */

enum { SPG_MOST_WORDS = 256 };

/* Page-locked host memory that kernels write: the counters, followed by the number of their post; the signs that a draw
 * kernel sets, which the host clears before the launch and reads after its wait (kernels/sampling/sampling.cuh); and
 * the last flag that was sent (amg/amg_backend.h); the last steps of conjugate gradients; a small copy, with its
 * number. */
typedef struct spg_mailbox {
    spg_counters counters;
    volatile unsigned int number, signs[2];
    volatile unsigned int flag; /* bit 0: the flag; from bit 1 on: the number of the transfer */
    spg_posted_step steps[SPG_POSTED_STEPS];
    volatile unsigned int words_number, words[SPG_MOST_WORDS];
} spg_mailbox;

/* What kernels that check a matrix report to the host, in device memory: the numbers of the first rows or entries at
 * fault (all bits set: none), and the figures for a message. */
typedef struct spg_report {
    unsigned long long first[2];
    long long figures[4];
} spg_report;

/* The stages; events mark their ends if spg_config.timing is set. */
enum spg_stage { SPG_STAGE_BEGIN, SPG_STAGE_ANALYSIS, SPG_STAGE_COUNT, SPG_STAGE_FILL, SPG_STAGE_END, SPG_STAGES };

/* Streams next to the context's own, for kernels that may overlap (spgemm/route/binned_rows.cu). */
enum { SPG_SIDE_STREAMS = 2 };

/* The stream in whose order a block is free. While a side stream is in use (side_stream.cu), a block that one stream
 * freed is not yet available to the other. */
typedef enum spg_order { SPG_ORDER_BOTH, SPG_ORDER_OWN, SPG_ORDER_SIDE } spg_order;

/* The cluster that small work runs in (primitives/meeting.cuh). */
enum { SPG_CLUSTER_BLOCKS = 8, SPG_CLUSTER_THREADS = 1024 };

/* A block of device memory that was lately allocated from a pool (kept_blocks.cu). */
typedef struct spg_block {
    void *memory; /* NULL: none */
    int64_t bytes;
    bool is_kept; /* freed by its user, but not yet returned to its pool */
    spg_order order;
} spg_block;
enum { SPG_BLOCKS = 64 };

/* A stream, and what its kernels report through; the fields are as in spg_cuda. */
typedef struct spg_lane {
    cudaStream_t stream;
    spg_counters *counters;
    spg_report *report;
    spg_mailbox *mailbox, *device_mailbox;
    unsigned int posts;
} spg_lane;

/* Functions of the driver (current_device.c). */
typedef struct spg_driver {
    CUresult(CUDAAPI *get_current)(CUcontext *context);
    CUresult(CUDAAPI *set_current)(CUcontext context);
    CUresult(CUDAAPI *get_device)(CUdevice *device); /* of the current context */
    CUresult(CUDAAPI *retain_primary)(CUcontext *context, CUdevice device);
    CUresult(CUDAAPI *release_primary)(CUdevice device);
} spg_driver;

typedef struct spg_cuda {
    int device, entered; /* entered: calls of spg_cuda_enter minus calls of spg_cuda_leave */
    spg_driver driver;
    CUcontext primary;  /* the device's; NULL until it is needed */
    CUcontext previous; /* current before the outermost call, which restores it if it was of another device */
    bool restores;
    cudaStream_t stream;
    /* NULL: the caller's allocator, or a device without pools. Small blocks have a pool of their own: among large
     * blocks they would leave holes that the next result does not fit, and mapping memory takes milliseconds. */
    cudaMemPool_t pool, small_pool;
    int multiprocessors, block_shared_bytes, multiprocessor_shared_bytes, multiprocessor_threads;
    spg_counters *counters;                /* device memory */
    spg_report *report;                    /* device memory */
    spg_mailbox *mailbox, *device_mailbox; /* one page: its host address and its device address */
    unsigned int posts;                    /* posts requested so far */
    cudaEvent_t events[SPG_STAGES];        /* NULL without timing */
    void *pointer_attribute;               /* see pointer.c */
    cudaStream_t side_streams[SPG_SIDE_STREAMS];
    cudaStream_t urgent_stream; /* high priority: its blocks are scheduled before those of all other streams */
    cudaEvent_t fork, joins[SPG_SIDE_STREAMS], urgent_join; /* when the side streams may begin; when they have ended */
    spg_counters *product_counters;                         /* device memory; for products only */
    bool product_counters_are_clear; /* false while a product counts, and after a product that failed */
    spg_block blocks[SPG_BLOCKS];
    int next_block; /* the slot to overwrite next */
    int64_t kept_bytes;
    spg_lane other; /* the lane not in use: the side stream's; while that is in use, the context's own */
    bool is_forked, on_side_stream; /* between begin and end of side_stream.cu; whether `other` is the context's own
                                     * lane */
    void (*side_work)(void *user);  /* of when_waiting, until it is called */
    void *side_user;
    cudaEvent_t side_begin, side_end;
    volatile unsigned int *flag_copy, *device_flag_copy; /* in the context's own mailbox */
    unsigned int flag_copies;                            /* requested so far */
    spg_posted_step *steps, *device_steps;               /* in the context's own mailbox */
    unsigned int steps_queued;                           /* of conjugate gradients, so far */
    bool has_clusters;
    bool kernels_wait; /* kernels wait for the previous kernel themselves (launch.cuh); depends on the compiled
                        * architecture */
} spg_cuda;

static inline spg_cuda *spg_cuda_of(const spg_context *context) { return (spg_cuda *)context->backend_state; }

/* kept_blocks.cu. Makes kept blocks available to both streams. */
void spg_cuda_merge_orders(spg_cuda *cuda);
/* Returns a kept block of `bytes`, or where that is small of at most twice as many; NULL if there is none. A large
 * request in vain gives the kept large blocks back to their pool. */
void *spg_cuda_take_kept(spg_cuda *cuda, int64_t bytes);
void spg_cuda_note_block(spg_cuda *cuda, void *memory, int64_t bytes);
/* Keeps a block that its user frees, in the order of the current stream. Returns false if the block is unknown, or if
 * kept blocks would exceed most_bytes in all. */
bool spg_cuda_keep(spg_cuda *cuda, void *memory, int64_t most_bytes);
void spg_cuda_give_back_kept(spg_cuda *cuda, bool small, bool large);

/* side_stream.cu. The memory that kernels report through; the lane of the side stream; the functions of backend.h. */
cudaError_t spg_cuda_create_reports(spg_lane *lane);
void spg_cuda_free_reports(spg_lane *lane);
cudaError_t spg_cuda_create_side_stream(spg_cuda *cuda);
void spg_cuda_destroy_side_stream(spg_cuda *cuda);
spg_status spg_cuda_begin_side_stream(spg_context *context, bool *is_forked);
void spg_cuda_use_side_stream(spg_context *context, bool side);
void spg_cuda_when_waiting(spg_context *context, void (*work)(void *user), void *user);
spg_status spg_cuda_end_side_stream(spg_context *context);
void spg_cuda_do_side_work(spg_context *context); /* of when_waiting, if there is any */

spg_status spg_cuda_open(spg_context *context);
void spg_cuda_close(spg_context *context);
void *spg_cuda_allocate(spg_context *context, int64_t bytes);
void spg_cuda_release(spg_context *context, void *memory, int64_t bytes);
void spg_cuda_describe(const spg_context *context, char *text, size_t size);
bool spg_cuda_is_present(void);

/* current_device.c */
spg_status spg_cuda_find_driver(spg_context *context, spg_driver *driver);
spg_status spg_cuda_enter(spg_context *context);
void spg_cuda_leave(spg_context *context);
void spg_cuda_release_primary(spg_cuda *cuda);

/* Returns SPG_OK, or DEVICE with a message if `error` is an error; `what` names the operation. A refused allocation is
 * MEMORY. */
spg_status spg_cuda_check(spg_context *context, cudaError_t error, const char *what);

/* Checks that the last launch was accepted. Asynchronous faults appear at the next wait. */
spg_status spg_cuda_check_launch(spg_context *context, const char *kernel);

/* Waits for the stream. Not allowed during stream capture. */
spg_status spg_cuda_wait(spg_context *context);

/* Waits until the masked bits of `word` equal `number`. A kernel on the stream writes the word to mapped memory. */
spg_status spg_cuda_poll(spg_context *context, const volatile unsigned int *word, unsigned int mask,
                         unsigned int number);

/* Waits for post `number` by polling the mailbox, and copies its counters. */
spg_status spg_cuda_wait_for_counters(spg_context *context, unsigned int number, spg_counters *counters);

/* small_copy.cu: from the device to the host, where the copy is small and aligned. Waits for what is queued before. */
bool spg_cuda_is_small(const void *from, int64_t bytes);
spg_status spg_cuda_copy_small(spg_context *context, void *to, const void *from, int64_t bytes);

spg_status spg_cuda_copy_bytes(spg_context *context, void *to, spg_place to_place, const void *from,
                               spg_place from_place, int64_t bytes);
spg_status spg_cuda_zero_bytes(spg_context *context, void *memory, int64_t bytes);

/* recording.cu */
typedef struct spg_recording spg_recording;
bool spg_cuda_is_captured(const spg_context *context);
spg_status spg_cuda_record(spg_context *context, spg_status (*queue)(void *state), void *state,
                           spg_recording **recording);
spg_status spg_cuda_replay(spg_context *context, const spg_recording *recording);
void spg_cuda_forget(spg_context *context, spg_recording *recording);

/* Queues a copy; the host does not wait. */
spg_status spg_cuda_copy_on_device(spg_context *context, void *to, const void *from, int64_t bytes);

/* Blocks of up to this many bytes come from the small pool. */
enum { SPG_SMALL_BYTES = 8 << 20 };

/* For spg_cuda.pointer_attribute: the driver's cuPointerGetAttributes if a driver is loaded, else NULL. */
void *spg_cuda_find_pointer_attribute(void);

#ifdef __cplusplus
}
#endif

#endif
