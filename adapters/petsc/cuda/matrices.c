/* The types aijcusparsespg: matrices of PETSc's type aijcusparse whose products are spg's.
 *
 * They keep the type name that PETSc gave them, because PETSc's functions for the arrays on a device demand it. The
 * names here are for MatSetType and MatConvert alone. */
#include "on_device.h"

/* What PETSc's own matrices do; read from them when the first is made, because that starts the device. */
static struct _MatOps base_seq, base_mpi;

static PetscErrorCode convert_from_other(Mat A, MatType type, MatReuse reuse, Mat *result);

static PetscErrorCode base_of(Mat A, struct _MatOps **base)
{
    PetscBool distributed;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
    *base = distributed ? &base_mpi : &base_seq;
    if (!(*base)->duplicate) PetscCall(read_operations(distributed ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE, *base));
    PetscFunctionReturn(0);
}

/* Both operands on the device, in matrices of these types. */
static PetscErrorCode are(Mat A, Mat B, MatType type, PetscBool *both)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)A, type, both));
    if (*both) PetscCall(PetscObjectTypeCompare((PetscObject)B, type, both));
    if (*both) PetscCall(on_device(A, both));
    if (*both) PetscCall(on_device(B, both));
    PetscFunctionReturn(0);
}

/* PETSc makes a triple product of one process from two products by its default algorithm. Where it is to multiply, the
 * operands' types must not make one of these spg's. */
static PetscBool is_petscs_alone = PETSC_FALSE;

static PetscErrorCode petscs_symbolic(Mat C)
{
    struct _MatOps *base = NULL;
    PetscErrorCode error;

    PetscFunctionBegin;
    PetscCall(base_of(C->product->A, &base));
    C->ops->productsymbolic = NULL; /* PETSc's function sets it only then */
    PetscCall((*base->productsetfromoptions)(C));
    is_petscs_alone = PETSC_TRUE;
    error = (*C->ops->productsymbolic)(C);
    is_petscs_alone = PETSC_FALSE;
    PetscCall(error);
    PetscFunctionReturn(0);
}

static PetscErrorCode set_product(Mat C)
{
    const Mat A = C->product->A, B = C->product->B;
    struct _MatOps *base = NULL;
    PetscBool ours, seq, mpi;

    PetscFunctionBegin;
    PetscCall(is_for_spg(C, &ours));
    if (is_petscs_alone) ours = PETSC_FALSE;
    PetscCall(are(A, B, MATSEQAIJCUSPARSE, &seq));
    PetscCall(are(A, B, MATMPIAIJCUSPARSE, &mpi));
    if (ours && (seq || mpi)) {
        C->ops->productsymbolic = seq ? device_product_symbolic : distributed_symbolic;
        PetscFunctionReturn(0);
    }
    PetscCall(base_of(A, &base));
    PetscCall((*base->productsetfromoptions)(C));
    if (!ours && !is_petscs_alone && C->ops->productsymbolic) C->ops->productsymbolic = petscs_symbolic;
    PetscFunctionReturn(0);
}

/* ---- Operations that make or change a matrix -------------------------------------------------------------------- */

static PetscErrorCode become(Mat A);

static PetscErrorCode destroy(Mat A)
{
    struct _MatOps *base = NULL;
    PetscBool distributed;

    PetscFunctionBegin;
    PetscCall(base_of(A, &base));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
    if (distributed)
        PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatProductSetFromOptions_mpiaijcusparse_mpiaijcusparse_C",
                                             NULL));
    PetscCall((*base->destroy)(A));
    PetscFunctionReturn(0);
}

static PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat *copy)
{
    struct _MatOps *base = NULL;

    PetscFunctionBegin;
    PetscCall(base_of(A, &base));
    PetscCall((*base->duplicate)(A, option, copy));
    PetscCall(become(*copy));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_submatrix(Mat A, IS rows, IS columns, MatReuse reuse, Mat *part)
{
    struct _MatOps *base = NULL;

    PetscFunctionBegin;
    PetscCall(base_of(A, &base));
    PetscCall((*base->createsubmatrix)(A, rows, columns, reuse, part));
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(become(*part));
    PetscFunctionReturn(0);
}

/* A matrix that is bound to the CPU is PETSc's alone. */
static PetscErrorCode bind_to_cpu(Mat A, PetscBool bind)
{
    struct _MatOps *base = NULL;

    PetscFunctionBegin;
    PetscCall(base_of(A, &base));
    PetscCall((*base->bindtocpu)(A, bind));
    PetscCall(become(A));
    PetscFunctionReturn(0);
}

static PetscErrorCode become(Mat A)
{
    struct _MatOps *base = NULL;
    PetscBool device, distributed;

    PetscFunctionBegin;
    PetscCall(base_of(A, &base));
    A->ops->destroy = destroy;
    A->ops->duplicate = duplicate;
    A->ops->createsubmatrix = create_submatrix;
    A->ops->convertfrom = convert_from_other;
    if (base->bindtocpu) A->ops->bindtocpu = bind_to_cpu;
    PetscCall(on_device(A, &device));
    if (!device) PetscFunctionReturn(0);
    A->ops->productsetfromoptions = set_product;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
    PetscCall(PetscObjectComposeFunction((PetscObject)A,
                                         distributed ? "MatProductSetFromOptions_mpiaijcusparse_mpiaijcusparse_C"
                                                     : "MatProductSetFromOptions_seqaijcusparse_seqaijcusparse_C",
                                         set_product));
    PetscFunctionReturn(0);
}

/* ---- The types -------------------------------------------------------------------------------------------------- */

static PetscErrorCode convert_from_other(Mat A, MatType type, MatReuse reuse, Mat *result)
{
    PetscMPIInt size;
    PetscBool distributed;

    PetscFunctionBegin;
    PetscCall(PetscStrcmp(type, MPIAIJCUSPARSESPG, &distributed));
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
    if (size > 1) distributed = PETSC_TRUE;
    PetscCall(MatConvert(A, distributed ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE, reuse, result));
    PetscCall(become(*result));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_seq(Mat A)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATSEQAIJCUSPARSE));
    PetscCall(become(A));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_mpi(Mat A)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATMPIAIJCUSPARSE));
    PetscCall(become(A));
    PetscFunctionReturn(0);
}

PetscErrorCode register_device_matrices(void)
{
    PetscFunctionBegin;
    PetscCall(MatRegister(SEQAIJCUSPARSESPG, create_seq));
    PetscCall(MatRegister(MPIAIJCUSPARSESPG, create_mpi));
    PetscCall(MatRegisterRootName(AIJCUSPARSESPG, SEQAIJCUSPARSESPG, MPIAIJCUSPARSESPG));
    PetscFunctionReturn(0);
}
