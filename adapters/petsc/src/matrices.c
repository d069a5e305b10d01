/* The matrix types: AIJ matrices of PETSc whose products are spg's. */
#include "adapter.h"

/* What PETSc's own types do, read from matrices of these types. A plug-in cannot name these functions. */
static struct _MatOps base_seq, base_mpi;
static PetscErrorCode (*base_preallocation)(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[]);

/* Functions that a matrix of these types has beside those of its base type. Products of mixed types find them by name,
 * also A*B*C, which PETSc computes: without a name it would mix its own product with one of spg. */
typedef struct Named {
    const char *name;
    void (*function)(void);
} Named;

static PetscErrorCode convert_to_base(Mat A, MatType type, MatReuse reuse, Mat *result);
static PetscErrorCode convert_from_base(Mat A, MatType type, MatReuse reuse, Mat *result);

static PetscErrorCode compose(Mat A, PetscBool distributed, PetscBool remove)
{
    static const Named seq[] = {
        {"MatConvert_seqaijspg_seqaij_C", (void (*)(void))convert_to_base},
        {"MatConvert_seqaij_seqaijspg_C", (void (*)(void))convert_from_base},
        {"MatProductSetFromOptions_seqaijspg_seqaij_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_seqaij_seqaijspg_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_seqaij_seqaij_seqaijspg_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_seqaij_seqaijspg_seqaij_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_seqaij_seqaijspg_seqaijspg_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_seqaijspg_seqaij_seqaij_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_seqaijspg_seqaij_seqaijspg_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_seqaijspg_seqaijspg_seqaij_C", (void (*)(void))product_set_from_options},
    };
    static const Named mpi[] = {
        {"MatConvert_mpiaijspg_mpiaij_C", (void (*)(void))convert_to_base},
        {"MatConvert_mpiaij_mpiaijspg_C", (void (*)(void))convert_from_base},
        {"MatProductSetFromOptions_mpiaijspg_mpiaij_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_mpiaij_mpiaijspg_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_mpiaij_mpiaij_mpiaijspg_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_mpiaij_mpiaijspg_mpiaij_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_mpiaij_mpiaijspg_mpiaijspg_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_mpiaijspg_mpiaij_mpiaij_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_mpiaijspg_mpiaij_mpiaijspg_C", (void (*)(void))product_set_from_options},
        {"MatProductSetFromOptions_mpiaijspg_mpiaijspg_mpiaij_C", (void (*)(void))product_set_from_options},
    };
    const Named *named = distributed ? mpi : seq;

    PetscFunctionBegin;
    for (size_t k = 0; k < sizeof seq / sizeof *seq; k++)
        PetscCall(PetscObjectComposeFunction((PetscObject)A, named[k].name, remove ? NULL : named[k].function));
    PetscFunctionReturn(0);
}

/* ---- One process ------------------------------------------------------------------------------------------------ */

static PetscErrorCode destroy_seq(Mat A)
{
    PetscFunctionBegin;
    PetscCall(compose(A, PETSC_FALSE, PETSC_TRUE));
    PetscCall((*base_seq.destroy)(A));
    PetscFunctionReturn(0);
}

static PetscErrorCode become_seq(Mat A)
{
    PetscFunctionBegin;
    A->ops->destroy = destroy_seq;
    A->ops->productsetfromoptions = product_set_from_options;
    PetscCall(compose(A, PETSC_FALSE, PETSC_FALSE));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, SEQAIJSPG));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_seq(Mat A)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATSEQAIJ));
    PetscCall(become_seq(A));
    PetscFunctionReturn(0);
}

/* ---- Several processes ------------------------------------------------------------------------------------------ */

static PetscErrorCode destroy_mpi(Mat A)
{
    PetscFunctionBegin;
    PetscCall(compose(A, PETSC_TRUE, PETSC_TRUE));
    PetscCall((*base_mpi.destroy)(A));
    PetscFunctionReturn(0);
}

/* The blocks are of type seqaijspg, for what works on one process, as block Jacobi does. */
static PetscErrorCode preallocate_mpi(Mat A, PetscInt d, const PetscInt ds[], PetscInt o, const PetscInt os[])
{
    Mat diagonal, off;

    PetscFunctionBegin;
    PetscCall((*base_preallocation)(A, d, ds, o, os));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off, NULL));
    PetscCall(become_seq(diagonal));
    PetscCall(become_seq(off));
    PetscFunctionReturn(0);
}

static PetscErrorCode become_mpi(Mat A)
{
    Mat diagonal, off;

    PetscFunctionBegin;
    A->ops->destroy = destroy_mpi;
    A->ops->productsetfromoptions = product_set_from_options;
    PetscCall(compose(A, PETSC_TRUE, PETSC_FALSE));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatMPIAIJSetPreallocation_C", preallocate_mpi));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, MPIAIJSPG));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off, NULL));
    if (diagonal) PetscCall(become_seq(diagonal));
    if (off) PetscCall(become_seq(off));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_mpi(Mat A)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATMPIAIJ));
    PetscCall(become_mpi(A));
    PetscFunctionReturn(0);
}

/* ---- Both ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode convert_from_base(Mat A, MatType type, MatReuse reuse, Mat *result)
{
    PetscBool distributed;

    PetscFunctionBegin;
    (void)type;
    if (reuse == MAT_REUSE_MATRIX) {
        PetscCall(MatCopy(A, *result, SAME_NONZERO_PATTERN));
        PetscFunctionReturn(0);
    }
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, result));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)*result, MATMPIAIJ, &distributed));
    if (distributed)
        PetscCall(become_mpi(*result));
    else
        PetscCall(become_seq(*result));
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_to_base(Mat A, MatType type, MatReuse reuse, Mat *result)
{
    PetscBool distributed;
    Mat B;

    PetscFunctionBegin;
    (void)type;
    if (reuse == MAT_INITIAL_MATRIX)
        PetscCall(MatDuplicate(A, MAT_COPY_VALUES, result));
    else if (reuse == MAT_REUSE_MATRIX) {
        PetscCall(MatCopy(A, *result, SAME_NONZERO_PATTERN));
        PetscFunctionReturn(0);
    }
    B = *result;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)B, MATMPIAIJ, &distributed));
    PetscCall(compose(B, distributed, PETSC_TRUE));
    B->ops->destroy = distributed ? base_mpi.destroy : base_seq.destroy;
    B->ops->productsetfromoptions = distributed ? base_mpi.productsetfromoptions : base_seq.productsetfromoptions;
    if (distributed)
        PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatMPIAIJSetPreallocation_C", base_preallocation));
    PetscCall(PetscObjectChangeTypeName((PetscObject)B, distributed ? MATMPIAIJ : MATSEQAIJ));
    PetscFunctionReturn(0);
}

PetscErrorCode base_product_set_from_options(Mat C)
{
    PetscBool distributed;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)C->product->A, MATMPIAIJ, &distributed));
    PetscCall((*(distributed ? base_mpi : base_seq).productsetfromoptions)(C));
    PetscFunctionReturn(0);
}

PetscErrorCode read_operations(MatType type, struct _MatOps *ops)
{
    Mat matrix;

    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, &matrix));
    PetscCall(MatSetType(matrix, type));
    *ops = *matrix->ops;
    PetscCall(MatDestroy(&matrix));
    PetscFunctionReturn(0);
}

static PetscErrorCode read_preallocation(void)
{
    Mat matrix;

    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, &matrix));
    PetscCall(MatSetType(matrix, MATMPIAIJ));
    PetscCall(PetscObjectQueryFunction((PetscObject)matrix, "MatMPIAIJSetPreallocation_C", &base_preallocation));
    PetscCall(MatDestroy(&matrix));
    PetscFunctionReturn(0);
}

PetscErrorCode register_matrices(void)
{
    PetscFunctionBegin;
    PetscCall(MatRegister(SEQAIJSPG, create_seq));
    PetscCall(MatRegister(MPIAIJSPG, create_mpi));
    PetscCall(MatRegisterRootName(AIJSPG, SEQAIJSPG, MPIAIJSPG));
    PetscCall(MatSeqAIJRegister(SEQAIJSPG, convert_from_base));
    PetscCall(read_operations(MATSEQAIJ, &base_seq));
    PetscCall(read_operations(MATMPIAIJ, &base_mpi));
    PetscCall(read_preallocation());
    PetscFunctionReturn(0);
}
