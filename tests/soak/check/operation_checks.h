/* The operations on CSR matrices, of a case of containers. */
#ifndef SPG_SOAK_OPERATION_CHECKS_H
#define SPG_SOAK_OPERATION_CHECKS_H

#include "container_checks.h"

/* Calls every operation on the case's matrix, checks what follows from one for another, and tells the results, which
 * are the same at every place. False after soak_fault. */
bool soak_operates(soak_containers *k);

#endif
