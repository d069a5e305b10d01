// Eigen (Guennebaud, Jacob and others): one thread, sorted rows, zeros kept (A*B without pruned()).
#include "peer.h"

#include <Eigen/SparseCore>

#include <complex>
#include <cstdlib>
#include <memory>
#include <new>

namespace
{

struct offsets_deleter {
    void operator()(int32_t *memory) const { std::free(memory); }
};
using offsets = std::unique_ptr<int32_t, offsets_deleter>;

struct state {
    spg_context *errors = nullptr;
    spg_type value_type = SPG_F64;
    offsets A_offsets, B_offsets;
    virtual ~state() = default;
    virtual void multiply() = 0;
    virtual void view(csr_view *result) const = 0;
    virtual void release() = 0;
};

template <typename Value> struct typed_state final : state {
    using matrix = Eigen::SparseMatrix<Value, Eigen::RowMajor, int32_t>;
    using input = Eigen::Map<const matrix>;
    const problem *task;
    std::unique_ptr<matrix> C;

    explicit typed_state(const problem *given) : task(given) {}

    static input map(const spg_csr &source, const int32_t *row_offsets)
    {
        return input(source.rows, source.cols, source.nnz, row_offsets, source.columns,
                     static_cast<const Value *>(source.values));
    }
    void multiply() override
    {
        const input A = map(task->A, A_offsets.get()), B = map(task->B, B_offsets.get());
        if (task->product == PRODUCT_RAP) {
            const matrix R = B.transpose(), AP = A * B;
            C.reset(new matrix(R * AP));
        } else {
            C.reset(new matrix(A * B));
        }
    }
    void view(csr_view *result) const override
    {
        *result = csr_view{C->rows(),  C->cols(),          C->nonZeros(),      SPG_I32,       SPG_I32,
                           value_type, C->outerIndexPtr(), C->innerIndexPtr(), C->valuePtr(), SPG_PLACE_HOST};
    }
    void release() override { C.reset(); }
};

bool supports(spg_type) { return true; }

state *create(const problem *task)
{
    switch (task->A.value_type) {
    case SPG_F32: return new typed_state<float>(task);
    case SPG_F64: return new typed_state<double>(task);
    case SPG_C32: return new typed_state<std::complex<float>>(task);
    default: return new typed_state<std::complex<double>>(task);
    }
}

spg_status prepare(const peer *, spg_context *errors, const peer_settings *, const problem *task, void **result)
{
    *result = nullptr;
    if (task->products > INT32_MAX)
        return spg_context_fail(errors, SPG_ERROR_UNSUPPORTED, "more products than its 32-bit sizes are safe with");
    try {
        std::unique_ptr<state> created(create(task));
        created->errors = errors;
        created->value_type = task->A.value_type;
        created->A_offsets.reset(offsets_as_int32(&task->A));
        created->B_offsets.reset(offsets_as_int32(&task->B));
        if (!created->A_offsets || !created->B_offsets) throw std::bad_alloc();
        *result = created.release();
        return SPG_OK;
    } catch (const std::bad_alloc &) {
        return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory for 32-bit offsets, or they do not fit");
    }
}

spg_status multiply(void *memory)
{
    state *self = static_cast<state *>(memory);
    try {
        self->multiply();
        return SPG_OK;
    } catch (const std::bad_alloc &) {
        return spg_context_fail(self->errors, SPG_ERROR_MEMORY, "std::bad_alloc");
    }
}

spg_status view(void *memory, csr_view *result)
{
    static_cast<const state *>(memory)->view(result);
    return SPG_OK;
}

void release(void *memory) { static_cast<state *>(memory)->release(); }

void cleanup(void *memory) { delete static_cast<state *>(memory); }

} // namespace

#define TEXT(number) #number
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

extern "C" const peer peer_eigen = {
    "eigen",        VERSION(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION) ", rows sorted",
    false,          true,
    false,          false,
    SPG_PLACE_HOST, {-1, -1, -1},
    supports,       prepare,
    multiply,       view,
    release,        nullptr,
    nullptr,        cleanup};
