/* What the plug-in does on a device (cuda/). Without CUDA in PETSc no matrix is on one, and none of it is called. */
#ifndef SPG_PETSC_ON_DEVICE_H
#define SPG_PETSC_ON_DEVICE_H

#include "distributed.h"

#if PetscDefined(HAVE_CUDA)

/* The process's context of the device that PETSc has chosen for it, on PETSc's stream; made at the first call. */
PETSC_INTERN PetscErrorCode device_context(spg_context **context);
/* Copies between any two places; a copy to the host has ended at return. */
PETSC_INTERN PetscErrorCode device_copy(void *to, const void *from, size_t bytes);

/* Places in an array of values, on the device (moves.c). */
typedef struct SpgMove {
    PetscInt count;
    PetscInt *places;
} SpgMove;
/* `places` is on the host and is copied. */
PETSC_INTERN PetscErrorCode device_move_create(PetscInt count, const PetscInt *places, SpgMove *move);
PETSC_INTERN void device_move_clear(SpgMove *move);
/* values[k] = array[places[k]], and the other way round; the array has `size` values. Both begin where an allocation on
 * the device begins: cuSPARSE demands an alignment that parts of arrays lack. */
PETSC_INTERN PetscErrorCode device_gather(const SpgMove *move, const PetscScalar *array, PetscInt size,
                                          PetscScalar *values);
PETSC_INTERN PetscErrorCode device_scatter(const SpgMove *move, const PetscScalar *values, PetscScalar *array,
                                           PetscInt size);

/* The matrix types aijcusparsespg. */
PETSC_INTERN PetscErrorCode register_device_matrices(void);

/* The part of view_update for a matrix on a device. */
PETSC_INTERN PetscErrorCode view_device(Mat matrix, SpgView *view);

/* Sets the symbolic phase of a product of SEQAIJCUSPARSE matrices. */
PETSC_INTERN PetscErrorCode device_product_symbolic(Mat C);

/* The multiplications of one product on a device (numeric.c). */
typedef struct SpgDeviceNumeric {
    PetscBool is_triple;       /* R*A*B, where R is NULL for B^T; else A*B, and R is ignored */
    spgemm_plan *plan;         /* of A*B; NULL before the first product */
    spg_galerkin_plan *triple; /* of R*A*B; likewise */
} SpgDeviceNumeric;

/* C = A*B or R*A*B, a new matrix of the context; what its repeats need is prepared. */
PETSC_INTERN PetscErrorCode device_numeric_first(SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A,
                                                 const spg_csr *B, spg_csr *C);
/* The values of C anew; the patterns are those of the first product. */
PETSC_INTERN PetscErrorCode device_numeric_repeat(const SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A,
                                                  const spg_csr *B, spg_csr *C);
/* Whether the operands have the patterns of the first product. */
PETSC_INTERN PetscErrorCode device_numeric_check(const SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A,
                                                 const spg_csr *B, PetscBool *same);
PETSC_INTERN void device_numeric_clear(SpgDeviceNumeric *numeric);

/* The multiplication of a product of MPIAIJCUSPARSE matrices, B being the second operand: the first, after which
 * data->C has the pattern; a repeat. */
PETSC_INTERN PetscErrorCode device_first(Mat C, SpgDistributed *data, Mat B);
PETSC_INTERN PetscErrorCode device_repeat(Mat C, SpgDistributed *data, Mat B);
/* Its values, on the device: as the two blocks of C for A*B; as they are. */
PETSC_INTERN PetscErrorCode device_set_values(Mat C, const SpgDistributed *data);
PETSC_INTERN const PetscScalar *device_values(const SpgDistributed *data);
PETSC_INTERN PetscErrorCode device_clear(SpgDistributed *data);

#else

#define device_context(context) ((void)(context), PETSC_ERR_SUP)
#define device_copy(to, from, bytes) ((void)(to), (void)(from), (void)(bytes), PETSC_ERR_SUP)
#define register_device_matrices() 0
#define view_device(matrix, view) ((void)(matrix), (void)(view), PETSC_ERR_SUP)
#define device_first(C, data, B) ((void)(C), (void)(data), (void)(B), PETSC_ERR_SUP)
#define device_repeat(C, data, B) ((void)(C), (void)(data), (void)(B), PETSC_ERR_SUP)
#define device_set_values(C, data) ((void)(C), (void)(data), PETSC_ERR_SUP)
#define device_values(data) ((const PetscScalar *)NULL)
#define device_clear(data) ((void)(data), PETSC_ERR_SUP)

#endif
#endif
