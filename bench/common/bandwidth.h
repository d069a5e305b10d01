/* The copy bandwidth of memory, the measure of how far a product is from the least time it could take. */
#ifndef SPG_BENCH_BANDWIDTH_H
#define SPG_BENCH_BANDWIDTH_H

/* Bytes read and written a second by the best of several parallel copies of an array larger than any cache; 0 if there
 * is no memory for it. */
double copy_bandwidth(int threads);

#endif
