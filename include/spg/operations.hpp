// Operations on CSR matrices and Krylov methods for C++17; see spg/operations.h and spg/krylov.h. Included by
// spg/spg.hpp.
#ifndef SPG_OPERATIONS_HPP
#define SPG_OPERATIONS_HPP

#include "spg/krylov.h"
#include "spg/operations.h"
#include "spg/spg.hpp"

namespace spg
{

// A + B.
inline matrix add(const context &context, const spg_csr &A, const spg_csr &B)
{
    matrix C(context);
    context.check(spg_csr_add(context.get(), nullptr, &A, nullptr, &B, C.put()));
    return C;
}

// alpha*A + beta*B, with numbers of A's value type.
template <class T> matrix add(const context &context, T alpha, const spg_csr &A, T beta, const spg_csr &B)
{
    matrix C(context);
    const span<const T> first{&alpha, 1}, second{&beta, 1};
    context.check(spg_csr_add(context.get(), detail::data_of(first, 1, A.value_type, "alpha"), &A,
                              detail::data_of(second, 1, A.value_type, "beta"), &B, C.put()));
    return C;
}

// permuted(i, j) = A(row_order[i], column_order[j]); ranges of int32_t.
template <class Rows, class Columns>
matrix permute(const context &context, const spg_csr &A, const Rows &row_order, const Columns &column_order)
{
    matrix C(context);
    context.check(spg_csr_permute(context.get(), &A, detail::data_of(row_order, A.rows, SPG_I32, "row_order"),
                                  detail::data_of(column_order, A.cols, SPG_I32, "column_order"), C.put()));
    return C;
}

// Rows or columns by their indices, a range of int32_t that must outlive the result; or from `first` on.
template <class Range> spg_indices indices_of(const Range &indices)
{
    const std::int64_t count = detail::length(indices);
    return {0, count, detail::data_of(indices, count, SPG_I32, "indices")};
}
inline spg_indices range_of(std::int64_t first, std::int64_t count) noexcept { return {first, count, nullptr}; }

// part(i, j) = A(rows[i], columns[j]).
inline matrix extract(const context &context, const spg_csr &A, const spg_indices &rows, const spg_indices &columns)
{
    matrix C(context);
    context.check(spg_csr_extract(context.get(), &A, &rows, &columns, C.put()));
    return C;
}

// A without small entries.
inline matrix drop(const context &context, const spg_csr &A, const spg_drop_rule &rule)
{
    matrix C(context);
    context.check(spg_csr_drop(context.get(), &A, &rule, C.put()));
    return C;
}

// The real matrix of a complex one; spg_csr_real_form_values gives it new values.
inline matrix real_form(const context &context, const spg_csr &A)
{
    matrix R(context);
    context.check(spg_csr_real_form(context.get(), &A, R.put()));
    return R;
}

inline spg_difference compare(const context &context, const spg_csr &A, const spg_csr &B)
{
    spg_difference difference{};
    context.check(spg_csr_compare(context.get(), &A, &B, &difference));
    return difference;
}

// Writes the diagonal into a range of min(rows, cols) elements.
template <class D> void diagonal(const context &context, const spg_csr &A, D &&into)
{
    const std::int64_t size = A.rows < A.cols ? A.rows : A.cols;
    context.check(spg_csr_diagonal(context.get(), &A, detail::data_of(into, size, A.value_type, "diagonal")));
}

namespace detail
{

// A vector of an operator: of its type, or of complex numbers with such parts.
template <class Range> auto *vector_of(const spg_operator &A, Range &range, const char *name)
{
    const spg_type type = type_of<element<Range>>();
    const bool is_complex = type == SPG_C32 || type == SPG_C64;
    const spg_type expected = !is_complex ? A.type : A.type == SPG_F32 ? SPG_C32 : SPG_C64;
    return data_of(range, is_complex ? A.rows / 2 : A.rows, expected, name);
}

} // namespace detail

// Solves A x = b from the x given, preconditioned by M (nullptr: none); for complex systems ranges of std::complex. As
// for amg::solve, an iteration that does not converge is no exception.
template <class B, class X>
spg_krylov_result krylov_solve(const context &context, const spg_operator &A, const spg_operator *M, const B &b, X &&x,
                               const spg_krylov_options &options = spg_krylov_options_default())
{
    spg_krylov_result result{};
    const spg_status status = spg_krylov_solve(context.get(), &A, M, detail::vector_of(A, b, "b"),
                                               detail::vector_of(A, x, "x"), &options, &result);
    if (status != SPG_ERROR_NOT_CONVERGED) context.check(status);
    return result;
}

} // namespace spg

#endif
