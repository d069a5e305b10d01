#!/bin/sh
# with_libraries.sh PROGRAM [ARGUMENT]...: runs it with the libraries of the staged folder that this script lies in
# (tests/stage.sh), and with those of the CUDA toolkit of this machine.
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
LD_LIBRARY_PATH=$folder/lib:${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}${CUDA_HOME:-/usr/local/cuda}/lib64
SPG_SOURCE_DIR=$folder/tree
SPG_REAL_MATRICES=$folder/real
export LD_LIBRARY_PATH SPG_SOURCE_DIR SPG_REAL_MATRICES
exec "$@"
