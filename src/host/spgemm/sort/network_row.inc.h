/* See network_row.c. */

int64_t NAMED(spg_rows_network)(spg_worker *worker, int64_t row, int64_t end)
{
    network_batch batch;
    if (!open_batch(worker, row, end, &batch)) return 0;
    prefetch_next_batch(worker, &batch, end);
    if (worker->shared->vector >= SPG_VECTOR_AVX512)
        NAMED(spg_batch_avx512)(worker, &batch);
    else
        NAMED(spg_batch_avx2)(worker, &batch);
    return batch.rows;
}
