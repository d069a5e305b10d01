#include "matrices.h"

/* A number that depends on its three arguments alone (SplitMix64's last steps). */
static uint64_t mixed(uint64_t seed, uint64_t i, uint64_t k)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + i * 0xd1b54a32d192ed03u + k * 0x8cb92ba72f3d8dd7u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* In (-1, 1). */
static double mixed_real(uint64_t seed, uint64_t i, uint64_t k)
{
    return (double)(mixed(seed, i, k) >> 11) * 0x1p-52 - 1;
}

PetscInt local_size(MPI_Comm comm, Layout layout, PetscInt n)
{
    int size, rank;
    PetscInt parts = 0, mine = 0, before = 0;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    for (int r = 0; r < size; r++) {
        PetscInt part = 1;
        if (layout == LAYOUT_FIRST) part = r == 0;
        if (layout == LAYOUT_LAST) part = r == size - 1;
        if (layout == LAYOUT_ODD) part = size == 1 || r % 2 == 1;
        if (layout == LAYOUT_RISING) part = size == 1 ? 1 : r;
        if (r < rank) before += part;
        if (r == rank) mine = part;
        parts += part;
    }
    return n * (before + mine) / parts - n * before / parts;
}

PetscErrorCode random_matrix(MPI_Comm comm, Layout rows, Layout columns, PetscInt m, PetscInt n, PetscInt per_row,
                             unsigned seed, Mat *A)
{
    PetscInt begin, end;

    PetscFunctionBegin;
    PetscCall(MatCreateAIJ(comm, local_size(comm, rows, m), local_size(comm, columns, n), m, n, 2 * per_row, NULL,
                           2 * per_row, NULL, A));
    PetscCall(MatGetOwnershipRange(*A, &begin, &end));
    for (PetscInt i = begin; i < end; i++) {
        const PetscInt count = (PetscInt)(mixed(seed, (uint64_t)i, 0) % (uint64_t)(2 * per_row + 1));
        for (PetscInt k = 1; k <= count; k++) {
            const PetscInt j = (PetscInt)(mixed(seed, (uint64_t)i, (uint64_t)k) % (uint64_t)n);
            PetscCall(MatSetValue(*A, i, j, mixed_real(seed + 1, (uint64_t)i, (uint64_t)j), INSERT_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

PetscErrorCode stencil_matrix(MPI_Comm comm, PetscInt n, PetscInt points, Mat *A)
{
    PetscInt begin, end;

    PetscFunctionBegin;
    PetscCall(MatCreateAIJ(comm, PETSC_DECIDE, PETSC_DECIDE, n * n * n, n * n * n, points, NULL, points, NULL, A));
    PetscCall(MatGetOwnershipRange(*A, &begin, &end));
    for (PetscInt row = begin; row < end; row++) {
        const PetscInt x = row % n, y = row / n % n, z = row / n / n;
        PetscInt columns[27], count = 0;
        PetscScalar values[27];
        for (PetscInt k = 0; k < 27; k++) {
            const PetscInt dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
            const PetscInt distance = PetscAbs(dx) + PetscAbs(dy) + PetscAbs(dz);
            if (points == 7 && distance > 1) continue;
            if (x + dx < 0 || x + dx >= n || y + dy < 0 || y + dy >= n || z + dz < 0 || z + dz >= n) continue;
            columns[count] = row + dx + n * (dy + n * dz);
            values[count++] = distance == 0 ? points - 1 : -1;
        }
        PetscCall(MatSetValues(*A, 1, &row, count, columns, values, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
    PetscFunctionReturn(0);
}

/* ---- Elasticity ------------------------------------------------------------------------------------------------- */

/* The stiffness of a unit cube of trilinear shape functions, by 2 x 2 x 2 Gauss points; nodes in the order of
 * x + 2 y + 4 z, 3 unknowns each. Lame parameters 1 and 1. */
static void element_stiffness(double K[24][24])
{
    const double at[2] = {0.5 - 0.5 / sqrt(3), 0.5 + 0.5 / sqrt(3)};

    for (int i = 0; i < 24 * 24; i++) K[i / 24][i % 24] = 0;
    for (int point = 0; point < 8; point++) {
        const double x[3] = {at[point & 1], at[point >> 1 & 1], at[point >> 2]};
        double gradient[8][3];
        for (int node = 0; node < 8; node++)
            for (int d = 0; d < 3; d++) {
                gradient[node][d] = 1;
                for (int e = 0; e < 3; e++) {
                    const int side = node >> e & 1;
                    gradient[node][d] *= e == d ? (side ? 1 : -1) : side ? x[e] : 1 - x[e];
                }
            }
        for (int a = 0; a < 24; a++)
            for (int b = 0; b < 24; b++) {
                const double *ga = gradient[a / 3], *gb = gradient[b / 3];
                double sum = ga[a % 3] * gb[b % 3] + ga[b % 3] * gb[a % 3];
                if (a % 3 == b % 3) sum += ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
                K[a][b] += sum / 8;
            }
    }
}

static PetscErrorCode add_rigid_body_modes(Mat A, PetscInt nodes)
{
    MatNullSpace modes;
    Vec coordinates;
    PetscInt begin, end;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, &coordinates, NULL));
    PetscCall(VecSetBlockSize(coordinates, 3));
    PetscCall(VecGetOwnershipRange(coordinates, &begin, &end));
    for (PetscInt i = begin; i < end; i++) {
        const PetscInt node = i / 3, place[3] = {node % nodes, node / nodes % nodes, node / nodes / nodes};
        PetscCall(VecSetValue(coordinates, i, place[i % 3], INSERT_VALUES));
    }
    PetscCall(VecAssemblyBegin(coordinates));
    PetscCall(VecAssemblyEnd(coordinates));
    PetscCall(MatNullSpaceCreateRigidBody(coordinates, &modes));
    PetscCall(MatSetNearNullSpace(A, modes));
    PetscCall(MatNullSpaceDestroy(&modes));
    PetscCall(VecDestroy(&coordinates));
    PetscFunctionReturn(0);
}

/* Adds the element at (x, y, z) without the unknowns that are fixed. */
static PetscErrorCode add_element(Mat A, PetscInt nodes, PetscInt x, PetscInt y, PetscInt z, double K[24][24])
{
    PetscFunctionBegin;
    for (int a = 0; a < 24; a++)
        for (int b = 0; b < 24; b++) {
            PetscInt at[2];
            for (int s = 0; s < 2; s++) {
                const int node = (s ? b : a) / 3;
                const PetscInt column = x + (node & 1);
                at[s] = 3 * (column + nodes * (y + (node >> 1 & 1) + nodes * (z + (node >> 2)))) + (s ? b : a) % 3;
                if (column == 0) at[s] = -1; /* MatSetValues ignores negative numbers */
            }
            PetscCall(MatSetValue(A, at[0], at[1], K[a][b], ADD_VALUES));
        }
    PetscFunctionReturn(0);
}

PetscErrorCode elasticity_matrix(MPI_Comm comm, PetscInt n, Mat *A)
{
    const PetscInt nodes = n + 1;
    PetscInt begin, end;
    double K[24][24];

    PetscFunctionBegin;
    element_stiffness(K);
    PetscCall(MatCreate(comm, A));
    PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, 3 * nodes * nodes * nodes, 3 * nodes * nodes * nodes));
    PetscCall(MatSetBlockSize(*A, 3));
    PetscCall(MatSetType(*A, MATAIJ));
    PetscCall(MatSeqAIJSetPreallocation(*A, 81, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*A, 81, NULL, 81, NULL));
    PetscCall(MatGetOwnershipRange(*A, &begin, &end));
    for (PetscInt node = begin / 3; node < end / 3; node++) {
        const PetscInt x = node % nodes, y = node / nodes % nodes, z = node / nodes / nodes;
        if (x < n && y < n && z < n) PetscCall(add_element(*A, nodes, x, y, z, K));
        for (PetscInt d = 0; d < 3 && x == 0; d++)
            PetscCall(MatSetValue(*A, 3 * node + d, 3 * node + d, 1, ADD_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
    PetscCall(add_rigid_body_modes(*A, nodes));
    PetscFunctionReturn(0);
}

/* ---- Operators made from others --------------------------------------------------------------------------------- */

/* The aggregate of each own node, in the order in which they are met. Rows of a node that is cut between processes
 * belong to an aggregate on each. */
static PetscErrorCode aggregate_boxes(PetscInt n, PetscInt box, PetscInt first, PetscInt end, PetscInt *aggregates,
                                      PetscInt *count)
{
    const PetscInt side = (n + box - 1) / box;
    PetscInt *of_box;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(side * side * side, &of_box));
    for (PetscInt b = 0; b < side * side * side; b++) of_box[b] = -1;
    *count = 0;
    for (PetscInt node = first; node < end; node++) {
        const PetscInt x = node % n / box, y = node / n % n / box, z = node / n / n / box;
        PetscInt *aggregate = &of_box[x + side * (y + side * z)];
        if (*aggregate < 0) *aggregate = (*count)++;
        aggregates[node - first] = *aggregate;
    }
    PetscCall(PetscFree(of_box));
    PetscFunctionReturn(0);
}

PetscErrorCode prolongator(Mat A, PetscInt n, PetscInt unknowns, PetscInt box, PetscBool smoothed, Mat *P)
{
    PetscInt begin, end, first_node, last_node, first, count = 0, *aggregates;
    Mat T;
    Vec diagonal;

    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &begin, &end));
    first_node = begin / unknowns;
    last_node = (end + unknowns - 1) / unknowns;
    PetscCall(PetscMalloc1(last_node - first_node + 1, &aggregates));
    PetscCall(aggregate_boxes(n, box, first_node, last_node, aggregates, &count));
    PetscCall(MatCreateAIJ(PetscObjectComm((PetscObject)A), end - begin, begin < end ? count * unknowns : 0,
                           PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL, &T));
    PetscCall(MatGetOwnershipRangeColumn(T, &first, NULL));
    for (PetscInt i = begin; i < end; i++) {
        const PetscInt aggregate = aggregates[i / unknowns - first_node];
        PetscCall(MatSetValue(T, i, first + aggregate * unknowns + i % unknowns, 1, INSERT_VALUES));
    }
    PetscCall(PetscFree(aggregates));
    PetscCall(MatAssemblyBegin(T, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(T, MAT_FINAL_ASSEMBLY));
    *P = T;
    if (!smoothed) PetscFunctionReturn(0);
    PetscCall(MatMatMult(A, T, MAT_INITIAL_MATRIX, PETSC_DEFAULT, P));
    PetscCall(MatCreateVecs(A, NULL, &diagonal));
    PetscCall(MatGetDiagonal(A, diagonal));
    PetscCall(VecReciprocal(diagonal));
    PetscCall(VecScale(diagonal, -0.66));
    PetscCall(MatDiagonalScale(*P, diagonal, NULL));
    PetscCall(MatAXPY(*P, 1, T, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatProductClear(*P));
    PetscCall(VecDestroy(&diagonal));
    PetscCall(MatDestroy(&T));
    PetscFunctionReturn(0);
}

static PetscErrorCode near_one(Vec x, unsigned seed)
{
    PetscInt begin, end;

    PetscFunctionBegin;
    PetscCall(VecGetOwnershipRange(x, &begin, &end));
    for (PetscInt i = begin; i < end; i++)
        PetscCall(VecSetValue(x, i, 1 + mixed_real(seed, (uint64_t)i, 0) / 8, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
    PetscFunctionReturn(0);
}

PetscErrorCode change_values(Mat A, unsigned seed)
{
    Vec left, right;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, &right, &left));
    PetscCall(near_one(left, seed));
    PetscCall(near_one(right, seed + 1));
    PetscCall(MatDiagonalScale(A, left, right));
    PetscCall(VecDestroy(&left));
    PetscCall(VecDestroy(&right));
    PetscFunctionReturn(0);
}
