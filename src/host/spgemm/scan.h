/* One pass over an operand before the product: checks it and collects facts about its rows. Private. */
#ifndef SPG_SRC_HOST_SPGEMM_SCAN_H
#define SPG_SRC_HOST_SPGEMM_SCAN_H

#include "worker.h"

/* Checks only the offsets of A; its columns are checked when they are used. */
bool spg_offsets_are_valid(const spg_csr *matrix, spg_threads threads);

/* False if B is malformed. */
bool spg_scan_b(const spg_csr *B, spg_threads threads, b_facts *facts);

/* FORMAT; the message names the operand and its first invalid row. */
spg_status spg_report_malformed(spg_context *context, const spg_csr *A, const spg_csr *B);

#endif
