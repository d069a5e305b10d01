#!/bin/sh
# Runs a program on several processes of this machine: mpirun.sh PROCESSES PROGRAM [ARGUMENT]...
#
# More processes than cores, also as root, and by shared memory alone: no traffic leaves the machine. The settings are
# those of Open MPI; MPICH ignores them.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_plm=isolated OMPI_MCA_plm_rsh_agent=
processes=$1
shift
exec mpirun -n "$processes" "$@"
