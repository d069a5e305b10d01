// Draws from discrete distributions for C++17; see spg/sampling.h. Included by spg/spg.hpp.
//
// Draws go into a range of int32_t, as many as it has. Row i of the weights is distribution i.
#ifndef SPG_SAMPLING_HPP
#define SPG_SAMPLING_HPP

#include "spg/spg.hpp"

namespace spg
{

// How builds and draws of this context take special operands.
inline void set_draw_options(const context &context, const spg_draw_options &options)
{
    context.check(spg_context_set_draw_options(context.get(), &options));
}

// One draw from each row of weights.
template <class Draws>
void butterfly_draw(const context &context, const spg_csr &weights, const spg_random &random, Draws &&draws,
                    spg_butterfly_method method = SPG_BUTTERFLY_AUTO)
{
    context.check(spg_butterfly_draw(context.get(), &weights, method, &random, nullptr,
                                     detail::data_of(draws, weights.rows, SPG_I32, "draws")));
}

// k different items of each row of weights: rows x k, row-major.
template <class Draws>
void subset_draw(const context &context, const spg_csr &weights, std::int64_t k, const spg_random &random,
                 Draws &&draws)
{
    context.check(spg_subset_draw(context.get(), &weights, k, &random,
                                  detail::data_of(draws, weights.rows, k, SPG_I32, "draws")));
}

// How often each entry's item comes up in n draws from its row; counts: std::int64_t, weights.nnz of them.
template <class Counts>
void multinomial_draw(const context &context, const spg_csr &weights, std::int64_t n, const spg_random &random,
                      Counts &&counts)
{
    context.check(spg_multinomial_draw(context.get(), &weights, n, nullptr, &random,
                                       detail::data_of(counts, weights.nnz, SPG_I64, "counts")));
}

// The same, with trials[i] draws from row i.
template <class Trials, class Counts>
void multinomial_draw_rows(const context &context, const spg_csr &weights, const Trials &trials,
                           const spg_random &random, Counts &&counts)
{
    context.check(spg_multinomial_draw(context.get(), &weights, 0,
                                       detail::data_of(trials, weights.rows, SPG_I64, "trials"), &random,
                                       detail::data_of(counts, weights.nnz, SPG_I64, "counts")));
}

// An alias table for each row of weights.
class alias : public detail::handle<spg_alias, spg_alias_destroy>
{
  public:
    alias(const context &owner, const spg_csr &weights, const spg_alias_options &options = {}) : handle(owner.get())
    {
        spg_alias *created = nullptr;
        check(spg_alias_build(owner_, &weights, &options, &created));
        object_.reset(created);
    }

    // New weights on the same pattern, for all rows or for those listed, which ascend.
    void rebuild(const spg_csr &weights) { check(spg_alias_rebuild(owner_, get(), &weights, 0, nullptr)); }
    template <class Rows> void rebuild(const spg_csr &weights, const Rows &rows)
    {
        const std::int64_t count = detail::length(rows);
        if (count > 0)
            check(spg_alias_rebuild(owner_, get(), &weights, count, detail::data_of(rows, count, SPG_I32, "rows")));
    }

    // From one row.
    template <class Draws>
    void draw(std::int64_t row, const spg_random &random, Draws &&draws,
              const spg_alias_draw_options &options = {}) const
    {
        const std::int64_t count = detail::length(draws);
        check(spg_alias_draw(owner_, get(), row, count, &random, &options,
                             detail::data_of(draws, count, SPG_I32, "draws")));
    }

    // Walks of `steps` steps from each of starts: starts x (steps + 1) nodes, row-major.
    template <class Starts, class Walks>
    void walk(const Starts &starts, std::int64_t steps, const spg_random &random, Walks &&walks,
              const spg_walk_options &options = {}) const
    {
        const std::int64_t walkers = detail::length(starts), nodes = steps < INT64_MAX ? steps + 1 : steps;
        check(spg_alias_walk(owner_, get(), walkers, detail::data_of(starts, walkers, SPG_I32, "starts"), steps,
                             &random, &options, detail::data_of(walks, walkers, nodes, SPG_I32, "walks")));
    }

    // draws[i] from row rows[i].
    template <class Rows, class Draws> void draw_rows(const Rows &rows, const spg_random &random, Draws &&draws) const
    {
        const std::int64_t count = detail::length(draws);
        check(spg_alias_draw_rows(owner_, get(), count, detail::data_of(rows, count, SPG_I32, "rows"), &random,
                                  detail::data_of(draws, count, SPG_I32, "draws")));
    }
};

// Monotone inversion for each row of weights, by guide tables and radix trees.
class forest : public detail::handle<spg_forest, spg_forest_destroy>
{
  public:
    forest(const context &owner, const spg_csr &weights, const spg_forest_options &options = {}) : handle(owner.get())
    {
        spg_forest *created = nullptr;
        check(spg_forest_build(owner_, &weights, &options, &created));
        object_.reset(created);
    }

    // From row 0, by the random numbers given.
    template <class Draws> void draw(const spg_random &random, Draws &&draws) const
    {
        const std::int64_t count = detail::length(draws);
        check(spg_forest_draw(owner_, get(), count, nullptr, &random, nullptr,
                              detail::data_of(draws, count, SPG_I32, "draws"), nullptr));
    }

    // draws[i] from row rows[i], by the random numbers given or by uniforms of the caller (double, in [0, 1)).
    template <class Rows, class Draws> void draw_rows(const Rows &rows, const spg_random &random, Draws &&draws) const
    {
        const std::int64_t count = detail::length(draws);
        check(spg_forest_draw(owner_, get(), count, detail::data_of(rows, count, SPG_I32, "rows"), &random, nullptr,
                              detail::data_of(draws, count, SPG_I32, "draws"), nullptr));
    }
    template <class Rows, class Uniforms, class Draws>
    void draw_uniforms(const Rows &rows, const Uniforms &uniforms, Draws &&draws) const
    {
        const std::int64_t count = detail::length(draws);
        check(spg_forest_draw(owner_, get(), count, detail::data_of(rows, count, SPG_I32, "rows"), nullptr,
                              detail::data_of(uniforms, count, SPG_F64, "uniforms"),
                              detail::data_of(draws, count, SPG_I32, "draws"), nullptr));
    }

    // Stratified draws from one row, which ascend.
    template <class Draws> void draw_stratified(std::int64_t row, const spg_random &random, Draws &&draws) const
    {
        const std::int64_t count = detail::length(draws);
        check(spg_forest_draw_stratified(owner_, get(), row, count, &random,
                                         detail::data_of(draws, count, SPG_I32, "draws"), nullptr));
    }
};

} // namespace spg

#endif
