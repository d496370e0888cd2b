/* Functions for the tests of relax.call_library: see tools/relax/library_api.h. */
#include "tools/relax/library_api.h"

/* result[i, j] = x[i, j] + bias[j], of f32. */
static int addBias(void *const *buffers, const uint64_t *sizes, size_t num_buffers,
                   const int64_t *dims, size_t num_dims) {
  const float *x = buffers[0], *bias = buffers[1];
  float *result = buffers[2];
  /* x [n, m], bias [m], result [n, m] */
  if (num_buffers != 3 || num_dims != 5 || dims[1] != dims[2] || dims[0] != dims[3] ||
      sizes[2] != (uint64_t)(dims[3] * dims[4]) * sizeof(float))
    return 1;
  for (int64_t i = 0; i < dims[0]; ++i)
    for (int64_t j = 0; j < dims[1]; ++j)
      result[i * dims[1] + j] = x[i * dims[1] + j] + bias[j];
  return 0;
}

static int fails(void *const *buffers, const uint64_t *sizes, size_t num_buffers,
                 const int64_t *dims, size_t num_dims) {
  (void)buffers, (void)sizes, (void)num_buffers, (void)dims, (void)num_dims;
  return 42;
}

static const relax_library_entry entries[] = {
    {"cblas.add_bias", addBias}, {"test.fails", fails}, {0, 0}};

const relax_library_entry *relax_library_entries(void) { return entries; }
