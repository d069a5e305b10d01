/* The process's handle of cuSPARSE, for the device and the stream of device_context. */
#ifndef SPG_PETSC_CUSPARSE_H
#define SPG_PETSC_CUSPARSE_H

#include "on_device.h"

#include <petscdevice_cuda.h>

PETSC_INTERN PetscErrorCode device_cusparse(cusparseHandle_t *handle);

#endif
