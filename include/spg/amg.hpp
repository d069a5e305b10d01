// Multigrid for C++17; see spg/amg.h. Included by spg/spg.hpp.
#ifndef SPG_AMG_HPP
#define SPG_AMG_HPP

#include "spg/amg_many.h"
#include "spg/spg.hpp"

#include <vector>

namespace spg
{

// The hierarchy of A, whose arrays must outlive it.
class amg : public detail::handle<spg_amg, spg_amg_destroy>
{
  public:
    amg(const context &owner, const spg_csr &A, const spg_amg_options &options = spg_amg_options_default())
        : handle(owner.get()), rows_(A.rows), type_(A.value_type)
    {
        spg_amg *created = nullptr;
        check(spg_amg_setup(owner_, &A, &options, &created));
        object_.reset(created);
    }

    // New values on the same pattern.
    void update(const spg_csr &A) { check(spg_amg_update(owner_, get(), &A)); }

    // Solves A x = b from the x given. An iteration that does not converge is no exception: see result.converged.
    template <class B, class X>
    spg_amg_solve_result solve(const B &b, X &&x,
                               const spg_amg_solve_options &options = spg_amg_solve_options_default())
    {
        spg_amg_solve_result result{};
        const spg_status status = spg_amg_solve(owner_, get(), detail::data_of(b, rows_, type_, "b"),
                                                detail::data_of(x, rows_, type_, "x"), &options, &result);
        if (status != SPG_ERROR_NOT_CONVERGED) check(status);
        return result;
    }

    // The same for `count` right-hand sides at once, row-major: element i of vector j at i * count + j.
    template <class B, class X>
    std::vector<spg_amg_solve_result> solve_many(std::int64_t count, const B &b, X &&x,
                                                 const spg_amg_solve_options &options = spg_amg_solve_options_default())
    {
        auto *const from = detail::data_of(b, rows_, count, type_, "b");
        auto *const to = detail::data_of(x, rows_, count, type_, "x");
        std::vector<spg_amg_solve_result> results(static_cast<std::size_t>(count));
        const spg_status status =
            spg_amg_solve_many(owner_, get(), count, SPG_ROW_MAJOR, from, count, to, count, &options, results.data());
        if (status != SPG_ERROR_NOT_CONVERGED) check(status);
        return results;
    }

    // One cycle on A x = b from the x given.
    template <class B, class X> void cycle(const B &b, X &&x)
    {
        check(
            spg_amg_cycle(owner_, get(), detail::data_of(b, rows_, type_, "b"), detail::data_of(x, rows_, type_, "x")));
    }

    int levels() const noexcept { return spg_amg_levels(get()); }
    spg_amg_level_view level(int number) const
    {
        spg_amg_level_view view{};
        const spg_status status = spg_amg_level(get(), number, &view);
        if (status != SPG_OK)
            throw error(status, "level " + std::to_string(number) + " of " + std::to_string(levels()));
        return view;
    }
    spg_amg_summary summary() const
    {
        spg_amg_summary result{};
        check(spg_amg_summarise(get(), &result));
        return result;
    }

    // Calls line(const char *) with each line of the table of levels. It must not throw.
    template <class Line> void print(Line line) const
    {
        check(spg_amg_print(
            get(), [](void *user, const char *text) { (*static_cast<Line *>(user))(text); }, &line));
    }

  private:
    std::int64_t rows_;
    spg_type type_;
};

} // namespace spg

#endif
