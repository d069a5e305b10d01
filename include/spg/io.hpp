// Matrix Market files for C++17; see spg/io.h. Needs the library spg_io.
#ifndef SPG_IO_HPP
#define SPG_IO_HPP

#include "spg/io.h"
#include "spg/spg.hpp"

namespace spg
{

// A coordinate or array file as CSR.
inline matrix read_matrix_market(const context &context, const std::string &path)
{
    matrix A(context);
    context.check(spg_read_matrix_market(context.get(), path.c_str(), A.put()));
    return A;
}

// The same, with deviations from the format accepted and reported.
inline matrix read_matrix_market(const context &context, const std::string &path, spg_matrix_market_warning &warning)
{
    matrix A(context);
    context.check(spg_read_matrix_market_lenient(context.get(), path.c_str(), A.put(), &warning));
    return A;
}

inline void write_matrix_market(const context &context, const std::string &path, const spg_csr &A)
{
    context.check(spg_write_matrix_market(context.get(), path.c_str(), &A));
}

} // namespace spg

#endif
