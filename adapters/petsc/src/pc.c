/* -pc_type spg: a multigrid hierarchy of spg as a preconditioner, of one process. Also written for PETSc's private
 * header pcimpl.h. */
#include "on_device.h"
#include <petsc/private/pcimpl.h>

typedef struct PCSpg {
    spg_amg_options options;
    PetscInt block_size; /* 0: the matrix's */
    SpgView A;
    Mat converted; /* the matrix as one of type seqaij, if it is of another type */
    spg_amg *amg;
    PetscObjectState pattern; /* of the matrix that the hierarchy refers to */
    PetscObjectId id;         /* of that matrix; a conversion in place puts another matrix there */
} PCSpg;

/* The matrix that the hierarchy is built from: a sequential AIJ matrix. */
static PetscErrorCode sequential_matrix(PC pc, Mat *matrix)
{
    PCSpg *spg = pc->data;
    PetscMPIInt size;
    PetscBool is_seqaij, is_mpiaij;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc->pmat), &size));
    PetscCheck(size == 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
               "-pc_type spg works on one process, and the matrix is on %d: use -pc_type bjacobi -sub_pc_type spg, or "
               "-pc_type gamg with -mat_type aijspg",
               (int)size);
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)pc->pmat, MATSEQAIJ, &is_seqaij));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)pc->pmat, MATMPIAIJ, &is_mpiaij));
    if (is_seqaij)
        *matrix = pc->pmat;
    else if (is_mpiaij)
        PetscCall(MatMPIAIJGetSeqAIJ(pc->pmat, matrix, NULL, NULL));
    else {
        const PetscBool again = spg->converted && pc->flag == SAME_NONZERO_PATTERN ? PETSC_TRUE : PETSC_FALSE;
        if (!again) PetscCall(MatDestroy(&spg->converted));
        PetscCall(MatConvert(pc->pmat, MATSEQAIJ, again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &spg->converted));
        *matrix = spg->converted;
    }
    PetscFunctionReturn(0);
}

/* The context of the place where the matrix is, and so of the hierarchy. */
static PetscErrorCode context_of(const PCSpg *spg, spg_context **context)
{
    PetscFunctionBegin;
    if (spg->A.csr.place == SPG_PLACE_DEVICE)
        PetscCall(device_context(context));
    else
        PetscCall(shared_context(context));
    PetscFunctionReturn(0);
}

/* The near null space as spg takes it: *count vectors of `rows` one after another, at the place of the hierarchy.
 * *values is NULL if the matrix has none. */
static PetscErrorCode candidates_of(Mat matrix, const spg_csr *A, int *count, Vec *values)
{
    const PetscInt rows = (PetscInt)A->rows;
    MatNullSpace space;
    PetscBool constant;
    PetscInt vectors;
    const Vec *vecs;
    PetscScalar *first, *to;

    PetscFunctionBegin;
    *count = 0;
    *values = NULL;
    PetscCall(MatGetNearNullSpace(matrix, &space));
    if (!space) PetscFunctionReturn(0);
    PetscCall(MatNullSpaceGetVecs(space, &constant, &vectors, &vecs));
    *count = (int)vectors + (constant ? 1 : 0);
    if (*count == 0) PetscFunctionReturn(0);
    PetscCall(VecCreate(PETSC_COMM_SELF, values));
    PetscCall(VecSetSizes(*values, rows * *count, rows * *count));
    PetscCall(VecSetType(*values, A->place == SPG_PLACE_DEVICE ? VECSEQCUDA : VECSEQ));
    PetscCall(VecGetArrayWrite(*values, &first));
    to = first;
    if (constant)
        for (PetscInt i = 0; i < rows; i++) *to++ = 1;
    for (PetscInt v = 0; v < vectors; v++, to += rows) {
        const PetscScalar *from;
        PetscCall(VecGetArrayRead(vecs[v], &from));
        PetscCall(PetscArraycpy(to, from, rows));
        PetscCall(VecRestoreArrayRead(vecs[v], &from));
    }
    PetscCall(VecRestoreArrayWrite(*values, &first));
    PetscFunctionReturn(0);
}

static PetscErrorCode reset_spg(PC pc)
{
    PCSpg *spg = pc->data;

    PetscFunctionBegin;
    spg_amg_destroy(spg->amg);
    spg->amg = NULL;
    PetscCall(view_clear(&spg->A));
    PetscCall(MatDestroy(&spg->converted));
    PetscFunctionReturn(0);
}

static PetscErrorCode set_up_first(PC pc, spg_context *context)
{
    PCSpg *spg = pc->data;
    spg_amg_options options = spg->options;
    PetscInt block_size = spg->block_size;
    const PetscScalar *values = NULL;
    spg_status status;
    Vec candidates;

    PetscFunctionBegin;
    if (block_size == 0) PetscCall(MatGetBlockSize(pc->pmat, &block_size));
    options.block_size = (int)block_size;
    PetscCall(candidates_of(pc->pmat, &spg->A.csr, &options.candidates, &candidates));
    if (candidates) PetscCall(VecGetArrayReadAndMemType(candidates, &values, NULL));
    options.candidate_values = values;
    status = spg_amg_setup(context, &spg->A.csr, &options, &spg->amg);
    if (candidates) PetscCall(VecRestoreArrayReadAndMemType(candidates, &values));
    PetscCall(VecDestroy(&candidates));
    SpgCall(context, status);
    PetscFunctionReturn(0);
}

static PetscErrorCode set_up_spg(PC pc)
{
    PCSpg *spg = pc->data;
    const spg_place before = spg->A.csr.place;
    PetscObjectId id;
    spg_context *context;
    Mat matrix;

    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)pc->pmat, &id));
    if (spg->amg && (pc->flag != SAME_NONZERO_PATTERN || id != spg->id)) PetscCall(reset_spg(pc));
    PetscCall(sequential_matrix(pc, &matrix));
    PetscCall(view_update(matrix, &spg->A));
    PetscCall(context_of(spg, &context));
    PetscCall(MatGetNonzeroState(pc->pmat, &spg->pattern));
    spg->id = id;
    if (spg->amg && before != spg->A.csr.place) {
        spg_amg_destroy(spg->amg);
        spg->amg = NULL;
    }
    if (spg->amg)
        SpgCall(context, spg_amg_update(context, spg->amg, &spg->A.csr));
    else
        PetscCall(set_up_first(pc, context));
    PetscFunctionReturn(0);
}

static PetscErrorCode cycle_on_host(spg_context *context, const PCSpg *spg, Vec b, Vec x)
{
    const PetscScalar *from;
    PetscScalar *to;
    spg_status status;

    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(b, &from));
    PetscCall(VecGetArrayWrite(x, &to));
    PetscCall(PetscArrayzero(to, spg->A.csr.rows));
    status = spg_amg_cycle(context, spg->amg, from, to);
    PetscCall(VecRestoreArrayWrite(x, &to));
    PetscCall(VecRestoreArrayRead(b, &from));
    SpgCall(context, status);
    PetscFunctionReturn(0);
}

static PetscErrorCode cycle_on_device(spg_context *context, const PCSpg *spg, Vec b, Vec x)
{
    const PetscScalar *from;
    PetscScalar *to;
    PetscMemType b_place, x_place;
    spg_status status = SPG_OK;

    PetscFunctionBegin;
    PetscCall(VecSet(x, 0));
    PetscCall(VecGetArrayReadAndMemType(b, &from, &b_place));
    PetscCall(VecGetArrayAndMemType(x, &to, &x_place));
    if (PetscMemTypeDevice(b_place) && PetscMemTypeDevice(x_place)) status = spg_amg_cycle(context, spg->amg, from, to);
    PetscCall(VecRestoreArrayAndMemType(x, &to));
    PetscCall(VecRestoreArrayReadAndMemType(b, &from));
    PetscCheck(PetscMemTypeDevice(b_place) && PetscMemTypeDevice(x_place), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The matrix is on a device and a vector is not, being of type %s: make it by MatCreateVecs",
               ((PetscObject)(PetscMemTypeDevice(b_place) ? x : b))->type_name);
    SpgCall(context, status);
    PetscFunctionReturn(0);
}

static PetscErrorCode apply_spg(PC pc, Vec b, Vec x)
{
    PCSpg *spg = pc->data;
    PetscObjectState pattern;
    PetscObjectId id;
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(context_of(spg, &context));
    /* The hierarchy points into the matrix, whose arrays may be gone with the pattern that they had. */
    PetscCall(MatGetNonzeroState(pc->pmat, &pattern));
    PetscCall(PetscObjectGetId((PetscObject)pc->pmat, &id));
    PetscCheck(pattern == spg->pattern && id == spg->id, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
               "The matrix has another pattern or type than at PCSetUp: call PCSetUp again");
    if (spg->A.csr.place == SPG_PLACE_DEVICE)
        PetscCall(cycle_on_device(context, spg, b, x));
    else
        PetscCall(cycle_on_host(context, spg, b, x));
    PetscFunctionReturn(0);
}

/* ---- Options ---------------------------------------------------------------------------------------------------- */

#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *SpgOptionItems;
#else
typedef PetscOptionItems SpgOptionItems;
#endif

/* An option that is an int or a double of spg_amg_options; its default is what the member has. */
#define INT_OPTION(name, text, member)                                                                                 \
    do {                                                                                                               \
        PetscInt value_ = spg->options.member;                                                                         \
        PetscCall(PetscOptionsInt("-pc_spg_" name, text, "spg_amg_options", value_, &value_, NULL));                   \
        spg->options.member = (int)value_;                                                                             \
    } while (0)
#define REAL_OPTION(name, text, member)                                                                                \
    do {                                                                                                               \
        PetscReal value_ = (PetscReal)spg->options.member;                                                             \
        PetscBool set_;                                                                                                \
        PetscCall(PetscOptionsReal("-pc_spg_" name, text, "spg_amg_options", value_, &value_, &set_));                 \
        if (set_) spg->options.member = value_;                                                                        \
    } while (0)

#define FLAG_OPTION(name, text, member)                                                                                \
    do {                                                                                                               \
        PetscBool value_ = spg->options.member ? PETSC_TRUE : PETSC_FALSE;                                             \
        PetscCall(PetscOptionsBool("-pc_spg_" name, text, "spg_amg_options", value_, &value_, NULL));                  \
        spg->options.member = value_ ? 1 : 0;                                                                          \
    } while (0)
/* One of the values of an enumeration that begins with 0, by its name in a list. */
#define LIST_OPTION(name, text, type, member, list)                                                                    \
    do {                                                                                                               \
        PetscInt value_ = (PetscInt)spg->options.member;                                                               \
        PetscCall(PetscOptionsEList("-pc_spg_" name, text, "spg_amg_options", list, sizeof list / sizeof *list,        \
                                    list[value_], &value_, NULL));                                                     \
        spg->options.member = (type)value_;                                                                            \
    } while (0)

static const char *const aggregations[] = {"mis2", "standard"};
static const char *const strengths[] = {"symmetric", "classical"};
static const char *const restrictions[] = {"transpose", "petrov-galerkin"};
static const char *const smoothers[] = {"jacobi", "l1-jacobi", "chebyshev"};
static const char *const cycles[] = {"v", "k"};

static PetscErrorCode aggregation_options(SpgOptionItems PetscOptionsObject, PCSpg *spg)
{
    PetscInt seed = (PetscInt)spg->options.seed;

    PetscFunctionBegin;
    LIST_OPTION("aggregation", "How nodes are aggregated", spg_aggregation, aggregation, aggregations);
    FLAG_OPTION("join_leftovers", "mis2: rows that remain start or join aggregates", join_leftovers);
    PetscCall(PetscOptionsInt("-pc_spg_seed", "Seed of the aggregation mis2", "spg_amg_options", seed, &seed, NULL));
    spg->options.seed = (uint64_t)seed;
    LIST_OPTION("strength", "Which couplings are strong", spg_strength, strength, strengths);
    REAL_OPTION("theta", "Least strength of a strong coupling; 0: all are strong", theta);
    PetscCall(PetscOptionsInt("-pc_spg_block_size", "Unknowns of a node; 0: the matrix's block size", "spg_amg_options",
                              spg->block_size, &spg->block_size, NULL));
    PetscFunctionReturn(0);
}

static PetscErrorCode coarsening_options(SpgOptionItems PetscOptionsObject, PCSpg *spg)
{
    PetscInt max_coarse = (PetscInt)spg->options.max_coarse;
    PetscBool narrow = spg->options.precision == SPG_AMG_PRECISION_F32;

    PetscFunctionBegin;
    PetscCall(PetscOptionsInt("-pc_spg_max_coarse", "Rows of a level that is solved densely", "spg_amg_options",
                              max_coarse, &max_coarse, NULL));
    spg->options.max_coarse = max_coarse;
    INT_OPTION("max_levels", "Most levels", max_levels);
    REAL_OPTION("least_coarsening", "Least factor between the rows of two levels", least_coarsening);
    REAL_OPTION("max_complexity", "Limit on the operator complexity; 0: none", max_complexity);
    REAL_OPTION("prolongator_relaxation", "Relaxation of the prolongator, over rho; 0: not smoothed",
                prolongator_relaxation);
    FLAG_OPTION("filter", "The prolongator is smoothed by A without weak entries; needs theta", filter);
    LIST_OPTION("restriction", "How the restriction of an unsymmetric matrix is made", spg_restriction, restriction,
                restrictions);
    INT_OPTION("spectral_steps", "Lanczos steps for rho", spectral_steps);
    PetscCall(PetscOptionsBool("-pc_spg_f32", "The hierarchy in floats", "spg_amg_options", narrow, &narrow, NULL));
    spg->options.precision = narrow ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
    FLAG_OPTION("prepare_update", "Set-up makes the plans of updates", prepare_update);
    PetscFunctionReturn(0);
}

static PetscErrorCode options_spg(PC pc, SpgOptionItems PetscOptionsObject)
{
    PCSpg *spg = pc->data;

    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "spg options");
    PetscCall(aggregation_options(PetscOptionsObject, spg));
    PetscCall(coarsening_options(PetscOptionsObject, spg));
    LIST_OPTION("smoother", "Smoother", spg_smoother, smoother, smoothers);
    INT_OPTION("pre_sweeps", "Sweeps before the coarse correction", pre_sweeps);
    INT_OPTION("post_sweeps", "Sweeps after it", post_sweeps);
    REAL_OPTION("relaxation", "Relaxation of Jacobi, over rho", relaxation);
    INT_OPTION("chebyshev_degree", "Degree of the polynomial", chebyshev_degree);
    REAL_OPTION("chebyshev_ratio", "Upper over lower end of the interval", chebyshev_ratio);
    LIST_OPTION("cycle", "Cycle; k needs a flexible method", spg_cycle, cycle, cycles);
    PetscOptionsHeadEnd();
    PetscFunctionReturn(0);
}

static void view_line(void *user, const char *line) { (void)PetscViewerASCIIPrintf(user, "  %s\n", line); }

static PetscErrorCode view_spg(PC pc, PetscViewer viewer)
{
    PCSpg *spg = pc->data;
    PetscBool ascii;
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    if (!ascii) PetscFunctionReturn(0);
    PetscCall(PetscViewerASCIIPrintf(viewer, "  aggregation %s, smoother %s, %d + %d sweeps, cycle %s\n",
                                     aggregations[spg->options.aggregation], smoothers[spg->options.smoother],
                                     spg->options.pre_sweeps, spg->options.post_sweeps, cycles[spg->options.cycle]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  strength %s, theta %g%s, restriction %s\n",
                                     strengths[spg->options.strength], spg->options.theta,
                                     spg->options.filter ? ", filtered" : "", restrictions[spg->options.restriction]));
    if (!spg->amg) PetscFunctionReturn(0);
    PetscCall(context_of(spg, &context));
    SpgCall(context, spg_amg_print(spg->amg, view_line, viewer));
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy_spg(PC pc)
{
    PetscFunctionBegin;
    PetscCall(reset_spg(pc));
    PetscCall(PetscFree(pc->data));
    PetscFunctionReturn(0);
}

static PetscErrorCode create_spg(PC pc)
{
    PCSpg *spg;

    PetscFunctionBegin;
    PetscCall(PetscNew(&spg));
    spg->options = spg_amg_options_default();
    pc->data = spg;
    pc->ops->setup = set_up_spg;
    pc->ops->apply = apply_spg;
    pc->ops->reset = reset_spg;
    pc->ops->destroy = destroy_spg;
    pc->ops->setfromoptions = options_spg;
    pc->ops->view = view_spg;
    PetscFunctionReturn(0);
}

PetscErrorCode register_preconditioner(void)
{
    PetscFunctionBegin;
    PetscCall(PCRegister("spg", create_spg));
    PetscFunctionReturn(0);
}
