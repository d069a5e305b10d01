/* A caller's current device, and the error that the runtime keeps for the thread, are the caller's: calls on a context
 * change neither, and start nothing on a device that is not the context's. */
#include "spg/spg.h"
#include "test_support.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <string.h>

typedef struct driver_calls {
    CUresult(CUDAAPI *get_current)(CUcontext *context);
    CUresult(CUDAAPI *set_current)(CUcontext context);
    CUresult(CUDAAPI *get_state)(CUdevice device, unsigned int *flags, int *is_active);
} driver_calls;

static void find(void *driver, const char *name, void *function)
{
    void *symbol = dlsym(driver, name);
    assert_non_null(symbol);
    memcpy(function, &symbol, sizeof symbol);
}

static driver_calls find_driver(void)
{
    driver_calls found;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    assert_non_null(driver);
    find(driver, "cuCtxGetCurrent", &found.get_current);
    find(driver, "cuCtxSetCurrent", &found.set_current);
    find(driver, "cuDevicePrimaryCtxGetState", &found.get_state);
    return found;
}

/* A context on the device, a matrix made, checked and transposed there, and all of it freed. */
static void use(int device)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_DEVICE;
    config.device = device;
    spg_context *context = NULL, *host = NULL;
    int64_t offsets[] = {0, 1, 2};
    int32_t columns[] = {1, 0};
    double values[] = {1, 2};
    const spg_csr made = {2, 2, 2, SPG_I64, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    spg_csr here, transpose, back;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    config.place = SPG_PLACE_HOST;
    assert_int_equal(spg_context_create(&config, &host), SPG_OK);
    assert_int_equal(spg_csr_copy(context, &made, &here), SPG_OK);
    assert_int_equal(spg_csr_check(context, &here), SPG_OK); /* asks the runtime for the launch's error */
    assert_int_equal(spg_csr_transpose(context, &here, &transpose), SPG_OK);
    assert_int_equal(spg_csr_copy(host, &transpose, &back), SPG_OK);
    assert_true(((double *)back.values)[0] == 2);
    spg_csr_free(host, &back);
    spg_csr_free(context, &transpose);
    spg_csr_free(context, &here);
    spg_context_destroy(host);
    spg_context_destroy(context);
}

static void nothing_becomes_current_where_nothing_was(void **state)
{
    (void)state;
    const driver_calls driver = find_driver();
    int devices = 0, device = -1, is_active = 1;
    CUcontext current = NULL;
    unsigned int flags;
    assert_int_equal(cudaGetDeviceCount(&devices), cudaSuccess);
    use(devices - 1);
    assert_int_equal(driver.get_current(&current), CUDA_SUCCESS);
    assert_null(current);
    assert_int_equal(cudaGetDevice(&device), cudaSuccess);
    assert_int_equal(device, 0);
    if (devices == 1) return;
    assert_int_equal(driver.get_state(0, &flags, &is_active), CUDA_SUCCESS);
    assert_int_equal(is_active, 0);
}

static void what_was_current_stays(void **state)
{
    (void)state;
    const driver_calls driver = find_driver();
    int devices = 0, device = -1;
    CUcontext before = NULL, after = NULL;
    assert_int_equal(cudaGetDeviceCount(&devices), cudaSuccess);
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    assert_int_equal(cudaFree(NULL), cudaSuccess);
    assert_int_equal(driver.get_current(&before), CUDA_SUCCESS);
    assert_non_null(before);
    for (int k = 0; k < devices; ++k) use(k);
    assert_int_equal(driver.get_current(&after), CUDA_SUCCESS);
    assert_ptr_equal(before, after);
    assert_int_equal(cudaGetDevice(&device), cudaSuccess);
    assert_int_equal(device, 0);
}

static void an_error_that_the_caller_left_is_not_the_librarys(void **state)
{
    (void)state;
    void *memory = NULL;
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    assert_int_not_equal(cudaMalloc(&memory, (size_t)1 << 60), cudaSuccess); /* and nobody asks for the error */
    use(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_becomes_current_where_nothing_was),
        cmocka_unit_test(what_was_current_stays),
        cmocka_unit_test(an_error_that_the_caller_left_is_not_the_librarys),
    };
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
    return cmocka_run_group_tests_name("the caller's current device", tests, NULL, NULL);
}
