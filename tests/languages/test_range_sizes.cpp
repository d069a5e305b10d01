// Ranges of C++ whose sizes are products: a product that no range can have is refused before it is made.
#include "spg/spg.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace
{

int failures = 0;

template <class Call> void refuses(spg_status status, const char *words, Call call)
{
    try {
        call();
        std::printf("not refused: %s\n", words);
    } catch (const spg::error &failure) {
        if (failure.status() == status && std::strstr(failure.what(), words) != nullptr) return;
        std::printf("not '%s', but: %s\n", words, failure.what());
    } catch (const std::exception &failure) {
        std::printf("not '%s', but: %s\n", words, failure.what());
    }
    ++failures;
}

} // namespace

int main()
{
    constexpr std::int64_t quarter = INT64_C(1) << 62; // four times this is 0 in 64 bits
    const spg::context context(SPG_PLACE_HOST);
    const std::vector<std::int32_t> offsets{0, 1, 2, 3, 4}, columns{0, 1, 2, 3}, starts{0, 1, 2, 3}, one{0};
    const std::vector<double> values{1, 1, 1, 1};
    const spg_csr A = spg::csr_view(4, offsets, columns, values);
    const spg_random random{1, 2, 3};
    const spg::alias graph(context, A);
    spg::amg amg(context, A);
    std::vector<std::int32_t> draws;
    std::vector<double> x;
    refuses(SPG_ERROR_OVERFLOW, "draws cannot have 4 x 4611686018427387904 elements",
            [&] { spg::subset_draw(context, A, quarter, random, draws); });
    refuses(SPG_ERROR_ARGUMENT, "draws cannot have 4 x -9223372036854775808 elements",
            [&] { spg::subset_draw(context, A, INT64_MIN, random, draws); });
    refuses(SPG_ERROR_OVERFLOW, "walks cannot have 4 x 4611686018427387904 elements",
            [&] { graph.walk(starts, quarter - 1, random, draws); });
    refuses(SPG_ERROR_OVERFLOW, "walks cannot have 1 x", [&] { graph.walk(one, INT64_MAX, random, draws); });
    refuses(SPG_ERROR_ARGUMENT, "walks cannot have 4 x -1 elements", [&] { graph.walk(starts, -2, random, draws); });
    refuses(SPG_ERROR_OVERFLOW, "b cannot have 4 x 4611686018427387904 elements",
            [&] { amg.solve_many(quarter, x, x); });
    refuses(SPG_ERROR_ARGUMENT, "b cannot have 4 x -1 elements", [&] { amg.solve_many(-1, x, x); });
    std::printf("%d failures\n", failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
