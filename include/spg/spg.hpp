// spg for C++17: handles that own (move only, the size of their pointers), views of any range with data() and size(),
// and failures as exceptions. A layer of inline functions on the C headers, which say what each call does; get() gives
// the C object for whatever has no member here.
//
//     spg::context context(SPG_PLACE_HOST);
//     spg_csr A = spg::csr_view(cols, offsets, columns, values); // vectors, spans, arrays; they may be const
//     spg::matrix C = spg::multiply(context, A, A);
//     for (double value : C.values<double>()) ...
//
// Destroy what was made with a context before the context: declare the context first. A range must be at the context's
// place; for arrays on a device, spg::span{pointer, size} is one. The header needs exceptions; without them, use the C
// headers.
#ifndef SPG_SPG_HPP
#define SPG_SPG_HPP

#include "spg/sampling.h"
#include "spg/spg.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#ifndef __cpp_exceptions
#error "spg/spg.hpp reports failures by exceptions; without them, use the C headers (spg/spg.h)"
#endif

namespace spg
{

// A call that failed: its status, and spg's message as what().
class error : public std::runtime_error
{
  public:
    error(spg_status status, const std::string &message)
        : std::runtime_error(std::string(spg_status_name(status)) + ": " + message), status_(status)
    {
    }
    spg_status status() const noexcept { return status_; }

  private:
    spg_status status_;
};

// A pointer and a number of elements, at either place; read elements only on the host.
template <class T> class span
{
  public:
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

  private:
    T *data_;
    std::size_t size_;
};

// The spg_type of float, double, their complex types and signed integers of 32 and 64 bits.
template <class T> constexpr spg_type type_of() noexcept
{
    using U = std::remove_cv_t<T>;
    constexpr bool is_offset = std::is_integral_v<U> && std::is_signed_v<U> && (sizeof(U) == 4 || sizeof(U) == 8);
    static_assert(is_offset || std::is_same_v<U, float> || std::is_same_v<U, double> ||
                      std::is_same_v<U, std::complex<float>> || std::is_same_v<U, std::complex<double>>,
                  "values are float, double or std::complex of them; offsets are signed, of 32 or 64 bits");
    if constexpr (is_offset) return sizeof(U) == 4 ? SPG_I32 : SPG_I64;
    if constexpr (std::is_same_v<U, float>) return SPG_F32;
    if constexpr (std::is_same_v<U, double>) return SPG_F64;
    if constexpr (std::is_same_v<U, std::complex<float>>) return SPG_C32;
    return SPG_C64;
}

namespace detail
{

template <auto destroy> struct destroyer {
    template <class T> void operator()(T *object) const noexcept { destroy(object); }
};

// A C object with the context that has its messages.
template <class T, auto destroy> class handle
{
  public:
    T *get() const noexcept { return object_.get(); }

  protected:
    // For calls that get their context, and so their messages, from the object alone.
    T *present() const
    {
        if (object_ == nullptr) throw error(SPG_ERROR_ARGUMENT, "the object has been moved from");
        return object_.get();
    }
    explicit handle(spg_context *owner) noexcept : owner_(owner) {}
    void check(spg_status status) const
    {
        if (status != SPG_OK) throw error(status, spg_context_message(owner_));
    }
    spg_context *owner_;
    std::unique_ptr<T, destroyer<destroy>> object_;
};

template <class Range> using element = std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))>;

template <class Range> std::int64_t length(const Range &range) { return static_cast<std::int64_t>(std::size(range)); }

// The data of a range of `size` elements of a type; name: of the argument, for the message.
template <class Range> auto *data_of(Range &range, std::int64_t size, spg_type type, const char *name)
{
    if (length(range) != size)
        throw error(SPG_ERROR_SHAPE, std::string(name) + " has " + std::to_string(length(range)) +
                                         " elements; it must have " + std::to_string(size));
    if (type_of<element<Range>>() != type)
        throw error(SPG_ERROR_ARGUMENT, std::string(name) + " has elements of type " +
                                            spg_type_name(type_of<element<Range>>()) + "; they must be of type " +
                                            spg_type_name(type));
    return std::data(range);
}

// The same of a row-major range of rows x columns.
template <class Range>
auto *data_of(Range &range, std::int64_t rows, std::int64_t columns, spg_type type, const char *name)
{
    const bool is_negative = rows < 0 || columns < 0;
    if (is_negative || (columns > 0 && rows > INT64_MAX / 16 / columns)) // of 16 bytes, the largest type
        throw error(is_negative ? SPG_ERROR_ARGUMENT : SPG_ERROR_OVERFLOW, std::string(name) + " cannot have " +
                                                                               std::to_string(rows) + " x " +
                                                                               std::to_string(columns) + " elements");
    return data_of(range, rows * columns, type, name);
}

} // namespace detail

// A context; see spg/context.h.
class context
{
  public:
    explicit context(const spg_config &config = spg_config_default())
    {
        spg_context *created = nullptr;
        const spg_status status = spg_context_create(&config, &created);
        if (status != SPG_OK) throw error(status, reason(config));
        object_.reset(created);
    }
    explicit context(spg_place place) : context(config_of(place)) {}

    spg_context *get() const noexcept { return object_.get(); }
    spg_place place() const noexcept { return spg_context_place(get()); }
    const char *describe() const noexcept { return spg_context_describe(get()); }

    // Throws if a call of the C interface on this context failed.
    void check(spg_status status) const
    {
        if (status != SPG_OK) throw error(status, spg_context_message(get()));
    }

  private:
    static spg_config config_of(spg_place place)
    {
        spg_config config = spg_config_default();
        config.place = place;
        return config;
    }
    // A context that was not made leaves its message in the log alone.
    static std::string reason(spg_config config)
    {
        std::string message;
        config.log = [](void *user, const char *line) { *static_cast<std::string *>(user) = line; };
        config.log_user = &message;
        spg_context *created = nullptr;
        spg_context_create(&config, &created);
        spg_context_destroy(created);
        return message;
    }
    std::unique_ptr<spg_context, detail::destroyer<spg_context_destroy>> object_;
};

// A CSR matrix as a view of ranges: row_offsets (rows + 1 integers of 32 or 64 bits), columns (int32_t) and values. The
// ranges must outlive the view and keep their size.
template <class Offsets, class Columns, class Values>
spg_csr csr_view(std::int64_t cols, const Offsets &row_offsets, const Columns &columns, const Values &values,
                 spg_place place = SPG_PLACE_HOST)
{
    static_assert(std::is_same_v<std::remove_cv_t<detail::element<const Columns>>, std::int32_t>, "columns: int32_t");
    const std::int64_t nnz = detail::length(values);
    if (detail::length(row_offsets) < 1) throw error(SPG_ERROR_SHAPE, "row_offsets is empty; it must have rows + 1");
    return spg_csr_view(detail::length(row_offsets) - 1, cols, nnz, type_of<detail::element<const Offsets>>(),
                        type_of<detail::element<const Values>>(), place, std::data(row_offsets),
                        detail::data_of(columns, nnz, SPG_I32, "columns"), std::data(values));
}

// The same for coordinates.
template <class Rows, class Columns, class Values>
spg_coo coo_view(std::int64_t rows, std::int64_t cols, const Rows &row_indices, const Columns &columns,
                 const Values &values, spg_place place = SPG_PLACE_HOST)
{
    const std::int64_t nnz = detail::length(values);
    return spg_coo_view(rows, cols, nnz, type_of<detail::element<const Values>>(), place,
                        detail::data_of(row_indices, nnz, SPG_I32, "row_indices"),
                        detail::data_of(columns, nnz, SPG_I32, "columns"), std::data(values));
}

// A CSR matrix whose arrays a context allocated. An operand of every call that takes an spg_csr.
class matrix
{
  public:
    // Empty, to be filled through put().
    explicit matrix(const context &owner) noexcept : owner_(owner.get()) {}
    matrix(matrix &&other) noexcept : owner_(other.owner_), csr_(other.release()) {}
    matrix &operator=(matrix &&other) noexcept
    {
        std::swap(owner_, other.owner_);
        std::swap(csr_, other.csr_);
        return *this;
    }
    ~matrix()
    {
        if (csr_.row_offsets != nullptr) spg_csr_free(owner_, &csr_); // an empty one may outlive its context
    }

    operator const spg_csr &() const noexcept { return csr_; }
    const spg_csr &get() const noexcept { return csr_; }
    std::int64_t rows() const noexcept { return csr_.rows; }
    std::int64_t cols() const noexcept { return csr_.cols; }
    std::int64_t nnz() const noexcept { return csr_.nnz; }

    // The arrays, where they lie. T: their type; ARGUMENT for another one.
    template <class T> span<const T> row_offsets() const
    {
        return array<const T>(csr_.row_offsets, rows() + 1, csr_.offset_type);
    }
    span<const std::int32_t> columns() const noexcept { return {csr_.columns, static_cast<std::size_t>(nnz())}; }
    template <class T> span<const T> values() const { return array<const T>(csr_.values, nnz(), csr_.value_type); }
    template <class T> span<T> values() { return array<T>(csr_.values, nnz(), csr_.value_type); }

    // The struct, for a call of the C interface that fills or changes it.
    spg_csr *put() noexcept { return &csr_; }
    // Leaves this empty; the caller frees what is returned.
    spg_csr release() noexcept { return std::exchange(csr_, spg_csr{}); }

  private:
    template <class T> static span<T> array(void *data, std::int64_t size, spg_type type)
    {
        if (type_of<T>() != type)
            throw error(SPG_ERROR_ARGUMENT, std::string("the array is of type ") + spg_type_name(type) + ", not " +
                                                spg_type_name(type_of<T>()));
        return {static_cast<T *>(data), static_cast<std::size_t>(size)};
    }
    spg_context *owner_;
    spg_csr csr_{};
};

// C = A*B.
inline matrix multiply(const context &context, const spg_csr &A, const spg_csr &B)
{
    matrix C(context);
    context.check(spgemm_csr(context.get(), &A, &B, C.put()));
    return C;
}

// C = P^T*A*P, and R*A*P.
inline matrix galerkin(const context &context, const spg_csr &A, const spg_csr &P)
{
    matrix C(context);
    context.check(spg_galerkin(context.get(), nullptr, &A, &P, C.put()));
    return C;
}
inline matrix galerkin(const context &context, const spg_csr &R, const spg_csr &A, const spg_csr &P)
{
    matrix C(context);
    context.check(spg_galerkin(context.get(), &R, &A, &P, C.put()));
    return C;
}

inline matrix transpose(const context &context, const spg_csr &A)
{
    matrix C(context);
    context.check(spg_csr_transpose(context.get(), &A, C.put()));
    return C;
}

// A copy at the context's place, from either place.
inline matrix copy(const context &context, const spg_csr &A)
{
    matrix C(context);
    context.check(spg_csr_copy(context.get(), &A, C.put()));
    return C;
}

inline matrix csr_from_coo(const context &context, const spg_coo &A, spg_type offset_type = SPG_I32)
{
    matrix C(context);
    context.check(spg_csr_from_coo(context.get(), &A, offset_type, C.put()));
    return C;
}

// y = A*x.
template <class X, class Y> void spmv(const context &context, const spg_csr &A, const X &x, Y &&y)
{
    context.check(spg_csr_spmv(context.get(), nullptr, &A, detail::data_of(x, A.cols, A.value_type, "x"), nullptr,
                               detail::data_of(y, A.rows, A.value_type, "y")));
}

// A product on fixed patterns; see spgemm_plan_create.
class plan : public detail::handle<spgemm_plan, spgemm_plan_destroy>
{
  public:
    plan(const context &owner, const spg_csr &A, const spg_csr &B) : handle(owner.get())
    {
        spgemm_plan *created = nullptr;
        check(spgemm_plan_create(owner_, &A, &B, &created));
        object_.reset(created);
    }
    // C: empty, or a result of this plan.
    void run(const spg_csr &A, const spg_csr &B, matrix &C) { check(spgemm_plan_run(present(), &A, &B, C.put())); }
    spgemm_stats stats() const
    {
        spgemm_stats result{};
        check(spgemm_plan_stats(present(), &result));
        return result;
    }
};

// A Galerkin product on fixed patterns; see spg_galerkin_plan_create. Without R: P^T.
class galerkin_plan : public detail::handle<spg_galerkin_plan, spg_galerkin_plan_destroy>
{
  public:
    galerkin_plan(const context &owner, const spg_csr &A, const spg_csr &P) : galerkin_plan(owner, nullptr, A, P) {}
    galerkin_plan(const context &owner, const spg_csr &R, const spg_csr &A, const spg_csr &P)
        : galerkin_plan(owner, &R, A, P)
    {
    }
    void run(const spg_csr &A, const spg_csr &P, matrix &C)
    {
        check(spg_galerkin_plan_run(present(), nullptr, &A, &P, C.put()));
    }
    void run(const spg_csr &R, const spg_csr &A, const spg_csr &P, matrix &C)
    {
        check(spg_galerkin_plan_run(present(), &R, &A, &P, C.put()));
    }
    spg_galerkin_stats stats() const
    {
        spg_galerkin_stats result{};
        check(spg_galerkin_plan_stats(present(), &result));
        return result;
    }

  private:
    galerkin_plan(const context &owner, const spg_csr *R, const spg_csr &A, const spg_csr &P) : handle(owner.get())
    {
        spg_galerkin_plan *created = nullptr;
        check(spg_galerkin_plan_create(owner_, R, &A, &P, &created));
        object_.reset(created);
    }
};

} // namespace spg

#include "spg/amg.hpp"
#include "spg/operations.hpp"
#include "spg/sampling.hpp"

#endif
