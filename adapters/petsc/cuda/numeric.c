/* The multiplications of a product on a device: the first, and repeats with new values.
 *
 * The first makes the plan as well: PETSc's symbolic phase is where users expect that cost, and of repeats they expect
 * the values' alone. */
#include "on_device.h"

PetscErrorCode device_numeric_first(SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A, const spg_csr *B,
                                    spg_csr *C)
{
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    if (numeric->is_triple) {
        SpgCall(context, spg_galerkin_plan_create(context, R, A, B, &numeric->triple));
        SpgCall(context, spg_galerkin_plan_run(numeric->triple, R, A, B, C));
    } else {
        SpgCall(context, spgemm_plan_create(context, A, B, &numeric->plan));
        SpgCall(context, spgemm_plan_run(numeric->plan, A, B, C));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode device_numeric_repeat(const SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A,
                                     const spg_csr *B, spg_csr *C)
{
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    if (numeric->is_triple)
        SpgCall(context, spg_galerkin_plan_run(numeric->triple, R, A, B, C));
    else
        SpgCall(context, spgemm_plan_run(numeric->plan, A, B, C));
    PetscFunctionReturn(0);
}

PetscErrorCode device_numeric_check(const SpgDeviceNumeric *numeric, const spg_csr *R, const spg_csr *A,
                                    const spg_csr *B, PetscBool *same)
{
    spg_status status;
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    status =
        numeric->is_triple ? spg_galerkin_plan_check(numeric->triple, R, A, B) : spgemm_plan_check(numeric->plan, A, B);
    *same = status == SPG_OK ? PETSC_TRUE : PETSC_FALSE;
    if (status != SPG_ERROR_SHAPE) SpgCall(context, status);
    PetscFunctionReturn(0);
}

void device_numeric_clear(SpgDeviceNumeric *numeric)
{
    spgemm_plan_destroy(numeric->plan);
    spg_galerkin_plan_destroy(numeric->triple);
}
