/* Figures of Binder, Keller 2019, printed and written as data; sampling_plots.py draws them. */
#ifndef SPG_BENCH_SAMPLING_PAPER_FIGURES_H
#define SPG_BENCH_SAMPLING_PAPER_FIGURES_H

#include "sampling_report.h"

/* A density of 64 steps from 2^9 and 2^11 samples. */
spg_status figure_7(sampling_bench *bench);

/* Points in an image; the quadratic error of its counts against the number of samples, to chosen->draws. */
spg_status figures_8_and_9(sampling_bench *bench);

#endif
