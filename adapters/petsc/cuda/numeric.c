/* The multiplications of a product on a device: the first, and repeats with new values. */
#include "on_device.h"

/* So many repeats are plain products; the next one makes a plan. On an H100 a plan costs what 9 to 29 of its runs save,
 * so that no sequence of repeats takes twice as long as with the better choice. */
enum { PLAIN_REPEATS = 16 };

PetscErrorCode device_numeric_first(const SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A,
                                    const spg_csr *B, spg_csr *C)
{
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    if (numeric->is_triple)
        SpgCall(context, spg_galerkin(context, R, A, B, C));
    else
        SpgCall(context, spgemm_csr(context, A, B, C));
    PetscFunctionReturn(0);
}

static PetscErrorCode plain_repeat(const SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A,
                                   const spg_csr *B, spg_csr *C)
{
    spg_context *context;
    spg_csr anew;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    PetscCall(device_numeric_first(numeric, R, A, B, &anew));
    PetscCheck(anew.nnz == C->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A repeat with %lld entries instead of %lld",
               (long long)anew.nnz, (long long)C->nnz);
    PetscCall(device_copy(C->values, anew.values, (size_t)C->nnz * sizeof(PetscScalar)));
    spg_csr_free(context, &anew);
    PetscFunctionReturn(0);
}

PetscErrorCode device_numeric_repeat(SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A, const spg_csr *B,
                                     spg_csr *C)
{
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    if (numeric->repeats < PLAIN_REPEATS) {
        numeric->repeats++;
        PetscCall(plain_repeat(numeric, R, A, B, C));
    } else if (numeric->is_triple) {
        if (!numeric->triple) SpgCall(context, spg_galerkin_plan_create(context, R, A, B, &numeric->triple));
        SpgCall(context, spg_galerkin_plan_run(numeric->triple, R, A, B, C));
    } else {
        if (!numeric->plan) SpgCall(context, spgemm_plan_create(context, A, B, &numeric->plan));
        SpgCall(context, spgemm_plan_run(numeric->plan, A, B, C));
    }
    PetscFunctionReturn(0);
}

void device_numeric_clear(SpgDeviceNumeric *numeric)
{
    spgemm_plan_destroy(numeric->plan);
    spg_galerkin_plan_destroy(numeric->triple);
}
