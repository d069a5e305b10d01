// Multigrid by the C++17 handles: the second difference of `n` points, in vectors of this program; its
// hierarchy, a solve, and a coarse operator by hand. Failures are exceptions.
//
// Build it: c++ -std=c++17 handles.cpp $(pkg-config --cflags --libs spg)
#include <spg/spg.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main()
try {
    const std::int32_t n = 10000;
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<double> values;
    for (std::int32_t i = 0; i < n; i++) {
        for (std::int32_t j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n) columns.push_back(j), values.push_back(i == j ? 2 : -1);
        offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    const spg_csr A = spg::csr_view(n, offsets, columns, values); // no copy: the vectors outlive it

    spg::context context(SPG_PLACE_HOST); // where the vectors are; objects made with it come after it
    spg::amg hierarchy(context, A);
    const std::vector<double> b(n, 1.0);
    std::vector<double> x(n, 0.0);
    const spg_amg_solve_result result = hierarchy.solve(b, x);
    std::printf("%d levels, %d iterations\n", hierarchy.levels(), result.iterations);

    const spg_csr P = hierarchy.level(0).P;
    const spg::matrix coarse = spg::galerkin(context, A, P); // P^T*A*P
    std::printf("the coarse operator: %lld rows, %lld entries\n", static_cast<long long>(coarse.rows()),
                static_cast<long long>(coarse.nnz()));

    try {
        spg::multiply(context, coarse, A); // the sizes do not match
    } catch (const spg::error &failure) {
        std::printf("coarse*A: %s\n", failure.what());
    }
    return std::fflush(stdout) == 0 && result.converged ? 0 : 1;
} catch (const spg::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
