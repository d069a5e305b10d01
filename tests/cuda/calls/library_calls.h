/* Calls of the library on a device, with what they need, to be made again and again: tests look at what each of them
 * asks of CUDA. All are on a stream of the caller's. */
#ifndef SPG_TESTS_CUDA_LIBRARY_CALLS_H
#define SPG_TESTS_CUDA_LIBRARY_CALLS_H

#include "products.h"
#include "sampling_support.h"

#include "spg/amg.h"
#include "spg/krylov.h"
#include "spg/operations.h"
#include "spg/sampling.h"

enum { PAIRS = 8, SYSTEMS = 2, DRAWS = 50000 };

/* A system of equations with what is kept of it between calls. */
typedef struct library_system {
    spg_csr A;
    spg_amg *amg;
    spg_csr P, product; /* the hierarchy's first; R*A*P */
    spg_galerkin_plan *plan;
    double *b, *x;
    int32_t *order; /* of its rows, backwards */
} library_system;

/* Matrices and vectors are lent by test_lender(), so that the context holds what is kept alone. */
typedef struct library_inputs {
    void *stream;
    spg_context *context;
    struct {
        spg_csr A, B, product;
        spgemm_plan *plan;
    } pairs[PAIRS];
    library_system systems[SYSTEMS];
    test_weights weights;
    spg_lda lda;
    spg_alias *alias;
    spg_forest *forest;
    int32_t *draws;
} library_inputs;

typedef struct library_call {
    const char *name;
    spg_status (*run)(library_inputs *in, int number);
    int numbers; /* it may be called with 0 ... numbers - 1 */
} library_call;

/* Those of spg/operations.h and spg/krylov.h (operation_calls.c), with a system's number. */
spg_status call_add(library_inputs *in, int number);
spg_status call_scale(library_inputs *in, int number);
spg_status call_diagonal(library_inputs *in, int number);
spg_status call_permute(library_inputs *in, int number);
spg_status call_extract(library_inputs *in, int number);
spg_status call_drop(library_inputs *in, int number);
spg_status call_compare(library_inputs *in, int number);
spg_status call_spmm(library_inputs *in, int number);
enum { KRYLOV_CALLS = 4 * SYSTEMS };
spg_status call_krylov_solve(library_inputs *in, int number); /* each method on each system */
spg_status call_amg_apply(library_inputs *in, int number);
spg_status call_many(library_inputs *in, int number);

/* Each of them, on success, gives back whatever it makes. */
extern const library_call library_calls[];
extern const int library_calls_count;

/* The hierarchy of a system. */
spg_status set_up_system(library_inputs *in, int number, spg_amg **amg);
void open_library_inputs(library_inputs *in);
void close_library_inputs(library_inputs *in);

#endif
