/* The sizes of BoomerAMG's levels, for which hypre has no public call. */
#ifndef SPG_BENCH_HYPRE_LEVELS_H
#define SPG_BENCH_HYPRE_LEVELS_H

/* Of a BoomerAMG solver that has been set up: rows and entries of all levels together and of the finest. */
typedef struct hypre_levels_sizes {
    int levels;
    double rows, entries, fine_rows, fine_entries;
} hypre_levels_sizes;

void hypre_levels_measure(void *boomeramg, hypre_levels_sizes *sizes);

#endif
