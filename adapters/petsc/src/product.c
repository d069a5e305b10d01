/* Products of matrices of one process, and what both kinds of products share. */
#include "numeric.h"

/* A product of PETSc with spg's way of it. */
typedef struct SpgProduct {
    SpgView A, B, C, R;
    Mat transpose;  /* of P, or of R for R*A*R^T */
    PetscBool done; /* the symbolic phase has computed the values as well */
    SpgNumeric numeric;
} SpgProduct;

static PetscErrorCode destroy_product(void *argument)
{
    SpgProduct *data = PRODUCT_DATA(argument);

    PetscFunctionBegin;
    PetscCall(numeric_clear(&data->numeric));
    PetscCall(view_clear(&data->A));
    PetscCall(view_clear(&data->B));
    PetscCall(view_clear(&data->C));
    PetscCall(view_clear(&data->R));
    PetscCall(MatDestroy(&data->transpose));
    PetscCall(PetscFree(data));
    PetscFunctionReturn(0);
}

PetscErrorCode transpose_again(Mat matrix, Mat *transpose)
{
    PetscFunctionBegin;
    if (*transpose) {
        PetscCall(MatTransposeSetPrecursor(matrix, *transpose));
        PetscCall(MatTranspose(matrix, MAT_REUSE_MATRIX, transpose));
    } else {
        PetscCall(MatTranspose(matrix, MAT_INITIAL_MATRIX, transpose));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode product_layout(Mat C)
{
    const Mat A = C->product->A, B = C->product->B;
    PetscLayout rows, columns;
    PetscBool distributed, device;

    PetscFunctionBegin;
    PetscCall(MatGetLayouts(B, &rows, &columns));
    if (C->product->type == MATPRODUCT_AB)
        PetscCall(MatGetLayouts(A, &rows, NULL));
    else if (C->product->type == MATPRODUCT_PtAP)
        rows = columns;
    else /* RARt */
        columns = rows;
    PetscCall(MatSetLayouts(C, rows, columns)); /* with their block sizes */
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
    PetscCall(on_device(A, &device));
    if (device)
        PetscCall(MatSetType(C, distributed ? MPIAIJCUSPARSESPG : SEQAIJCUSPARSESPG));
    else
        PetscCall(MatSetType(C, distributed ? MPIAIJSPG : SEQAIJSPG));
    PetscFunctionReturn(0);
}

/* The operands' views, whose patterns are those of the first product. A triple product has R and P, one of which is the
 * transpose of the other. */
static PetscErrorCode update_operands(Mat C, SpgProduct *data)
{
    const Mat_Product *product = C->product;
    const PetscBool is_RARt = product->type == MATPRODUCT_RARt ? PETSC_TRUE : PETSC_FALSE;
    SpgView *second = is_RARt ? &data->R : &data->B;

    PetscFunctionBegin;
    PetscCall(view_update(product->A, &data->A));
    PetscCall(view_keep_pattern(&data->A));
    PetscCall(view_update(product->B, second));
    PetscCall(view_keep_pattern(second));
    if (product->type == MATPRODUCT_AB) PetscFunctionReturn(0);
    PetscCall(transpose_again(product->B, &data->transpose));
    PetscCall(view_update(data->transpose, is_RARt ? &data->B : &data->R));
    PetscFunctionReturn(0);
}

static const spg_csr *restriction(Mat C, const SpgProduct *data)
{
    return C->product->type == MATPRODUCT_AB ? NULL : &data->R.csr;
}

static PetscErrorCode product_numeric(Mat C)
{
    SpgProduct *data = C->product->data;
    const SpgPass pass = {.A = &data->A.csr, .B = &data->B.csr, .C = &data->C.csr};

    PetscFunctionBegin;
    if (data->done) {
        data->done = PETSC_FALSE;
        PetscFunctionReturn(0);
    }
    PetscCall(update_operands(C, data));
    PetscCall(view_update(C, &data->C));
    PetscCall(view_keep_pattern(&data->C));
    PetscCall(PetscLogEventBegin(spg_events.numeric, C, 0, 0, 0));
    PetscCall(numeric_repeat(restriction(C, data), &pass, &data->numeric));
    PetscCall(PetscLogEventEnd(spg_events.numeric, C, 0, 0, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode product_symbolic(Mat C)
{
    const Mat_Product *product = C->product;
    SpgProduct *data;
    spg_context *context;
    spg_csr result;

    PetscFunctionBegin;
    PetscCall(shared_context(&context));
    PetscCall(PetscNew(&data));
    C->product->data = data;
    C->product->destroy = destroy_product;
    PetscCall(update_operands(C, data));
    PetscCall(PetscLogEventBegin(spg_events.product, C, 0, 0, 0));
    PetscCall(numeric_first(restriction(C, data), &data->A.csr, &data->B.csr, &data->numeric, &result));
    PetscCall(PetscLogEventEnd(spg_events.product, C, 0, 0, 0));
    PetscCall(product_layout(C));
    PetscCall(fill_seqaij(C, &result));
    spg_csr_free(context, &result);
    PetscCall(view_update(C, &data->C));
    PetscCall(view_keep_pattern(&data->C));
    data->done = product->api_user;
    C->ops->productnumeric = product_numeric;
    PetscFunctionReturn(0);
}

/* The algorithm that the user asks for: by MatProductSetAlgorithm, or by an option with the names that PETSc has. Only
 * without a choice, or by the name spg, is it spg's. */
PetscErrorCode is_for_spg(Mat C, PetscBool *ours)
{
    static const char *const names[] = {
        [MATPRODUCT_AB] = "-matmatmult_via", [MATPRODUCT_PtAP] = "-matptap_via", [MATPRODUCT_RARt] = "-matrart_via"};
    const Mat_Product *product = C->product;
    const char *option = "-mat_product_algorithm", *prefix;
    char algorithm[64] = "";
    PetscBool set, is_default, is_spg;

    PetscFunctionBegin;
    *ours = PETSC_FALSE;
    if (product->type != MATPRODUCT_AB && product->type != MATPRODUCT_PtAP && product->type != MATPRODUCT_RARt)
        PetscFunctionReturn(0);
    if (product->api_user) option = names[product->type];
    PetscCall(PetscObjectGetOptionsPrefix((PetscObject)C, &prefix));
    PetscCall(PetscOptionsGetString(((PetscObject)C)->options, prefix, option, algorithm, sizeof algorithm, &set));
    PetscCall(PetscStrcmp(set ? algorithm : product->alg, MATPRODUCTALGORITHMDEFAULT, &is_default));
    PetscCall(PetscStrcmp(set ? algorithm : product->alg, "spg", &is_spg));
    *ours = is_default || is_spg ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(0);
}

/* PETSc's A*B^T of one process transposes B and gives the transpose the type of A. A change from B's type to that of
 * PETSc would empty it, so B has A's type meanwhile. */
static PetscErrorCode transpose_product_symbolic(Mat C)
{
    const Mat B = C->product->B;
    PetscErrorCode ended;

    PetscFunctionBegin;
    PetscCall(base_product_set_from_options(C));
    PetscCall(PetscObjectChangeTypeName((PetscObject)B, MATSEQAIJ));
    ended = (*C->ops->productsymbolic)(C);
    PetscCall(PetscObjectChangeTypeName((PetscObject)B, SEQAIJSPG));
    PetscCall(ended);
    PetscFunctionReturn(0);
}

PetscErrorCode product_set_from_options(Mat C)
{
    const Mat A = C->product->A, B = C->product->B;
    PetscBool ours, a, b;

    PetscFunctionBegin;
    PetscCall(is_for_spg(C, &ours));
    if (ours) {
        PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &a));
        PetscCall(PetscObjectBaseTypeCompare((PetscObject)B, MATMPIAIJ, &b));
        if (a && b) {
            C->ops->productsymbolic = distributed_symbolic;
            PetscFunctionReturn(0);
        }
        PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &a));
        PetscCall(PetscObjectBaseTypeCompare((PetscObject)B, MATSEQAIJ, &b));
        if (a && b) {
            C->ops->productsymbolic = product_symbolic;
            PetscFunctionReturn(0);
        }
    }
    PetscCall(base_product_set_from_options(C));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &a));
    PetscCall(PetscObjectTypeCompare((PetscObject)B, SEQAIJSPG, &b));
    if (a && b && C->product->type == MATPRODUCT_ABt) C->ops->productsymbolic = transpose_product_symbolic;
    PetscFunctionReturn(0);
}
