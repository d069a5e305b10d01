/* Numbers of a sequence, as bits and as uniforms, in blocks of a fixed size, each by one thread. */
#include "random.h"

#include "host_sampling.h"

void spg_host_numbers(const spg_random *random, uint64_t first, int count, uint64_t *bits)
{
    uint64_t number = random->first + first;
    int k = 0;
    if (count > 0 && (number & 1) != 0) bits[k++] = spg_random_number(random->seed, random->stream, number);
    /* If the numbers wrap past the last, they do so between two calls for blocks. */
    uint64_t block = (number + (uint64_t)k) >> 1, blocks_left = ((uint64_t)1 << 63) - block;
    int pairs = (count - k) / 2, before = (uint64_t)pairs < blocks_left ? pairs : (int)blocks_left;
    spg_host_blocks(random->seed, block, random->stream, before, bits + k);
    k += 2 * before;
    spg_host_blocks(random->seed, 0, random->stream, pairs - before, bits + k);
    k += 2 * (pairs - before);
    if (k < count) bits[k] = spg_random_number(random->seed, random->stream, number + (uint64_t)k);
}

typedef struct bits_job {
    const spg_random *random;
    int64_t count;
    uint64_t *bits;
} bits_job;

static void make_bits(const void *data, spg_range batches)
{
    const bits_job *job = data;
    for (int64_t b = batches.begin; b < batches.end; ++b)
        spg_host_numbers(job->random, (uint64_t)(b * SPG_BATCH), spg_host_batch_size(b, job->count),
                         job->bits + b * SPG_BATCH);
}

spg_status spg_host_random_bits(spg_context *context, const spg_random *random, int64_t count, uint64_t *bits)
{
    spg_parallel(spg_host_threads(context, count), spg_host_batches(count), 0, make_bits,
                 &(bits_job){random, count, bits});
    return SPG_OK;
}

typedef struct uniforms_job {
    const spg_random *random;
    int64_t count;
    spg_type type;
    void *uniforms;
} uniforms_job;

static void make_uniforms(const void *data, spg_range batches)
{
    const uniforms_job *job = data;
    for (int64_t b = batches.begin; b < batches.end; ++b) {
        uint64_t bits[SPG_BATCH];
        int size = spg_host_batch_size(b, job->count);
        spg_host_numbers(job->random, (uint64_t)(b * SPG_BATCH), size, bits);
        if (job->type == SPG_F32) {
            float *to = (float *)job->uniforms + b * SPG_BATCH;
            for (int k = 0; k < size; ++k) to[k] = spg_uniform_f32(bits[k]);
        } else {
            double *to = (double *)job->uniforms + b * SPG_BATCH;
            for (int k = 0; k < size; ++k) to[k] = spg_uniform_f64(bits[k]);
        }
    }
}

spg_status spg_host_random_uniforms(spg_context *context, const spg_random *random, int64_t count, spg_type type,
                                    void *uniforms)
{
    spg_parallel(spg_host_threads(context, count), spg_host_batches(count), 0, make_uniforms,
                 &(uniforms_job){random, count, type, uniforms});
    return SPG_OK;
}
