/* The calls of spg/operations.h and spg/krylov.h; see library_calls.h. */
#include "library_calls.h"

static spg_status free_made(library_inputs *in, spg_status status, spg_csr *made)
{
    if (status == SPG_OK)
        spg_csr_free(in->context, made);
    else
        test_assert_zeroed(made, sizeof *made);
    return status;
}

spg_status call_add(library_inputs *in, int number)
{
    spg_csr C;
    const spg_csr *A = &in->systems[number].A;
    return free_made(in, spg_csr_add(in->context, NULL, A, NULL, A, &C), &C);
}

/* A copy, so that the system stays as it is. */
spg_status call_scale(library_inputs *in, int number)
{
    spg_csr C;
    const library_system *system = &in->systems[number];
    spg_status status = spg_csr_copy(in->context, &system->A, &C);
    if (status != SPG_OK) return status;
    status = spg_csr_scale(in->context, system->b, system->b, &C);
    spg_csr_free(in->context, &C);
    return status;
}

spg_status call_diagonal(library_inputs *in, int number)
{
    return spg_csr_diagonal(in->context, &in->systems[number].A, in->systems[number].x);
}

spg_status call_permute(library_inputs *in, int number)
{
    spg_csr C;
    const library_system *system = &in->systems[number];
    return free_made(in, spg_csr_permute(in->context, &system->A, system->order, system->order, &C), &C);
}

/* Some rows by their indices, and a range of columns. */
spg_status call_extract(library_inputs *in, int number)
{
    spg_csr C;
    const library_system *system = &in->systems[number];
    const spg_indices rows = {0, system->A.rows / 3, system->order}, columns = {1, system->A.cols / 2, NULL};
    return free_made(in, spg_csr_extract(in->context, &system->A, &rows, &columns, &C), &C);
}

spg_status call_drop(library_inputs *in, int number)
{
    spg_csr C;
    const spg_drop_rule rule = {0, 0.5, 1};
    return free_made(in, spg_csr_drop(in->context, &in->systems[number].A, &rule, &C), &C);
}

spg_status call_compare(library_inputs *in, int number)
{
    spg_difference difference;
    const spg_csr *A = &in->systems[number].A;
    return spg_csr_compare(in->context, A, A, &difference);
}

/* One vector, with strides of its own. */
spg_status call_spmm(library_inputs *in, int number)
{
    const library_system *system = &in->systems[number];
    const int64_t n = system->A.rows;
    return spg_csr_spmm(in->context, NULL, &system->A, 1, SPG_COLUMN_MAJOR, system->b, n, NULL, system->x, n);
}

/* Of one vector; a cycle, then a solve. */
spg_status call_many(library_inputs *in, int number)
{
    const library_system *system = &in->systems[number];
    const int64_t n = system->A.rows;
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.max_iterations = 3;
    options.tolerance = 0.9;
    const spg_status status =
        spg_amg_apply_many(in->context, system->amg, 1, SPG_ROW_MAJOR, system->b, 1, system->x, 1);
    if (status != SPG_OK) return status;
    return spg_amg_solve_many(in->context, system->amg, 1, SPG_COLUMN_MAJOR, system->b, n, system->x, n, &options,
                              NULL);
}

spg_status call_krylov_solve(library_inputs *in, int number)
{
    const library_system *system = &in->systems[number % SYSTEMS];
    const spg_operator A = spg_csr_operator(&system->A), M = spg_amg_operator(system->amg);
    spg_krylov_options options = spg_krylov_options_default();
    options.method = (spg_krylov_method)(number / SYSTEMS);
    options.zero_guess = 1;
    options.tolerance = 0.1; /* some iterations */
    return spg_krylov_solve(in->context, &A, &M, system->b, system->x, &options, NULL);
}

spg_status call_amg_apply(library_inputs *in, int number)
{
    const library_system *system = &in->systems[number];
    return spg_amg_apply(in->context, system->amg, system->b, system->x);
}
