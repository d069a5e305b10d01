// A two-grid solver in C++17. Matrices are in std::vector and spg sees them as views. spg's own memory comes from an
// allocator that counts. Statuses become exceptions.
//
// Build it: c++ -std=c++17 solver.cpp $(pkg-config --cflags --libs spg)
#include <spg/spg.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

struct Counter {
    std::size_t live = 0, peak = 0, calls = 0;
};

void *allocate(void *user, std::size_t bytes, spg_place, void *)
{
    auto *counter = static_cast<Counter *>(user);
    void *memory = ::operator new (bytes, std::align_val_t{64}, std::nothrow);
    if (memory == nullptr) return nullptr;
    counter->live += bytes;
    counter->calls++;
    if (counter->live > counter->peak) counter->peak = counter->live;
    return memory;
}

void release(void *user, void *memory, std::size_t bytes, spg_place, void *)
{
    static_cast<Counter *>(user)->live -= bytes;
    ::operator delete (memory, std::align_val_t{64});
}

class Context
{
  public:
    explicit Context(Counter &counter)
    {
        spg_config config = spg_config_default();
        config.place = SPG_PLACE_HOST;
        config.allocator = {&counter, allocate, release};
        spg_context *created = nullptr;
        if (spg_status status = spg_context_create(&config, &created); status != SPG_OK)
            throw std::runtime_error(spg_status_name(status));
        handle.reset(created);
    }

    spg_context *get() const { return handle.get(); }

    void check(spg_status status) const
    {
        if (status != SPG_OK)
            throw std::runtime_error(std::string(spg_status_name(status)) + ": " + spg_context_message(get()));
    }

  private:
    struct Destroy {
        void operator()(spg_context *context) const { spg_context_destroy(context); }
    };
    std::unique_ptr<spg_context, Destroy> handle;
};

// A matrix in vectors of this program.
struct Matrix {
    std::int64_t cols = 0;
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<double> values;

    void add(std::int32_t column, double value)
    {
        columns.push_back(column);
        values.push_back(value);
    }

    void end_row() { offsets.push_back(static_cast<std::int32_t>(columns.size())); }

    // The view that spg reads. The vectors must live longer than the view and keep their size.
    spg_csr view()
    {
        spg_csr csr{};
        csr.rows = static_cast<std::int64_t>(offsets.size()) - 1;
        csr.cols = cols;
        csr.nnz = static_cast<std::int64_t>(columns.size());
        csr.offset_type = SPG_I32;
        csr.value_type = SPG_F64;
        csr.place = SPG_PLACE_HOST;
        csr.row_offsets = offsets.data();
        csr.columns = columns.data();
        csr.values = values.data();
        return csr;
    }
};

// A matrix whose arrays spg allocates. The destructor frees them; the context must still exist then.
class Owned
{
  public:
    explicit Owned(const Context &owner) : context(owner) {}
    ~Owned() { spg_csr_free(context.get(), &csr); }
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    spg_csr csr{};

  private:
    const Context &context;
};

using Vector = std::vector<double>;

double dot(const Vector &x, const Vector &y)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); i++) sum += x[i] * y[i];
    return sum;
}

Vector multiply(const Context &context, const spg_csr &matrix, const Vector &x)
{
    Vector y(static_cast<std::size_t>(matrix.rows));
    context.check(spg_csr_spmv(context.get(), nullptr, &matrix, x.data(), nullptr, y.data()));
    return y;
}

// Conjugate gradients with the preconditioner `precondition`. Returns the number of iterations.
template <class Precondition>
int solve(const Context &context, const spg_csr &matrix, const Vector &b, double tolerance, Vector &x,
          Precondition precondition)
{
    Vector r = b, z = precondition(r), p = z;
    x.assign(b.size(), 0.0);
    double rz = dot(r, z);
    const double stop = tolerance * std::sqrt(dot(b, b));
    int iterations = 0;
    while (std::sqrt(dot(r, r)) > stop && iterations < 1000) {
        const Vector q = multiply(context, matrix, p);
        const double alpha = rz / dot(p, q);
        for (std::size_t i = 0; i < x.size(); i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        z = precondition(r);
        const double next = dot(r, z), beta = next / rz;
        rz = next;
        for (std::size_t i = 0; i < p.size(); i++) p[i] = z[i] + beta * p[i];
        iterations++;
    }
    return iterations;
}

// Poisson's equation on a side x side grid, five points a row.
Matrix poisson(std::int32_t side)
{
    Matrix A;
    A.cols = side * side;
    for (std::int32_t i = 0; i < side; i++)
        for (std::int32_t j = 0; j < side; j++) {
            const std::int32_t here = i * side + j;
            if (i > 0) A.add(here - side, -1);
            if (j > 0) A.add(here - 1, -1);
            A.add(here, 4);
            if (j < side - 1) A.add(here + 1, -1);
            if (i < side - 1) A.add(here + side, -1);
            A.end_row();
        }
    return A;
}

// The prolongator: 3 x 3 points become one coarse point.
Matrix aggregates(std::int32_t side)
{
    const std::int32_t coarse = (side + 2) / 3;
    Matrix P;
    P.cols = coarse * coarse;
    for (std::int32_t i = 0; i < side; i++)
        for (std::int32_t j = 0; j < side; j++) {
            P.add(i / 3 * coarse + j / 3, 1);
            P.end_row();
        }
    return P;
}

void run(Counter &counter)
{
    const Context context(counter);
    Matrix fine = poisson(90), prolongator = aggregates(90);
    const spg_csr A = fine.view(), P = prolongator.view();
    Owned R(context), AP(context), coarse(context);
    context.check(spg_csr_transpose(context.get(), &P, &R.csr));
    context.check(spgemm_csr(context.get(), &A, &P, &AP.csr));
    context.check(spgemm_csr(context.get(), &R.csr, &AP.csr, &coarse.csr));
    std::printf("fine %lld rows, coarse %lld rows\n", static_cast<long long>(A.rows),
                static_cast<long long>(coarse.csr.rows));

    const Vector b(static_cast<std::size_t>(A.rows), 1.0);
    const auto identity = [](const Vector &r) { return r; };
    // Additive two-grid: a Jacobi step on the fine grid plus a correction from the coarse grid.
    const auto two_grid = [&](const Vector &r) {
        Vector correction;
        solve(context, coarse.csr, multiply(context, R.csr, r), 1e-8, correction, identity);
        Vector z = multiply(context, P, correction);
        for (std::size_t i = 0; i < z.size(); i++) z[i] += r[i] / 4;
        return z;
    };
    Vector x, y;
    const int plain = solve(context, A, b, 1e-8, x, identity);
    const int preconditioned = solve(context, A, b, 1e-8, y, two_grid);
    double difference = 0;
    for (std::size_t i = 0; i < x.size(); i++) difference = std::fmax(difference, std::fabs(x[i] - y[i]) / x[i]);
    std::printf("conjugate gradients: %d iterations, with the coarse grid %d\n", plain, preconditioned);
    if (preconditioned >= plain || difference > 1e-5) throw std::runtime_error("the coarse grid did not help");
}

} // namespace

int main()
{
    Counter counter;
    try {
        run(counter);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
    std::printf("spg allocated %zu times, %zu bytes at most, %zu left\n", counter.calls, counter.peak, counter.live);
    if (std::fflush(stdout) != 0) return EXIT_FAILURE; // a full disk, for example
    return counter.live == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
