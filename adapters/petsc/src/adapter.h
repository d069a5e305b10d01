/* What the parts of the plug-in share. It is written for PETSc's private header matimpl.h, which PETSc installs: a
 * matrix type and a preconditioner type can be made in no other way. */
#ifndef SPG_PETSC_ADAPTER_H
#define SPG_PETSC_ADAPTER_H

#include <petsc/private/matimpl.h>
#include <petscsf.h>
#include <spg/spg.h>

#define SEQAIJSPG "seqaijspg"
#define MPIAIJSPG "mpiaijspg"
#define AIJSPG "aijspg"
/* Types whose values are on a device; with a PETSc that has CUDA. */
#define SEQAIJCUSPARSESPG "seqaijcusparsespg"
#define MPIAIJCUSPARSESPG "mpiaijcusparsespg"
#define AIJCUSPARSESPG "aijcusparsespg"

#if defined(PETSC_USE_REAL_SINGLE)
#define SPG_SCALAR (PetscDefined(USE_COMPLEX) ? SPG_C32 : SPG_F32)
#elif defined(PETSC_USE_REAL_DOUBLE)
#define SPG_SCALAR (PetscDefined(USE_COMPLEX) ? SPG_C64 : SPG_F64)
#else
#error "spg has float and double values: build PETSc with --with-precision=single or double"
#endif
#define SPG_OFFSET (PetscDefined(USE_64BIT_INDICES) ? SPG_I64 : SPG_I32)

/* Fails by PETSc's own mechanism, with spg's message. */
#define SpgCall(context, ...)                                                                                          \
    do {                                                                                                               \
        const spg_status status_ = (__VA_ARGS__);                                                                      \
        if (PetscUnlikely(status_ != SPG_OK))                                                                          \
            SETERRQ(PETSC_COMM_SELF, petsc_error(status_), "spg: %s (%s)", spg_context_message(context),               \
                    spg_status_name(status_));                                                                         \
    } while (0)

/* The code by which PETSc reports an spg_status. */
PETSC_INTERN PetscErrorCode petsc_error(spg_status status);

/* Events of -log_view. */
typedef struct SpgEvents {
    PetscLogEvent product, numeric, rows, sum;
} SpgEvents;
PETSC_INTERN SpgEvents spg_events;

/* The process's context of the host, made when PETSc loads the plug-in and destroyed by PetscFinalize. */
PETSC_INTERN PetscErrorCode shared_context(spg_context **context);

/* spg's log goes to PETSc's: -info :mat,pc. */
PETSC_INTERN void log_line(void *user, const char *line);

/* Whether PETSc works on the matrix on a device: type aijcusparse, and not bound to the CPU. */
PETSC_INTERN PetscErrorCode on_device(Mat matrix, PetscBool *device);

/* ---- Matrices of one process (view.c) --------------------------------------------------------------------------- */

/* A sequential AIJ matrix as spg sees it, at the place where PETSc works on it. On a device and with 32-bit indices it
 * points into the matrix; on the host with 64-bit indices it has columns of its own. */
typedef struct SpgView {
    spg_csr csr;
    int32_t *columns;                                  /* NULL if the matrix's are used */
    const PetscInt *pattern_offsets, *pattern_columns; /* the matrix's, on the host */
    PetscObjectId id;                                  /* of the matrix, and the state of its pattern */
    PetscObjectState state;
    PetscBool changed;    /* the last update found another matrix or another state */
    uint64_t fingerprint; /* of the pattern at view_keep_pattern; 0 before */
} SpgView;

PETSC_INTERN PetscErrorCode view_update(Mat matrix, SpgView *view);
/* Fails if the pattern is another than at the first call for this view. */
PETSC_INTERN PetscErrorCode view_keep_pattern(SpgView *view);
PETSC_INTERN PetscErrorCode view_clear(SpgView *view);

/* matrix is or becomes a sequential AIJ matrix of its type with the pattern and the values of csr, whose columns are
 * its own. Both are on the host. */
PETSC_INTERN PetscErrorCode fill_seqaij(Mat matrix, const spg_csr *csr);
/* Its pattern alone, on the host; the values are anything. */
PETSC_INTERN PetscErrorCode fill_pattern(Mat matrix, const spg_csr *csr);

/* ---- Products --------------------------------------------------------------------------------------------------- */

/* For a matrix's productsetfromoptions, and by name for mixed types. */
PETSC_INTERN PetscErrorCode product_set_from_options(Mat C);
/* Whether spg is to compute a product, whatever its operands. */
PETSC_INTERN PetscErrorCode is_for_spg(Mat C, PetscBool *ours);

/* Sets the symbolic phase of a product of MPIAIJ matrices (distributed.c) and of SEQAIJ matrices (product.c). */
PETSC_INTERN PetscErrorCode distributed_symbolic(Mat C);

/* What sets a product up where spg does not do it: the base type's function. */
PETSC_INTERN PetscErrorCode base_product_set_from_options(Mat C);

/* C's sizes, type and block sizes, from its operands. */
PETSC_INTERN PetscErrorCode product_layout(Mat C);

/* The transpose of a matrix, not conjugated. *transpose is NULL, or from an earlier call for the same pattern. */
PETSC_INTERN PetscErrorCode transpose_again(Mat matrix, Mat *transpose);

/* What PETSc passes to the destroy function of product data: the data, or since 3.25 its address. */
#if PETSC_VERSION_LT(3, 25, 0)
#define PRODUCT_DATA(argument) (argument)
#else
#define PRODUCT_DATA(argument) (*(void **)(argument))
#endif

/* ---- Registration ----------------------------------------------------------------------------------------------- */

PETSC_INTERN PetscErrorCode register_matrices(void);
/* The operations of PETSc's own matrices of a type. */
PETSC_INTERN PetscErrorCode read_operations(MatType type, struct _MatOps *ops);
PETSC_INTERN PetscErrorCode register_preconditioner(void);

#endif
