// The C++ handles and views: what they own, what they compute, and what they throw.
#include "spg/io.hpp"
#include "spg/spg.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

namespace
{

int failures = 0;

void require(bool holds, const char *what, int line)
{
    if (holds) return;
    std::printf("line %d: not so: %s\n", line, what);
    ++failures;
}
#define REQUIRE(what) require((what), #what, __LINE__)

// Runs a call, which is to throw this status and a message with these words.
template <class Call> void throws(spg_status status, const char *words, int line, Call call)
{
    try {
        call();
        require(false, "it throws", line);
    } catch (const spg::error &failure) {
        require(failure.status() == status && std::strstr(failure.what(), words), failure.what(), line);
        require(std::strstr(failure.what(), spg_status_name(status)) != nullptr, failure.what(), line);
    }
}
#define THROWS(status, words, ...) throws((status), (words), __LINE__, [&] { __VA_ARGS__; })

template <class T> void owns_alone()
{
    static_assert(!std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>);
    static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>);
}

std::int64_t held(const spg::context &context)
{
    std::int64_t bytes = -1, peak = -1;
    spg_context_memory(context.get(), &bytes, &peak);
    return bytes;
}

// The second difference: 2 on the diagonal, -1 beside it.
template <class T, class Offset> struct Line {
    explicit Line(std::int32_t n) : cols(n)
    {
        for (std::int32_t i = 0; i < n; i++) {
            for (std::int32_t j = i - 1; j <= i + 1; j++)
                if (j >= 0 && j < n) columns.push_back(j), values.push_back(i == j ? T(2) : T(-1));
            offsets.push_back(static_cast<Offset>(columns.size()));
        }
    }
    spg_csr view() const { return spg::csr_view(cols, offsets, columns, values); }
    std::int64_t cols;
    std::vector<Offset> offsets{0};
    std::vector<std::int32_t> columns;
    std::vector<T> values;
};

void handles_are_no_larger_than_what_they_hold()
{
    owns_alone<spg::context>();
    owns_alone<spg::matrix>();
    owns_alone<spg::plan>();
    owns_alone<spg::galerkin_plan>();
    owns_alone<spg::amg>();
    owns_alone<spg::alias>();
    owns_alone<spg::forest>();
    static_assert(sizeof(spg::context) == sizeof(void *));
    static_assert(sizeof(spg::plan) == 2 * sizeof(void *) && sizeof(spg::alias) == 2 * sizeof(void *));
    static_assert(sizeof(spg::matrix) == sizeof(spg_csr) + sizeof(void *));
}

template <class T, class Offset> void a_product_of_views_is_exact(const spg::context &context)
{
    const Line<T, Offset> A(4);
    const spg::matrix C = spg::multiply(context, A.view(), A.view());
    const std::vector<T> expected = {T(5), T(-4), T(1), T(-4), T(6), T(-4), T(1),
                                     T(1), T(-4), T(6), T(-4), T(1), T(-4), T(5)};
    REQUIRE(C.nnz() == 14 && C.rows() == 4 && C.cols() == 4);
    REQUIRE(std::equal(expected.begin(), expected.end(), C.values<T>().begin(), C.values<T>().end()));
    REQUIRE(C.row_offsets<Offset>()[4] == 14 && C.columns()[1] == 1);
    REQUIRE(C.get().value_type == spg::type_of<T>() && C.get().offset_type == spg::type_of<Offset>());
}

void arrays_and_spans_are_ranges_as_well(const spg::context &context)
{
    static const std::int32_t offsets[] = {0, 2, 3};
    const std::array<std::int32_t, 3> columns = {0, 2, 1};
    double values[] = {1, 2, 3}, y[2] = {0, 0};
    const spg_csr A = spg::csr_view(3, offsets, columns, spg::span<const double>{values, 3});
    spg::spmv(context, A, std::array<double, 3>{1, 10, 100}, y);
    REQUIRE(y[0] == 201 && y[1] == 30);
    const std::int32_t rows[] = {1, 0, 0}, across[] = {1, 2, 0};
    const spg::matrix B = spg::csr_from_coo(context, spg::coo_view(2, 3, rows, across, values));
    REQUIRE(B.values<double>()[0] == 3 && B.values<double>()[1] == 2 && B.values<double>()[2] == 1);
    const spg::matrix T = spg::transpose(context, B), again = spg::copy(context, T);
    REQUIRE(T.rows() == 3 && again.nnz() == 3 && again.columns().data() != T.columns().data());
}

void what_is_moved_is_freed_once()
{
    spg::context first(SPG_PLACE_HOST);
    const Line<double, std::int32_t> A(50);
    {
        spg::matrix C = spg::multiply(first, A.view(), A.view());
        const std::int64_t bytes = held(first);
        spg::matrix D = std::move(C);
        REQUIRE(C.nnz() == 0 && C.columns().data() == nullptr && D.nnz() > 0 && held(first) == bytes);
        C = std::move(D);
        C = spg::multiply(first, A.view(), A.view()); // the old one is freed
        REQUIRE(held(first) == bytes);
        const spg::context second = std::move(first); // objects stay with the context that moved
        spg_csr taken = C.release();
        REQUIRE(C.get().values == nullptr && held(second) == bytes);
        spg_csr_free(second.get(), &taken);
        REQUIRE(held(second) == 0);
    }
}

void plans_compute_what_products_do(const spg::context &context)
{
    const Line<double, std::int32_t> A(60);
    const spg::matrix P = spg::multiply(context, A.view(), A.view());
    spg::plan plan(context, A.view(), P);
    spg::matrix C(context);
    plan.run(A.view(), P, C);
    const double *kept = C.values<double>().data();
    plan.run(A.view(), P, C);
    const spg::matrix expected = spg::multiply(context, A.view(), P);
    REQUIRE(C.values<double>().data() == kept && C.nnz() == expected.nnz() && plan.stats().nnz == C.nnz());
    REQUIRE(std::memcmp(kept, expected.get().values, sizeof(double) * static_cast<std::size_t>(C.nnz())) == 0);

    const spg::matrix R = spg::transpose(context, P), RAP = spg::galerkin(context, R, A.view(), P),
                      PAP = spg::galerkin(context, A.view(), P);
    spg::galerkin_plan with(context, R, A.view(), P), without(context, A.view(), P);
    spg::matrix D(context), E(context);
    with.run(R, A.view(), P, D);
    without.run(A.view(), P, E);
    const auto size = sizeof(double) * static_cast<std::size_t>(RAP.nnz());
    REQUIRE(D.nnz() == RAP.nnz() && std::memcmp(D.get().values, RAP.get().values, size) == 0);
    REQUIRE(E.nnz() == PAP.nnz() && std::memcmp(E.get().values, PAP.get().values, size) == 0);
    REQUIRE(with.stats().plan_bytes > 0 && without.stats().RAP.nnz == E.nnz());
    THROWS(SPG_ERROR_SHAPE, "A", spg::galerkin_plan(context, Line<double, std::int32_t>(7).view(), P));
}

void multigrid_solves_and_says_if_it_does_not(const spg::context &context)
{
    enum { N = 3000 };
    Line<double, std::int32_t> A(N);
    const std::vector<double> b(N, 1.0);
    std::vector<double> x(N, 0.0);
    spg::amg amg(context, A.view());
    spg_amg_solve_result result = amg.solve(b, x);
    REQUIRE(result.converged && result.relative_residual <= 1e-8);
    REQUIRE(amg.levels() > 1 && amg.summary().levels == amg.levels() && amg.level(0).A.rows == N);
    for (double &value : A.values) value *= 4;
    amg.update(A.view());
    const double before = x[N / 2];
    REQUIRE(amg.solve(b, x).converged && x[N / 2] < 0.2501 * before + 1e-3 * before);
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.max_iterations = 1;
    std::fill(x.begin(), x.end(), 0.0);
    result = amg.solve(b, x, options);
    REQUIRE(!result.converged && result.iterations == 1 && x[N / 2] > 0);
    std::vector<double> y(N, 0.0);
    amg.cycle(b, y);
    REQUIRE(y[N / 2] > 0);
    int lines = 0;
    amg.print([&lines](const char *line) { lines += line[0] != '\0'; });
    REQUIRE(lines > amg.levels());
    THROWS(SPG_ERROR_SHAPE, "x has 3 elements; it must have 3000", amg.solve(b, std::array<double, 3>()));
    THROWS(SPG_ERROR_ARGUMENT, "b has elements of type f32; they must be of type f64",
           amg.solve(std::vector<float>(N), x));
    THROWS(SPG_ERROR_ARGUMENT, "level 99", amg.level(99));
    options.max_iterations = -1;
    THROWS(SPG_ERROR_ARGUMENT, "max_iterations", amg.solve(b, x, options));
}

void operations_own_their_results(const spg::context &context)
{
    const Line<double, std::int32_t> A(4);
    const spg::matrix twice = spg::add(context, A.view(), A.view());
    REQUIRE(twice.values<double>()[0] == 4 && spg::compare(context, twice, A.view()).absolute == 2);
    const spg::matrix none = spg::add(context, 1.0, twice, -2.0, A.view());
    REQUIRE(none.nnz() == 10 && none.values<double>()[3] == 0);
    REQUIRE(spg::drop(context, none, {0, 0, 0}).nnz() == 0);
    const std::array<std::int32_t, 4> order = {3, 0, 1, 2};
    const spg::matrix moved = spg::permute(context, A.view(), order, order);
    REQUIRE(moved.columns()[1] == 3 && moved.columns()[2] == 1);
    std::vector<double> ends(4, 0.0);
    spg::diagonal(context, moved, ends);
    REQUIRE(ends == std::vector<double>(4, 2.0));
    const std::vector<std::int32_t> rows = {3, 3};
    const spg::matrix part = spg::extract(context, A.view(), spg::indices_of(rows), spg::range_of(2, 2));
    REQUIRE(part.rows() == 2 && part.cols() == 2 && part.nnz() == 4 && part.values<double>()[2] == -1);
    THROWS(SPG_ERROR_ARGUMENT, "has elements of type f32; they must be of type f64",
           spg::add(context, 1.0f, A.view(), 1.0f, A.view()));
    THROWS(SPG_ERROR_SHAPE, "column_order has 2 elements; it must have 4",
           spg::permute(context, A.view(), order, rows));
    THROWS(SPG_ERROR_ARGUMENT, "outside", spg::extract(context, A.view(), spg::range_of(0, 4), spg::range_of(2, 3)));
}

void complex_systems_take_complex_ranges(const spg::context &context)
{
    const std::vector<int> offsets{0, 2, 4};
    const std::vector<std::int32_t> columns{0, 1, 0, 1};
    const std::vector<std::complex<double>> values{{2, 0}, {0, 1}, {0, -1}, {2, 0}}, b{{1, 0}, {0, 1}};
    const spg_csr A = spg::csr_view(2, offsets, columns, values);
    spg::amg amg(context, A);
    std::vector<std::complex<double>> x(2), y(2);
    REQUIRE(amg.solve(b, x).converged); // 2 x0 + i x1 = 1 and -i x0 + 2 x1 = i
    REQUIRE(std::abs(x[0] - 1.0) < 1e-8 && std::abs(x[1] - std::complex<double>(0, 1)) < 1e-8);
    const spg_operator of_A = spg_csr_operator(&A);
    REQUIRE(spg::krylov_solve(context, of_A, nullptr, b, y).converged && std::abs(y[1] - x[1]) < 1e-7);
    THROWS(SPG_ERROR_SHAPE, "x has 1 elements; it must have 2",
           spg::krylov_solve(context, of_A, nullptr, b, std::array<std::complex<double>, 1>()));
    REQUIRE(spg::real_form(context, A).values<double>()[3] == -1);
}

void krylov_methods_take_operators(const spg::context &context)
{
    enum { N = 3000 };
    const Line<double, std::int32_t> A(N);
    const spg_csr view = A.view();
    const std::vector<double> b(N, 1.0);
    std::vector<double> x(N, 0.0);
    const spg::amg amg(context, view);
    const spg_operator of_A = spg_csr_operator(&view), cycle = spg_amg_operator(amg.get());
    REQUIRE(spg::krylov_solve(context, of_A, &cycle, b, x).converged);
    spg_krylov_options options = spg_krylov_options_default();
    options.max_iterations = 3;
    std::fill(x.begin(), x.end(), 0.0);
    const spg_krylov_result result = spg::krylov_solve(context, of_A, nullptr, b, x, options);
    REQUIRE(!result.converged && result.iterations == 3);
    options.restart = 0;
    THROWS(SPG_ERROR_ARGUMENT, "restart is 0", spg::krylov_solve(context, of_A, nullptr, b, x, options));
    THROWS(SPG_ERROR_SHAPE, "b has 2 elements; it must have 3000",
           spg::krylov_solve(context, of_A, nullptr, std::array<double, 2>(), x));
}

void draws_are_those_of_the_c_interface(const spg::context &context)
{
    enum { COUNT = 200 };
    const std::int32_t offsets[] = {0, 3, 5}, columns[] = {0, 1, 2, 0, 1}, rows[] = {1, 0, 1};
    const double weights[] = {1, 2, 3, 4, 5}, uniforms[] = {0.1, 0.99, 0.9};
    const spg_csr W = spg::csr_view(3, offsets, columns, weights);
    const spg_random random = {7, 1, 0};
    std::vector<std::int32_t> draws(COUNT), expected(COUNT);
    const spg::alias alias(context, W);
    const spg::forest forest(context, W);
    alias.draw(1, random, draws);
    spg_alias_draw(context.get(), alias.get(), 1, COUNT, &random, nullptr, expected.data());
    REQUIRE(draws == expected);
    forest.draw(random, draws);
    spg_forest_draw(context.get(), forest.get(), COUNT, nullptr, &random, nullptr, expected.data(), nullptr);
    REQUIRE(draws == expected);
    forest.draw_stratified(1, random, draws);
    spg_forest_draw_stratified(context.get(), forest.get(), 1, COUNT, &random, expected.data(), nullptr);
    REQUIRE(draws == expected);
    std::array<std::int32_t, 3> each{}, same{};
    alias.draw_rows(rows, random, each);
    spg_alias_draw_rows(context.get(), alias.get(), 3, rows, &random, same.data());
    REQUIRE(each == same);
    forest.draw_rows(rows, random, each);
    spg_forest_draw(context.get(), forest.get(), 3, rows, &random, nullptr, same.data(), nullptr);
    REQUIRE(each == same);
    forest.draw_uniforms(rows, uniforms, each);
    REQUIRE(each[0] == 0 && each[1] == 2 && each[2] == 1);
    std::array<std::int32_t, 2> one{}, by_c{};
    spg::butterfly_draw(context, W, random, one);
    spg_butterfly_draw(context.get(), &W, SPG_BUTTERFLY_AUTO, &random, nullptr, by_c.data());
    REQUIRE(one == by_c);
    THROWS(SPG_ERROR_SHAPE, "draws has 1 elements; it must have 2",
           spg::butterfly_draw(context, W, random, std::array<std::int32_t, 1>()));
    THROWS(SPG_ERROR_ARGUMENT, "row", alias.draw(2, random, draws));
    const std::array<std::int32_t, 2> row_and_none{0, -1};
    THROWS(SPG_ERROR_ARGUMENT, "row -1", alias.draw_rows(row_and_none, random, one));
    spg_draw_options sinks{};
    sinks.empty_rows = 1;
    spg::set_draw_options(context, sinks);
    const spg::alias with_sinks(context, W);
    spg::set_draw_options(context, {});
    with_sinks.draw_rows(row_and_none, random, one);
    REQUIRE(one[0] >= 0 && one[1] == -1);
}

void walks_and_subsets_are_those_of_the_c_interface(const spg::context &context)
{
    const std::vector<std::int32_t> offsets{0, 2, 4, 5}, columns{0, 1, 0, 2, 1}, starts{2, 0};
    const std::vector<double> weights{1, 2, 1, 1, 3};
    const spg::alias graph(context, spg::csr_view(3, offsets, columns, weights));
    const spg_random random{1, 2, 3};
    std::array<std::int32_t, 20> walks{}, by_c{};
    spg_walk_options bias{};
    bias.p = 2;
    graph.walk(starts, 9, random, walks, bias);
    spg_alias_walk(context.get(), graph.get(), 2, starts.data(), 9, &random, &bias, by_c.data());
    REQUIRE(walks == by_c && walks[0] == 2 && walks[10] == 0);
    THROWS(SPG_ERROR_SHAPE, "walks has 20 elements; it must have 22", graph.walk(starts, 10, random, walks));
    std::array<std::int32_t, 3> subsets{}, same{};
    const spg_csr W = spg::csr_view(3, offsets, columns, weights);
    spg::subset_draw(context, W, 1, random, subsets);
    spg_subset_draw(context.get(), &W, 1, &random, same.data());
    REQUIRE(subsets == same);
}

void counts_and_rebuilt_tables_are_those_of_the_c_interface(const spg::context &context)
{
    const std::vector<std::int32_t> offsets{0, 2, 4, 5}, columns{0, 1, 0, 2, 1}, last{2};
    const std::vector<double> weights{1, 2, 1, 1, 3}, others{0, 2, 7, 0, 5};
    const spg_csr W = spg::csr_view(3, offsets, columns, weights), changed = spg::csr_view(3, offsets, columns, others);
    const spg_random random{1, 2, 3};
    std::array<std::int64_t, 5> counts{}, by_c{};
    const std::vector<std::int64_t> trials{5, 0, 70};
    spg::multinomial_draw(context, W, 30, random, counts);
    spg_multinomial_draw(context.get(), &W, 30, nullptr, &random, by_c.data());
    REQUIRE(counts == by_c && counts[0] + counts[1] == 30);
    spg::multinomial_draw_rows(context, W, trials, random, counts);
    REQUIRE(counts[0] + counts[1] == 5 && counts[2] + counts[3] == 0 && counts[4] == 70);
    std::array<std::int64_t, 4> few{};
    THROWS(SPG_ERROR_SHAPE, "counts has 4 elements; it must have 5", spg::multinomial_draw(context, W, 1, random, few));
    spg::alias table(context, W);
    std::array<std::int32_t, 50> draws{};
    table.rebuild(changed, std::vector<std::int32_t>{}); /* no row */
    table.draw(1, random, draws);
    REQUIRE(std::count(draws.begin(), draws.end(), 2) > 0);
    table.rebuild(changed, last);
    table.rebuild(changed);
    table.draw(1, random, draws);
    REQUIRE(std::count(draws.begin(), draws.end(), 0) == 50);
    THROWS(SPG_ERROR_FORMAT, "row 2",
           table.rebuild(spg::csr_view(3, offsets, columns, std::vector<double>(5, -1)), last));
}

void failures_are_exceptions_with_the_message_of_spg(const spg::context &context)
{
    const Line<double, std::int32_t> A(4), B(5);
    const std::vector<std::int32_t> none;
    THROWS(SPG_ERROR_SHAPE, spg_context_message(context.get()), spg::multiply(context, A.view(), B.view()));
    THROWS(SPG_ERROR_SHAPE, "columns has 0 elements; it must have 10", spg::csr_view(4, A.offsets, none, A.values));
    THROWS(SPG_ERROR_SHAPE, "row_offsets is empty", spg::csr_view(4, none, A.columns, A.values));
    THROWS(SPG_ERROR_ARGUMENT, "moved from", spg::plan p(context, A.view(), A.view()), q = std::move(p); p.stats());
    THROWS(SPG_ERROR_ARGUMENT, "f64, not f32", spg::multiply(context, A.view(), A.view()).values<float>());
    spg_config config = spg_config_default();
    config.threads = -5;
    THROWS(SPG_ERROR_ARGUMENT, "threads", spg::context{config});
}

void files_are_read_and_written(const spg::context &context)
{
    const std::string path = "test_handles." + std::to_string(getpid()) + ".mtx.gz";
    const Line<double, std::int32_t> A(9);
    spg::write_matrix_market(context, path, A.view());
    const spg::matrix B = spg::read_matrix_market(context, path);
    spg_matrix_market_warning warning;
    const spg::matrix C = spg::read_matrix_market(context, path, warning);
    std::remove(path.c_str());
    REQUIRE(std::equal(A.values.begin(), A.values.end(), B.values<double>().begin(), B.values<double>().end()));
    REQUIRE(C.nnz() == B.nnz() && warning.lines == 0);
    THROWS(SPG_ERROR_IO, path.c_str(), spg::read_matrix_market(context, path));
    THROWS(SPG_ERROR_IO, "/none/such", spg::write_matrix_market(context, "/none/such", B));
}

} // namespace

int main()
{
    handles_are_no_larger_than_what_they_hold();
    what_is_moved_is_freed_once();
    const spg::context context(SPG_PLACE_HOST);
    REQUIRE(context.place() == SPG_PLACE_HOST && std::strlen(context.describe()) > 0);
    a_product_of_views_is_exact<float, std::int32_t>(context);
    a_product_of_views_is_exact<double, std::int64_t>(context);
    a_product_of_views_is_exact<std::complex<float>, std::int32_t>(context);
    a_product_of_views_is_exact<std::complex<double>, std::int64_t>(context);
    arrays_and_spans_are_ranges_as_well(context);
    plans_compute_what_products_do(context);
    multigrid_solves_and_says_if_it_does_not(context);
    operations_own_their_results(context);
    krylov_methods_take_operators(context);
    complex_systems_take_complex_ranges(context);
    draws_are_those_of_the_c_interface(context);
    walks_and_subsets_are_those_of_the_c_interface(context);
    counts_and_rebuilt_tables_are_those_of_the_c_interface(context);
    failures_are_exceptions_with_the_message_of_spg(context);
    files_are_read_and_written(context);
    REQUIRE(held(context) == 0);
    std::printf("%d failures\n", failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
