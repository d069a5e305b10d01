/* Clusters of blocks are launched where one fits: a part of a GPU may have too few multiprocessors side by side. The
 * calls that tell and that launch are led here (--wrap in CMakeLists.txt). */
#include "matrices_for_tests.h"
#include "place.h"

#include <cuda_runtime_api.h>
#include <string.h>

static struct {
    bool none_fits; /* what the runtime is made to say */
    int most;       /* what it said */
    int launched;
} clusters;

cudaError_t __real_cudaOccupancyMaxActiveClusters(int *most, const void *kernel, const cudaLaunchConfig_t *config);
cudaError_t __wrap_cudaOccupancyMaxActiveClusters(int *most, const void *kernel, const cudaLaunchConfig_t *config);
cudaError_t __wrap_cudaOccupancyMaxActiveClusters(int *most, const void *kernel, const cudaLaunchConfig_t *config)
{
    const cudaError_t error = __real_cudaOccupancyMaxActiveClusters(most, kernel, config);
    if (clusters.none_fits) *most = 0;
    clusters.most = *most;
    return error;
}

cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **parameters);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **parameters);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **parameters)
{
    for (unsigned int k = 0; k < config->numAttrs; ++k)
        if (config->attrs[k].id == cudaLaunchAttributeClusterDimension) ++clusters.launched;
    return __real_cudaLaunchKernelExC(config, kernel, parameters);
}

/* Its transpose is made by a cluster, if one fits, else by other kernels: too many entries for a block. */
static void a_cluster_is_launched_where_one_fits_only(void **state)
{
    (void)state;
    for (int none_fits = 0; none_fits < 2; ++none_fits) {
        spg_csr A, here, transpose, back, expected;
        memset(&clusters, 0, sizeof clusters);
        clusters.none_fits = none_fits;
        spg_context *context = test_context_at_place(2);
        test_random_csr(test_host(), (test_matrix){2000, 3000, 8, SPG_I32, SPG_F64}, 3, 0, &A);
        test_to_place(context, &A, &here);
        assert_int_equal(spg_csr_transpose(context, &here, &transpose), SPG_OK);
        test_to_host(context, &transpose, &back);
        assert_int_equal(spg_csr_transpose(test_host(), &A, &expected), SPG_OK);
        test_assert_same_csr(&back, &expected);
        assert_int_equal(clusters.launched > 0, clusters.most > 0);
        spg_csr_free(context, &here);
        spg_csr_free(context, &transpose);
        spg_csr_free(test_host(), &back);
        spg_csr_free(test_host(), &expected);
        spg_csr_free(test_host(), &A);
        spg_context_destroy(context);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_is_launched_where_one_fits_only),
    };
    return TEST_RUN_HERE(2, arguments, "clusters", tests);
}
