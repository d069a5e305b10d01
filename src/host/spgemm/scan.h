/* One pass over an operand before the product: is it well formed, and what do its rows look like. Private. */
#ifndef SPG_SRC_HOST_SPGEMM_SCAN_H
#define SPG_SRC_HOST_SPGEMM_SCAN_H

#include "worker.h"

/* The offsets of A alone; its columns are checked as they are used. */
bool spg_offsets_are_valid(const spg_csr *matrix, spg_threads threads);

/* False if B is malformed. */
bool spg_scan_b(const spg_csr *B, spg_threads threads, b_facts *facts);

/* FORMAT with the operand's name and its first offending row. */
spg_status spg_report_malformed(spg_context *context, const spg_csr *A, const spg_csr *B);

#endif
