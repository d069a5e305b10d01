/* Prolongators, and what their values are made of: on a device as on the host, patterns bit for bit, sums of real
 * numbers to rounding. The host's own are tested against references of their own. */
#include "levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_tentative(level *l, int candidates, bool constants, void *T[SIDES])
{
    const int64_t rows = l->A.rows, coarse_rows = l->aggregates[HOST].aggregates * candidates;
    void *fine = malloc((size_t)real_bytes(l, rows * candidates) + 1), *coarse[SIDES];
    assert_non_null(fine);
    test_random_values(5, 0, l->type, rows * candidates, fine);
    for (int s = 0; s < SIDES; ++s) {
        const side *at = &l->sides[s];
        l->aggregates[s].candidates = candidates;
        void *here = put(at, fine, real_bytes(l, rows * candidates));
        T[s] = put(at, NULL, real_bytes(l, rows * candidates));
        coarse[s] = put(at, NULL, real_bytes(l, coarse_rows * candidates));
        assert_int_equal(
            at->stages->tentative(at->context, l->type, &l->aggregates[s], constants ? NULL : here, T[s], coarse[s]),
            SPG_OK);
        drop(at, here, real_bytes(l, rows * candidates));
    }
    /* Columns whose rest is small are known to fewer digits. */
    assert_near(l, T, rows * candidates, candidates == 1 ? rounding(l->type) : 1e4 * rounding(l->type), "T");
    assert_near(l, coarse, coarse_rows * candidates, 10 * rounding(l->type), "coarse candidates");
    drop_both(l, coarse, real_bytes(l, coarse_rows * candidates));
    free(fine);
}

static void find_inverse(const level *l, bool l1, void *inverse[SIDES])
{
    for (int s = 0; s < SIDES; ++s) {
        inverse[s] = put(&l->sides[s], NULL, real_bytes(l, l->A.rows));
        assert_int_equal(l->sides[s].stages->inverse_diagonal(l->sides[s].context, &l->here[s], l1, inverse[s]),
                         SPG_OK);
    }
}

static void check_prolongator(level *l, bool smooth, void *const T[SIDES], void *const inverse[SIDES])
{
    const double rho = 1.9;
    spg_csr P[SIDES] = {{0}}, found[SIDES];
    int64_t longest_row[SIDES], least[SIDES];
    for (int s = 0; s < SIDES; ++s) {
        const side *at = &l->sides[s];
        double *here = put(at, &rho, sizeof rho);
        assert_int_equal(at->stages->prolongator_pattern(at->context, &l->here[s], &l->aggregates[s], smooth, &P[s],
                                                         &longest_row[s]),
                         SPG_OK);
        assert_int_equal(at->stages->least_coarse_entries(at->context, &l->here[s], &P[s], &least[s]), SPG_OK);
        assert_int_equal(at->stages->prolongator_values(at->context, &l->here[s], &l->aggregates[s], T[s], inverse[s],
                                                        smooth ? 4.0 / 3 : 0, here, &P[s]),
                         SPG_OK);
        get_matrix(at, &P[s], &found[s]);
        drop(at, here, sizeof rho);
        spg_csr_free(at->context, &P[s]);
    }
    assert_int_equal(longest_row[HOST], longest_row[DEVICE]);
    assert_int_equal(least[HOST], least[DEVICE]);
    const spg_csr *a = &found[HOST], *b = &found[DEVICE];
    if (a->rows != b->rows || a->cols != b->cols || a->nnz != b->nnz || a->offset_type != b->offset_type)
        fail_msg("%s: P has %lld entries on the host, %lld on the device", l->where, (long long)a->nnz,
                 (long long)b->nnz);
    if (memcmp(a->row_offsets, b->row_offsets, (size_t)(a->rows + 1) * spg_type_size(a->offset_type)) != 0)
        fail_msg("%s: P's offsets differ", l->where);
    if (a->nnz > 0 && memcmp(a->columns, b->columns, (size_t)a->nnz * 4) != 0)
        fail_msg("%s: P's columns differ", l->where);
    assert_values_agree(l->type, a->nnz, a->values, b->values, 1e4 * rounding(l->type), l->where);
    for (int s = 0; s < SIDES; ++s) spg_csr_free(test_host(), &found[s]);
}

static void prolongators_have_the_same_pattern_and_values(void **state)
{
    (void)state;
    for (int m = 0; m < SAMPLES; ++m)
        for (int way = 0; way < 8; ++way) {
            level l;
            open_level(&l, &samples[m], real_types[way % 2]);
            const int block_size = samples[m].block_size, candidates = way < 4 ? block_size : block_size + 2;
            if (l.A.rows % block_size == 0 && candidates <= 32) {
                void *T[SIDES], *inverse[SIDES];
                find_graphs(&l, block_size, SPG_STRENGTH_SYMMETRIC, 0);
                find_aggregates(&l, block_size, 3, way % 4 < 2, false);
                free_graphs(&l);
                check_tentative(&l, candidates, way < 4, T);
                find_inverse(&l, false, inverse);
                check_prolongator(&l, true, T, inverse);
                check_prolongator(&l, false, T, inverse);
                drop_both(&l, inverse, real_bytes(&l, l.A.rows));
                drop_both(&l, T, real_bytes(&l, l.A.rows * candidates));
                free_aggregates(&l);
            }
            close_level(&l);
        }
}

/* By 15 steps of Lanczos; by none, which is the bound; and by none because the flag says that A is not symmetric. */
enum { LANCZOS, BOUND, UNSYMMETRIC, WAYS };

static double spectral_radius(const side *at, const spg_csr *A, const void *inverse, int way)
{
    const int32_t no = 0;
    double rho = 0;
    const int64_t bytes = at->stages->spectral_bytes(A, 15);
    void *workspace = put(at, NULL, bytes), *there = put(at, NULL, sizeof rho);
    int32_t *flag = put(at, &no, sizeof no);
    const spg_amg_radius by = {
        .steps = way == BOUND ? 0 : 15, .seed = 4, .symmetric = way == UNSYMMETRIC ? flag : NULL};
    assert_int_equal(at->stages->spectral_radius(at->context, A, inverse, &by, workspace, NULL, there), SPG_OK);
    get(at, there, sizeof rho, &rho);
    drop(at, flag, sizeof no);
    drop(at, there, sizeof rho);
    drop(at, workspace, bytes);
    return rho;
}

static void diagonals_and_spectral_radii_agree(void **state)
{
    (void)state;
    for (int m = 0; m < SAMPLES; ++m)
        for (int t = 0; t < 2; ++t) {
            level l;
            double rho[WAYS][SIDES];
            void *inverse[SIDES];
            open_level(&l, &samples[m], real_types[t]);
            find_inverse(&l, true, inverse);
            assert_near(&l, inverse, l.A.rows, rounding(l.type), "inverse sums of magnitudes");
            drop_both(&l, inverse, real_bytes(&l, l.A.rows));
            find_inverse(&l, false, inverse);
            assert_near(&l, inverse, l.A.rows, rounding(l.type), "inverse diagonals");
            for (int way = 0; way < WAYS; ++way) {
                for (int s = 0; s < SIDES; ++s) rho[way][s] = spectral_radius(&l.sides[s], &l.here[s], inverse[s], way);
                const double share = way == LANCZOS ? (l.type == SPG_F32 ? 2e-3 : 1e-8) : rounding(l.type);
                if (!(fabs(rho[way][HOST] - rho[way][DEVICE]) <= share * rho[way][HOST]))
                    fail_msg("%s: rho is %.17g on the host, %.17g on the device", l.where, rho[way][HOST],
                             rho[way][DEVICE]);
            }
            assert_true(rho[UNSYMMETRIC][HOST] == rho[BOUND][HOST] && rho[UNSYMMETRIC][DEVICE] == rho[BOUND][DEVICE]);
            drop_both(&l, inverse, real_bytes(&l, l.A.rows));
            close_level(&l);
        }
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagonals_and_spectral_radii_agree),
        cmocka_unit_test(prolongators_have_the_same_pattern_and_values),
    };
    return TEST_RUN_HERE(2, arguments, "multigrid's prolongators on a device", tests);
}
