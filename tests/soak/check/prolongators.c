/* See prolongators.h. */
#include "prolongators.h"

#include "host_matrix.h"
#include "systems.h"

#include <math.h>
#include <stdlib.h>

static double element(spg_type type, const void *values, int64_t i)
{
    if (values == NULL) return 1;
    return type == SPG_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

bool soak_is_smoothed(const soak_smoothing *s, const char *what)
{
    const spg_type type = s->A->value_type;
    const double epsilon = type == SPG_F32 ? 1e-3 : 1e-9;
    for (int64_t i = 0; i < s->A->rows; i++) {
        const double own = s->aggregate_of[i] >= 0 ? element(type, s->candidate, i) : 0;
        double diagonal = 0, sum = 0, magnitude = 0, carried = 0, size = fabs(own);
        for (int64_t k = soak_offset(s->A, i); k < soak_offset(s->A, i + 1); k++) {
            const int64_t j = s->A->columns[k];
            const double product = s->aggregate_of[j] >= 0 ? soak_entry(s->A, k) * element(type, s->candidate, j) : 0;
            if (j == i) diagonal += soak_entry(s->A, k);
            sum += product;
            magnitude += fabs(product);
        }
        for (int64_t k = soak_offset(s->P, i); k < soak_offset(s->P, i + 1); k++) {
            const double product = soak_entry(s->P, k) * element(type, s->coarse_candidate, s->P->columns[k]);
            carried += product;
            size += fabs(product);
        }
        const double share = diagonal != 0 ? s->omega / diagonal : 0;
        const double expected = own - share * sum, bound = epsilon * (size + fabs(share) * magnitude);
        if (!(fabs(carried - expected) <= bound))
            return soak_fault("%s: row %lld carries the coarse candidate to %.17g, expected %.17g", what, (long long)i,
                              carried, expected);
    }
    return true;
}
