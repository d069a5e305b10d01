/* Sums of an entry of C whose codes stand each for a run of entries of A (plan.cuh): of a block matrix, whose rows of A
 * and of B are equal by blocks. Private to plan_rows_entries.cu. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_RUNS_CUH
#define SPG_KERNELS_SPGEMM_PLAN_RUNS_CUH

#include "plan.cuh"

namespace spg
{

enum { MOST_RUN = 6 };

/* Codes of 2, 4 or 8 bytes: words of a product, products of a word, and what stands for none. */
template <typename Code> struct code_form {
    static constexpr int words = sizeof(Code) == 8 ? 2 : 1, products = sizeof(Code) == 2 ? 2 : 1;
    static constexpr Code none = (Code) ~(Code)0;
};

/* Code t of `count`, from the first one's word; none beyond the last. */
template <typename Code> __device__ inline Code code_at(const uint32_t *codes, int t, int count)
{
    if (t >= count) return code_form<Code>::none;
    if constexpr (sizeof(Code) == 2)
        return reinterpret_cast<const uint16_t *>(codes + t / 2 * 32)[t % 2];
    else if constexpr (sizeof(Code) == 4)
        return codes[t * 32];
    else
        return (Code)codes[2 * t * 32] | (Code)codes[(2 * t + 1) * 32] << 32;
}

/* Some codes, each for a run of up to Run entries of A, and the values of B that go with them. */
template <int Run, typename Code, typename Value> struct some_runs {
    static constexpr int count = MOST_RUN / Run;
    Code code[count];
    Value b[count][Run];

    template <typename Start>
    __device__ void load(const Code (&codes)[count], int shift, int deep, const Start *b_begins, const Value *b_values)
    {
#pragma unroll
        for (int u = 0; u < count; u++) {
            code[u] = codes[u];
            /* In place of none: the first run, which is there. */
            const Code known = code[u] == code_form<Code>::none ? (Code)0 : code[u];
            const Start at = (Start)(known & (Code)(((Code)1 << shift) - 1));
#pragma unroll
            for (int v = 0; v < Run; v++) b[u][v] = b_values[b_begins[(known >> shift) + min(v, deep - 1)] + at];
        }
    }
    template <int Together>
    __device__ void add(int shift, int deep, const Value *a, int stride, int together, Value (&sums)[Together]) const
    {
#pragma unroll
        for (int u = 0; u < count; u++) {
            if (code[u] == code_form<Code>::none) continue;
            const Value *run = a + (code[u] >> shift);
#pragma unroll
            for (int v = 0; v < Run; v++) {
                if (v >= deep) continue;
#pragma unroll
                for (int j = 0; j < Together; j++)
                    sums[j] = add_product(sums[j], run[min(j, together - 1) * stride + v], b[u][v]);
            }
        }
    }
};

/* The sums of an entry and those of equal rows, whose values of A are `stride` apart: its codes are `words` words, 32
 * apart. Values of B are on their way while those before them are added. */
template <int Run, typename Code, int Together, typename Start, typename Value>
__device__ inline void sum_runs(const uint32_t *codes, int words, int shift, int deep, const Value *a, int stride,
                                int together, const Start *b_begins, const Value *__restrict__ b_values,
                                Value (&sums)[Together])
{
    using runs = some_runs<Run, Code, Value>;
    constexpr int COUNT = runs::count;
    const int all = words * code_form<Code>::products / code_form<Code>::words;
    Code next[COUNT];
    runs now, after;
#pragma unroll
    for (int u = 0; u < COUNT; u++) next[u] = code_at<Code>(codes, u, all);
    after.load(next, shift, deep, b_begins, b_values);
#pragma unroll
    for (int u = 0; u < COUNT; u++) next[u] = code_at<Code>(codes, COUNT + u, all);
    for (int t = 0; t < all; t += COUNT) {
        now = after;
        if (t + COUNT < all) after.load(next, shift, deep, b_begins, b_values);
#pragma unroll
        for (int u = 0; u < COUNT; u++) next[u] = code_at<Code>(codes, t + 2 * COUNT + u, all);
        now.add(shift, deep, a, stride, together, sums);
    }
}

template <int Run, int Together, typename Start, typename Value>
__device__ inline void sum_any_runs(const plan_window &window, const uint32_t *codes, int words, int deep,
                                    const Value *a, int stride, int together, const Start *b_begins,
                                    const Value *b_values, Value (&sums)[Together])
{
    const int shift = window.shift;
    if (window.code_bytes == 2)
        sum_runs<Run, uint16_t>(codes, words, shift, deep, a, stride, together, b_begins, b_values, sums);
    else if (window.code_bytes == 4)
        sum_runs<Run, uint32_t>(codes, words, shift, deep, a, stride, together, b_begins, b_values, sums);
    else
        sum_runs<Run, uint64_t>(codes, words, shift, deep, a, stride, together, b_begins, b_values, sums);
}

} // namespace spg

#endif
