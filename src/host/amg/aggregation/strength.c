/* Strength of connection: to which neighbours a node is strongly coupled, by the symmetric measure (Vanek, Mandel,
 * Brezina 1996, section 5.1) or the classical one, beside the row's largest coupling. With threshold 0 and one unknown
 * per node the graph is A's own pattern. */
#define REAL_ONLY
#include "graph.h"
#include "host/amg/host_amg.h"
#include "host/amg/rows.h"
#include "host/by_type.h"
#include "host/work.h"
#include "memory.h"

#include "amg/numerics.h"

#include <math.h>
#include <string.h>

/* What a thread collects for one node's row of blocks. */
typedef struct node_row {
    int32_t *place;  /* for each node: its position in the list, or -1 */
    double *squares; /* of the scaled blocks in the list; not used if every block is kept */
    int32_t *list;
    int64_t count;
} node_row;

typedef struct strength_job {
    const spg_csr *A;
    int block_size;
    spg_strength measure;
    double theta;
    int64_t nodes, longest; /* longest: an upper bound of the nodes in a row of blocks */
    double *diagonal;       /* magnitudes */
    double *scale;          /* of each node of several unknowns; see spg_amg_node_scale */
    int64_t *counts;
    spg_amg_graph *graph;
    spg_threads threads;
    int64_t row_bytes; /* of a thread's node_row; 0 with one unknown per node */
    char *rows;        /* in each node_row, `place` is -1 for every node */
} strength_job;

static inline bool is_by_rows(const strength_job *job) { return job->measure == SPG_STRENGTH_CLASSICAL; }

/* The scale of the entries of a block. */
static inline double scale_of(const strength_job *job, int64_t i, int64_t j)
{
    return job->scale == NULL ? 1 : spg_amg_block_scale(job->scale[i], job->scale[j], is_by_rows(job));
}

/* largest: of the couplings of node i to others, for the classical measure. */
static inline bool is_strong(const strength_job *job, double magnitude, int64_t i, int64_t j, double largest)
{
    if (i == j) return true;
    return magnitude >=
           job->theta * (is_by_rows(job) ? largest : spg_amg_geometric_mean(job->diagonal[i], job->diagonal[j]));
}

static node_row row_of_thread(const strength_job *job, int thread)
{
    char *at = job->rows + thread * job->row_bytes;
    node_row row = {.squares = (double *)(void *)at};
    row.place = (int32_t *)(void *)(row.squares + job->longest);
    row.list = row.place + job->nodes;
    return row;
}

/* A pass over nodes [first, last). */
typedef void pass(const strength_job *job, int64_t first, int64_t last, node_row *row);

#define TYPE_TEMPLATE "host/amg/aggregation/strength.inc.h"
#include "host/for_each_type.h"

typedef struct pass_job {
    const strength_job *job;
    pass *run;
    int64_t parts; /* of the nodes */
} pass_job;

static void run_parts(const void *data, spg_range parts)
{
    const pass_job *all = data;
    const strength_job *job = all->job;
    node_row row = {0};
    if (job->row_bytes > 0) row = row_of_thread(job, parts.thread);
    all->run(job, spg_host_cut(job->nodes, parts.begin, all->parts), spg_host_cut(job->nodes, parts.end, all->parts),
             &row);
}

static void run_pass(const strength_job *job, pass *const passes[2][2])
{
    const spg_csr *A = job->A;
    const int64_t parts = 4 * spg_host_parts(job->threads);
    spg_parallel(job->threads, parts, 1, run_parts,
                 &(pass_job){job, passes[A->value_type][A->offset_type - SPG_I32], parts});
}

/* Called once, since each pass resets the positions it has set. */
static void clear_rows(const strength_job *job)
{
    for (int thread = 0; job->row_bytes > 0 && thread < job->threads.count; ++thread)
        memset(row_of_thread(job, thread).place, -1, (size_t)job->nodes * sizeof(int32_t));
}

static void release_graph(spg_context *context, spg_amg_graph *graph)
{
    spg_release(context, graph->row_offsets, (graph->nodes + 1) * (int64_t)spg_type_size(graph->offset_type));
    spg_release(context, graph->columns, graph->nnz * (int64_t)sizeof *graph->columns);
    memset(graph, 0, sizeof *graph);
}

/* Allocates the graph after its rows are counted, and writes its offsets. */
static spg_status allocate_graph(spg_context *context, strength_job *job)
{
    spg_amg_graph *graph = job->graph;
    *graph = (spg_amg_graph){.nodes = job->nodes, .offset_type = job->A->offset_type};
    const int64_t offset_bytes = (job->nodes + 1) * (int64_t)spg_type_size(graph->offset_type);
    spg_status status = spg_allocate(context, offset_bytes, "strong connections", &graph->row_offsets);
    if (status == SPG_OK) {
        graph->nnz = spg_host_sum_counts(job->threads, job->counts, job->nodes);
        status = spg_allocate(context, spg_array_bytes(graph->nnz, sizeof *graph->columns), "strong connections",
                              (void **)&graph->columns);
    }
    if (status != SPG_OK)
        release_graph(context, graph);
    else
        spg_host_write_offsets(job->threads, job->counts, job->nodes, graph->offset_type, graph->row_offsets);
    return status;
}

static spg_status find_strong(spg_context *context, strength_job *job)
{
    static pass *const scales[2][2] = BY_REAL_TYPE(measure_nodes);
    static pass *const diagonals[2][2] = BY_REAL_TYPE(measure_diagonals);
    static pass *const scalars[2][2] = BY_REAL_TYPE(strong_scalars);
    static pass *const blocks[2][2] = BY_REAL_TYPE(strong_blocks);
    pass *const(*const rows)[2] = job->block_size == 1 ? scalars : blocks;
    if (job->scale != NULL) run_pass(job, scales);
    if (job->theta > 0 && !is_by_rows(job)) run_pass(job, diagonals);
    run_pass(job, rows); /* counts, as there is no graph yet */
    spg_status status = allocate_graph(context, job);
    if (status == SPG_OK) run_pass(job, rows);
    return status;
}

spg_status spg_host_strength(spg_context *context, const spg_csr *A, int block_size, spg_strength measure, double theta,
                             spg_amg_graph *graph)
{
    memset(graph, 0, sizeof *graph);
    if (block_size == 1 && theta == 0) {
        *graph = (spg_amg_graph){A->rows, A->nnz, A->offset_type, A->row_offsets, A->columns, true, NULL, NULL};
        return SPG_OK;
    }
    strength_job job = {.A = A, .block_size = block_size, .measure = measure, .theta = theta, .graph = graph};
    job.nodes = A->rows / block_size;
    job.threads = spg_host_threads(context, A->nnz + A->rows);
    const bool has_scales = block_size > 1 && theta > 0;
    const int64_t shared = job.nodes * (has_scales ? 24 : 16);
    if (block_size > 1) {
        const int64_t longest = block_size * spg_host_longest_row(job.threads, A);
        job.longest = longest < job.nodes ? longest : job.nodes;
        job.row_bytes = (job.longest * 12 + job.nodes * 4 + 63) / 64 * 64;
        job.threads.count = spg_pieces_within_limit(context, shared, job.row_bytes, job.threads.count);
    }
    const int64_t bytes = shared + job.threads.count * job.row_bytes;
    char *room;
    spg_status status = spg_allocate_workspace(context, 0, bytes, "strong connections", (void **)&room);
    if (status != SPG_OK) return status;
    job.diagonal = (double *)(void *)room;
    job.counts = (int64_t *)(void *)(job.diagonal + job.nodes);
    job.scale = has_scales ? (double *)(void *)(job.counts + job.nodes) : NULL;
    job.rows = room != NULL ? room + shared : NULL;
    clear_rows(&job);
    status = find_strong(context, &job);
    spg_release(context, room, bytes);
    return status;
}
