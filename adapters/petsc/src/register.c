/* What PETSc calls when it loads the plug-in, and the context that all matrices share. */
#include "on_device.h"

SpgEvents spg_events;

static spg_context *context_of_process;

PetscErrorCode petsc_error(spg_status status)
{
    switch (status) {
    case SPG_ERROR_ARGUMENT: return PETSC_ERR_ARG_OUTOFRANGE;
    case SPG_ERROR_SHAPE: return PETSC_ERR_ARG_SIZ;
    case SPG_ERROR_FORMAT: return PETSC_ERR_ARG_WRONG;
    case SPG_ERROR_OVERFLOW: return PETSC_ERR_INT_OVERFLOW;
    case SPG_ERROR_MEMORY: return PETSC_ERR_MEM;
    case SPG_ERROR_PLACE:
    case SPG_ERROR_UNSUPPORTED: return PETSC_ERR_SUP;
    case SPG_ERROR_INTERNAL: return PETSC_ERR_PLIB;
    case SPG_ERROR_NOT_CONVERGED: return PETSC_ERR_NOT_CONVERGED;
    case SPG_ERROR_BREAKDOWN: return PETSC_ERR_FP;
    default: return PETSC_ERR_LIB;
    }
}

void log_line(void *user, const char *line)
{
    (void)user;
    (void)PetscInfo(NULL, "spg: %s\n", line);
}

static PetscErrorCode destroy_context(void)
{
    PetscFunctionBegin;
    spg_context_destroy(context_of_process);
    context_of_process = NULL;
    PetscFunctionReturn(0);
}

/* The most threads: the cores that the process may use, shared among the processes of its machine. Collective. */
static PetscErrorCode default_threads(PetscInt *threads)
{
    MPI_Comm machine;
    PetscMPIInt processes;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
    PetscCallMPI(MPI_Comm_size(machine, &processes));
    PetscCallMPI(MPI_Comm_free(&machine));
    *threads = PetscMax(1, spg_context_threads(context_of_process) / processes);
    PetscFunctionReturn(0);
}

static PetscErrorCode create_context(PetscInt threads)
{
    spg_config config = spg_config_default();
    spg_status status;

    PetscFunctionBegin;
    config.place = SPG_PLACE_HOST;
    config.threads = (int)threads;
    config.log = log_line;
    spg_context_destroy(context_of_process);
    status = spg_context_create(&config, &context_of_process);
    PetscCheck(status == SPG_OK, PETSC_COMM_SELF, petsc_error(status),
               "spg: no context with %" PetscInt_FMT " threads (%s); -info has the reason", threads,
               spg_status_name(status));
    PetscFunctionReturn(0);
}

PetscErrorCode shared_context(spg_context **context)
{
    PetscFunctionBegin;
    PetscCheck(context_of_process, PETSC_COMM_SELF, PETSC_ERR_ORDER,
               "spg is used before PETSc loaded it or after PetscFinalize");
    *context = context_of_process;
    PetscFunctionReturn(0);
}

static PetscErrorCode register_events(void)
{
    PetscClassId id;

    PetscFunctionBegin;
    PetscCall(PetscClassIdRegister("spg", &id));
    PetscCall(PetscLogEventRegister("SPGProduct", id, &spg_events.product));
    PetscCall(PetscLogEventRegister("SPGNumeric", id, &spg_events.numeric));
    PetscCall(PetscLogEventRegister("SPGRows", id, &spg_events.rows));
    PetscCall(PetscLogEventRegister("SPGSum", id, &spg_events.sum));
    PetscFunctionReturn(0);
}

/* PETSc finds this function by the library's name, libspg_petsc.so. Collective on PETSC_COMM_WORLD. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_spg_petsc(void);
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_spg_petsc(void)
{
    PetscInt threads;
    PetscBool set;

    PetscFunctionBegin;
    if (context_of_process) PetscFunctionReturn(0);
    PetscCall(create_context(0));
    PetscCall(PetscRegisterFinalize(destroy_context));
    PetscCall(default_threads(&threads));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-spg_threads", &threads, &set));
    if (set || threads != spg_context_threads(context_of_process)) PetscCall(create_context(threads));
    PetscCall(register_events());
    PetscCall(register_matrices());
    PetscCall(register_device_matrices());
    PetscCall(register_preconditioner());
    PetscFunctionReturn(0);
}
