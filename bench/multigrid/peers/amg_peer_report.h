/* What amg_bench prints and records of peers. */
#ifndef SPG_BENCH_AMG_PEER_REPORT_H
#define SPG_BENCH_AMG_PEER_REPORT_H

#include "amg_measure.h"
#include "amg_peer_measure.h"

#include <stdio.h>

/* A peer's version and settings, below those of spg. */
void amg_peer_report_head(FILE *stream, const amg_peer *peer);

/* Some lines below spg's findings of the same matrix. */
void amg_peer_report_findings(FILE *stream, const amg_findings *own, const amg_peer_findings *found);

/* A row of the table, below spg's. */
void amg_peer_report_table_row(FILE *stream, const amg_peer_findings *found);

/* Appends a line. False if the file cannot be written. */
bool amg_peer_report_json(FILE *stream, const char *description, const amg_options *chosen,
                          const amg_peer_findings *found);

#endif
