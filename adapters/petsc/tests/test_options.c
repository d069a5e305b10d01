/* The options -pc_spg_... of the preconditioner. */
#include "claims.h"
#include <stdio.h>
#include <string.h>

/* The text of PCView. */
static PetscErrorCode view_text(PC pc, char *text, size_t room)
{
    PetscViewer viewer;
    FILE *file;
    size_t length;

    PetscFunctionBegin;
    file = tmpfile();
    EXPECT(file, "no temporary file");
    PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
    PetscCall(PCView(pc, viewer));
    PetscCall(PetscViewerFlush(viewer));
    rewind(file);
    length = fread(text, 1, room - 1, file);
    text[length] = '\0';
    PetscCall(PetscViewerDestroy(&viewer));
    fclose(file);
    PetscFunctionReturn(0);
}

static PetscErrorCode options_reach_the_hierarchy(void)
{
    static const char *const options[][2] = {
        {"-pc_spg_smoother", "chebyshev"}, {"-pc_spg_aggregation", "standard"}, {"-pc_spg_max_coarse", "10"},
        {"-pc_spg_max_levels", "2"},       {"-pc_spg_pre_sweeps", "2"},         {"-pc_spg_theta", "0.1"},
    };
    char text[8192];
    Mat A;
    PC pc;

    PetscFunctionBegin;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
    PetscCall(stencil_matrix(PETSC_COMM_SELF, 12, 7, &A));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, "spg"));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PCSetUp(pc));
    PetscCall(view_text(pc, text, sizeof text));
    EXPECT(strstr(text, "aggregation standard, smoother chebyshev, 2 + 1 sweeps"), "the view is:\n%s", text);
    EXPECT(strstr(text, "2 levels") || strstr(text, "levels 2"), "not 2 levels:\n%s", text);
    PetscCall(PetscOptionsSetValue(NULL, "-pc_spg_max_coarse", "-3"));
    PetscCall(PCReset(pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetFromOptions(pc));
    EXPECT_ERROR(PETSC_ERR_ARG_OUTOFRANGE, "max_coarse", PCSetUp(pc));
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        PetscCall(PetscOptionsClearValue(NULL, options[k][0]));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

/* An option with a value, given after others; PETSc splits the text. */
enum { UNSYMMETRIC, SYMMETRIC, MATRICES };
typedef struct Case {
    const char *option, *before;
    int matrix;
} Case;

/* One cycle of a hierarchy with these options, from zero. */
static PetscErrorCode cycle(Mat A, Vec b, const Case *options, Vec x)
{
    PetscOptions list;
    PC pc;

    PetscFunctionBegin;
    PetscCall(PetscOptionsCreate(&list));
    PetscCall(PetscOptionsInsertString(list, options->before));
    PetscCall(PetscOptionsInsertString(list, options->option));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PetscObjectSetOptions((PetscObject)pc, list));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, "spg"));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PCApply(pc, b, x));
    PetscCall(PCDestroy(&pc));
    PetscCall(PetscOptionsDestroy(&list));
    PetscFunctionReturn(0);
}

#define COARSE "-pc_spg_max_coarse 20 "
#define WEAK COARSE "-pc_spg_theta 0.1665 "

static PetscErrorCode each_option_changes_the_cycle(void)
{
    static const Case cases[] = {
        {"-pc_spg_aggregation standard", COARSE, UNSYMMETRIC},
        {"-pc_spg_join_leftovers 0", COARSE, UNSYMMETRIC},
        {"-pc_spg_seed 7", COARSE, UNSYMMETRIC},
        {"-pc_spg_strength classical", WEAK, UNSYMMETRIC},
        {"-pc_spg_theta 0.1665", COARSE, UNSYMMETRIC},
        {"-pc_spg_block_size 2", COARSE, UNSYMMETRIC},
        {"-pc_spg_max_coarse 20", "", UNSYMMETRIC},
        {"-pc_spg_max_levels 2", COARSE, UNSYMMETRIC},
        {"-pc_spg_least_coarsening 20", COARSE, UNSYMMETRIC},
        {"-pc_spg_max_complexity 1.2", COARSE, UNSYMMETRIC},
        {"-pc_spg_prolongator_relaxation 1", COARSE, UNSYMMETRIC},
        {"-pc_spg_filter", WEAK, UNSYMMETRIC},
        {"-pc_spg_restriction petrov-galerkin", COARSE, UNSYMMETRIC},
        {"-pc_spg_spectral_steps 3", COARSE, SYMMETRIC},
        {"-pc_spg_f32", COARSE, UNSYMMETRIC},
        {"-pc_spg_smoother l1-jacobi", COARSE, UNSYMMETRIC},
        {"-pc_spg_pre_sweeps 2", COARSE, UNSYMMETRIC},
        {"-pc_spg_post_sweeps 2", COARSE, UNSYMMETRIC},
        {"-pc_spg_relaxation 1", COARSE, UNSYMMETRIC},
        {"-pc_spg_chebyshev_degree 3", COARSE "-pc_spg_smoother chebyshev ", UNSYMMETRIC},
        {"-pc_spg_cycle k", COARSE, UNSYMMETRIC},
        {"-pc_spg_chebyshev_ratio 10", COARSE "-pc_spg_smoother chebyshev ", UNSYMMETRIC},
    };
    Mat matrices[MATRICES];
    Vec b, x, y;
    PetscReal difference;

    PetscFunctionBegin;
    for (int m = 0; m < MATRICES; m++) PetscCall(stencil_matrix(PETSC_COMM_SELF, 14, 7, &matrices[m]));
    PetscCall(change_values(matrices[UNSYMMETRIC], 5));
    PetscCall(MatCreateVecs(matrices[0], &x, &b));
    PetscCall(VecDuplicate(x, &y));
    PetscCall(VecSetRandom(b, NULL));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Case without = {"", cases[k].before, cases[k].matrix};
        const Mat A = matrices[cases[k].matrix];
        PetscCall(cycle(A, b, &without, x));
        PetscCall(cycle(A, b, &cases[k], y));
        PetscCall(VecAXPY(y, -1, x));
        PetscCall(VecNorm(y, NORM_2, &difference));
        EXPECT(difference > 0, "%s after \"%s\": the same cycle", cases[k].option, cases[k].before);
        PetscCall(cycle(A, b, &without, y));
        PetscCall(VecAXPY(y, -1, x));
        PetscCall(VecNorm(y, NORM_2, &difference));
        EXPECT(difference == 0, "\"%s\": two cycles differ", cases[k].before);
    }
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    for (int m = 0; m < MATRICES; m++) PetscCall(MatDestroy(&matrices[m]));
    PetscFunctionReturn(0);
}

static const Claim claims[] = {
    {"options_reach_the_hierarchy", options_reach_the_hierarchy},
    {"each_option_changes_the_cycle", each_option_changes_the_cycle},
};

int main(int argc, char **argv) { return check_claims(argc, argv, claims, sizeof claims / sizeof *claims); }
