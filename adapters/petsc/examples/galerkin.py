"""A Galerkin product and a solve by petsc4py with spg's plug-in:

    python3 galerkin.py -dll_append /where/spg/is/lib/libspg_petsc.so
    mpirun -n 2 python3 galerkin.py -dll_append /where/spg/is/lib/libspg_petsc.so
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402  (after init, which passes it the options)


def line_matrix(n):
    """The second difference of n points."""
    A = PETSc.Mat().create()
    A.setSizes((n, n))
    A.setType("aijspg")
    A.setPreallocationNNZ((3, 1))
    begin, end = A.getOwnershipRange()
    for row in range(begin, end):
        for column in (row - 1, row, row + 1):
            if 0 <= column < n:
                A.setValue(row, column, 2.0 if column == row else -1.0)
    A.assemble()
    return A


def pairs(A):
    """The prolongator that joins each process's points by two."""
    begin, end = A.getOwnershipRange()
    P = PETSc.Mat().create()
    P.setSizes(((end - begin, None), ((end - begin + 1) // 2, None)))
    P.setType("aijspg")
    P.setPreallocationNNZ((1, 0))
    first = P.getOwnershipRangeColumn()[0]
    for row in range(begin, end):
        P.setValue(row, first + (row - begin) // 2, 1.0)
    P.assemble()
    return P


A = line_matrix(1000)
P = pairs(A)
coarse = A.ptap(P)
A.scale(2.0)
A.ptap(P, result=coarse)  # new values into the same pattern
PETSc.Sys.Print(f"coarse operator: {coarse.getSize()[0]} rows of type {coarse.getType()}, norm {coarse.norm():.4f}")

ksp = PETSc.KSP().create()
ksp.setType("cg")
ksp.setOperators(A)
ksp.getPC().setType("gamg" if A.getComm().getSize() > 1 else "spg")
ksp.setFromOptions()
x, b = A.createVecs()
b.set(1.0)
ksp.solve(b, x)
PETSc.Sys.Print(f"{ksp.getPC().getType()}: {ksp.getIterationNumber()} iterations")
