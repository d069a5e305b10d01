/* A test program is a list of claims. Each is a function that returns an error of PETSc where the claim is wrong. */
#ifndef SPG_PETSC_CLAIMS_H
#define SPG_PETSC_CLAIMS_H

#include "matrices.h"

typedef struct Claim {
    const char *name;
    PetscErrorCode (*check)(void);
} Claim;

/* Runs the claims; stops at the first that is wrong. For main. */
int check_claims(int argc, char **argv, const Claim *claims, size_t count);

/* What a claim says. */
#define EXPECT(condition, ...) PetscCheck(condition, PETSC_COMM_WORLD, PETSC_ERR_USER, __VA_ARGS__)

/* That `call` fails with `code`, and that its message has `text` in it. */
#define EXPECT_ERROR(code, text, call)                                                                                 \
    do {                                                                                                               \
        PetscErrorCode error_;                                                                                         \
        PetscCall(catch_errors());                                                                                     \
        error_ = call;                                                                                                 \
        PetscCall(check_caught(error_, code, text));                                                                   \
    } while (0)
PetscErrorCode catch_errors(void);
PetscErrorCode check_caught(PetscErrorCode error, PetscErrorCode code, const char *text);

/* How often an event of -log_view has been seen. */
PetscErrorCode event_count(const char *name, PetscInt *count);

/* How often spg is at work in an MatPtAP and its repeat. */
PetscErrorCode work_of_spg(Mat A, Mat P, PetscInt *products, PetscInt *repeats);

/* That both have the same type of distribution, the same pattern, and values within `tolerance` of the largest. */
PetscErrorCode expect_equal(Mat found, Mat expected, PetscReal tolerance);

/* That the values of the diagonal and the off-diagonal block, or of the matrix, are these bits; with *bits NULL they
 * are copied there. */
PetscErrorCode compare_bits(Mat C, PetscInt product, PetscScalar **bits);

/* -test_device: whether the matrices of the claims are to be on a device. */
PetscBool is_device_run(void);

/* The matrix itself, or in a device run of type aijcusparse, in its place or as a copy. */
PetscErrorCode to_place(Mat *A);
PetscErrorCode at_place(Mat A, Mat *copy);

/* A copy of type aijspg, or in a device run aijcusparsespg. */
PetscErrorCode as_spg(Mat A, Mat *copy);

#endif
