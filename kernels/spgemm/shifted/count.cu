/* Method shifted, counting pass: finds runs of rows of C that are the row before, shifted by a column, and counts only
 * the first row of each run (shifted/runs.cuh).
 *
 * Input: A and B, unchecked. Output: runs, single rows, and the lengths of C's rows. A row of B is shifted if it is as
 * long as the row before and its columns, all in range, are those of that row plus one. A row of A joins the run of the
 * row before if it is shifted too, and all rows of B that it names are. So a check of the first row of a run holds for
 * the whole run. Chosen by route/route.cu. No counterpart in the paper. */
#include "../../primitives/warp.cuh"
#include "../driver/groups.cuh"
#include "runs.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256, WARPS = THREADS / 32, LANES = COMPARING_LANES, WORDS = SHIFTED_PART / 32 };
enum { RUNS, COUNTED, SINGLE, COUNTS };
enum { PART_RUNS = SHIFTED_PART / SHIFTED_LEAST };

/* A block's results for its part, in shared memory; the words have a bit a row. */
struct part_found {
    uint8_t shifted[SHIFTED_PART];
    uint32_t words[WORDS], counted[WORDS], single[WORDS];
    shifted_run runs[PART_RUNS];
    int run_count;
    int counted_before[WORDS], single_before[WORDS];
    uint32_t begins[COUNTS];
};

/* Marks which rows of the part are shifted; the first is not. */
__device__ void mark_part(const patterns<int32_t> &pattern, const uint8_t *shifts, int32_t part, part_found &found)
{
    unsigned int faults = 0;
    for (int x = (int)threadIdx.x / LANES; x < SHIFTED_PART; x += THREADS / LANES) {
        const int64_t i = (int64_t)part * SHIFTED_PART + x;
        span<int32_t> row{0, 0}, before{0, 0};
        if (x > 0 && i < pattern.rows) {
            row = checked_a_row(pattern, (int32_t)i, faults);
            before = checked_a_row(pattern, (int32_t)i - 1, faults);
        }
        const bool is = is_like_before<1>(pattern.a_columns, row, before, pattern.inner,
                                          [&](int32_t column) { return shifts[column] != 0; });
        if (threadIdx.x % LANES == 0) found.shifted[x] = is;
    }
}

/* The rows of the run that begins at row x of the part. A whole warp calls it. */
__device__ int run_length(const part_found &found, int x)
{
    const int lane = lane_in_warp(), word = x / 32;
    uint32_t begins = lane < word ? 0 : ~found.words[lane];
    if (lane == word) begins &= ~0u << x % 32 << 1;
    const unsigned int some = __ballot_sync(~0u, begins != 0);
    if (some == 0) return SHIFTED_PART - x;
    const int first = __ffs((int)some) - 1;
    return 32 * first + __ffs((int)__shfl_sync(~0u, begins, first)) - 1 - x;
}

/* Whether a run can be done in tiles, and how. A whole warp calls it. */
__device__ bool plan_run(const patterns<int32_t> &pattern, int32_t room, shifted_run *run)
{
    if (run->rows < SHIFTED_LEAST) return false;
    unsigned int faults = 0;
    const span<int32_t> a = checked_a_row(pattern, run->first, faults);
    const int length = a.end - a.begin, k = lane_in_warp();
    if (length > SHIFTED_MOST_A) return false;
    const int32_t column = k < length ? pattern.a_columns[a.begin + k] : NO_COLUMN;
    const span<int32_t> b = k < length ? checked_b_row(pattern, column, faults) : span<int32_t>{0, 0};
    const int b_length = min(b.end - b.begin, SHIFTED_MOST_B + 1);
    const int longest = reduce(b_length, maximum{}), products = reduce(b_length, plus{});
    /* Consecutive rows of B share their place in shared memory, except for one row. */
    const int32_t before = __shfl_up_sync(~0u, column, 1);
    const bool goes_on = k > 0 && k < length && column == before + 1;
    const int once = __popc(__ballot_sync(~0u, goes_on)), apart = length - once, pitch = longest | 1;
    const bool fits = __all_sync(~0u, faults == 0) && longest <= SHIFTED_MOST_B && products <= SHIFTED_MOST_PRODUCTS;
    if (!fits || room < once * pitch) return false;
    const int most = min((room - once * pitch) / (apart * pitch + (length | 1)), 32);
    if (most < SHIFTED_LEAST) return false;
    const int tiles = (run->rows + most - 1) / most;
    run->tile_rows = (run->rows + tiles - 1) / tiles;
    run->products = products;
    return true;
}

/* Lists the runs that begin at the rows of a word. A whole warp calls it. */
__device__ void find_runs(const patterns<int32_t> &pattern, int32_t room, int32_t part, int word, part_found &found)
{
    const int64_t rows_before = (int64_t)part * SHIFTED_PART;
    for (uint32_t begins = ~found.words[word]; begins != 0; begins &= begins - 1) {
        const int x = 32 * word + __ffs((int)begins) - 1;
        if (rows_before + x >= pattern.rows) return;
        shifted_run run{(int32_t)(rows_before + x), run_length(found, x), 0, 0};
        const bool is_run = plan_run(pattern, room, &run);
        const int lane = lane_in_warp();
        if (is_run && lane == 0) {
            found.runs[atomicAdd(&found.run_count, 1)] = run;
            atomicOr(&found.counted[word], 1u << x % 32);
        }
        /* If the rows cannot be done as a run, all of them are single. */
        const int from = x - 32 * lane, past = from + run.rows;
        if (is_run || past <= 0 || from >= 32) continue;
        const uint32_t mask = (past >= 32 ? ~0u : (1u << past) - 1) & ~0u << max(from, 0);
        atomicOr(&found.single[lane], mask);
        atomicOr(&found.counted[lane], mask);
    }
}

/* Writes the numbers of the rows whose bits are set. */
__device__ void write_rows(const uint32_t *words, const int *before, int32_t first, int32_t *to)
{
    for (int x = (int)threadIdx.x; x < SHIFTED_PART; x += THREADS) {
        const uint32_t word = words[x / 32];
        if (word >> x % 32 & 1) to[before[x / 32] + __popc(word & ((1u << x % 32) - 1))] = first + x;
    }
}

/* A block a part of A's rows. */
__global__ void __launch_bounds__(THREADS) list_runs(patterns<int32_t> pattern, shifted_rows rows)
{
    __shared__ part_found found;
    const int32_t part = (int32_t)blockIdx.x;
    const int warp = (int)threadIdx.x / 32, lane = lane_in_warp();
    mark_part(pattern, rows.shifts, part, found);
    if (threadIdx.x < WORDS) found.counted[threadIdx.x] = found.single[threadIdx.x] = 0;
    if (threadIdx.x == 0) found.run_count = 0;
    __syncthreads();
    for (int word = warp; word < WORDS; word += WARPS) {
        const unsigned int bits = __ballot_sync(~0u, found.shifted[32 * word + lane] != 0);
        if (lane == 0) found.words[word] = bits;
    }
    __syncthreads();
    for (int word = warp; word < WORDS; word += WARPS) find_runs(pattern, rows.room, part, word, found);
    __syncthreads();
    if (warp == 0) {
        int counted, single;
        found.counted_before[lane] = exclusive_scan(__popc(found.counted[lane]), 0, plus{}, &counted);
        found.single_before[lane] = exclusive_scan(__popc(found.single[lane]), 0, plus{}, &single);
        if (lane < COUNTS)
            found.begins[lane] = atomicAdd(rows.counts + lane, (uint32_t)(lane == RUNS      ? found.run_count
                                                                          : lane == COUNTED ? counted
                                                                                            : single));
    }
    __syncthreads();
    for (int k = (int)threadIdx.x; k < found.run_count; k += THREADS) rows.runs[found.begins[RUNS] + k] = found.runs[k];
    write_rows(found.counted, found.counted_before, part * SHIFTED_PART, rows.counted + found.begins[COUNTED]);
    write_rows(found.single, found.single_before, part * SHIFTED_PART, rows.single + found.begins[SINGLE]);
}

/* Copies the length of a run's first row to its other rows; a warp a run. */
__global__ void __launch_bounds__(THREADS) spread_lengths(patterns<int32_t> pattern, shifted_rows rows)
{
    const int lane = lane_in_warp();
    const int64_t count = rows.counts[RUNS], step = (int64_t)gridDim.x * WARPS;
    counts found{};
    for (int64_t k = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; k < count; k += step) {
        const shifted_run run = rows.runs[k];
        const int32_t length = pattern.c_offsets[run.first];
        for (int r = 1 + lane; r < run.rows; r += 32) pattern.c_offsets[run.first + r] = length;
        if (lane > 0) continue;
        const unsigned int others = (unsigned int)run.rows - 1;
        found.nnz += (unsigned long long)others * (unsigned int)length;
        found.products += (unsigned long long)others * (unsigned int)run.products;
        found.rows += others;
    }
    __syncwarp();
    add_counts(pattern.counters, found);
}

} // namespace

spg_status list_shifted_rows(cuda_product &product, shifted_rows *rows)
{
    const int64_t a_rows = product.A->rows, parts = (a_rows + SHIFTED_PART - 1) / SHIFTED_PART;
    const int64_t header = 256, runs = parts * PART_RUNS * (int64_t)sizeof(shifted_run),
                  listed = a_rows * (int64_t)sizeof(int32_t), bytes = header + runs + 2 * listed + product.B->rows;
    *rows = {};
    if (!take_spare(product, bytes, rows)) return SPG_OK;
    char *memory = static_cast<char *>(rows->memory);
    rows->room = shifted_room(product);
    rows->counts = reinterpret_cast<uint32_t *>(memory);
    rows->runs = reinterpret_cast<shifted_run *>(memory + header);
    rows->counted = reinterpret_cast<int32_t *>(memory + header + runs);
    rows->single = rows->counted + a_rows;
    rows->shifts = reinterpret_cast<uint8_t *>(rows->single + a_rows);
    spg_status status = spg_cuda_zero_bytes(product.context, rows->counts, header);
    if (status != SPG_OK) return status;
    status = mark_rows_like_before<int32_t, 1>(product, rows->shifts);
    if (status != SPG_OK) return status;
    list_runs<<<(unsigned int)parts, THREADS, 0, product.cuda->stream>>>(patterns_of<int32_t>(product), *rows);
    return spg_cuda_check_launch(product.context, "runs of rows");
}

row_set single_rows(const cuda_product &product, const shifted_rows &rows)
{
    return {rows.single, (int32_t)product.A->rows, rows.counts + SINGLE, nullptr};
}

spg_status count_rows_shifted(cuda_product &product, const shifted_rows &rows, int slots)
{
    const row_set counted{rows.counted, (int32_t)product.A->rows, rows.counts + COUNTED, nullptr};
    spg_status status = count_rows_hash_group(product, counted, slots);
    if (status != SPG_OK) return status;
    spread_lengths<<<(unsigned int)product.cuda->multiprocessors * 4, THREADS, 0, product.cuda->stream>>>(
        patterns_of<int32_t>(product), rows);
    return spg_cuda_check_launch(product.context, "lengths of runs");
}

} // namespace spg
