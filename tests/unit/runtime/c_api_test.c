/* A program in C that uses librelax.so as its users do, on the artifact that it is given. */
#include "relax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char *what, int line) {
  if (!holds) {
    fprintf(stderr, "c_api_test.c:%d: %s; last error: %s\n", line, what, relax_last_error());
    ++failures;
  }
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)
#define EXPECT_ERROR(status, call, message)                                                        \
  do {                                                                                             \
    EXPECT((call) == (status));                                                                    \
    EXPECT(strcmp(relax_last_error(), message) == 0);                                              \
  } while (0)

static DLTensor floats(void *data, int32_t rank, int64_t *shape) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = rank;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

static void testScale(relax_module *module) {
  relax_function *scale = NULL;
  float x[3][4], y[3][4];
  int64_t shape[2] = {3, 4}, strides[2] = {4, 1}, columns[2] = {1, 3}, found[RELAX_MAX_RANK];
  DLTensor input = floats(x, 2, shape), output = floats(y, 2, shape);
  const DLTensor *inputs[1];
  DLTensor *outputs[1];
  int i;
  inputs[0] = &input;
  outputs[0] = &output;
  for (i = 0; i != 12; ++i)
    x[i / 4][i % 4] = (float)i;

  EXPECT(relax_module_function(module, "scale", &scale) == RELAX_OK);
  EXPECT(relax_function_input_count(scale) == 1 && relax_function_output_count(scale) == 1);
  EXPECT(strcmp(relax_function_input_name(scale, 0), "x") == 0);
  EXPECT(strcmp(relax_function_output_name(scale, 0), "y") == 0);
  EXPECT(relax_function_input_name(scale, 1) == NULL);
  EXPECT(relax_function_output_alias(scale, 0) == -1);

  EXPECT(relax_function_call(scale, inputs, 1, outputs, 1) == RELAX_OK);
  for (i = 0; i != 12; ++i)
    EXPECT(y[i / 4][i % 4] == 4 * (float)i);

  output.shape = found;
  output.ndim = 0;
  EXPECT(relax_function_output_shapes(scale, inputs, 1, outputs, 1) == RELAX_OK);
  EXPECT(output.ndim == 2 && found[0] == 3 && found[1] == 4 && output.dtype.bits == 32);
  output.shape = shape;

  /* Explicit strides, and an offset. */
  input.strides = strides;
  input.data = (char *)input.data - 16;
  input.byte_offset = 16;
  EXPECT(relax_function_call(scale, inputs, 1, outputs, 1) == RELAX_OK);
  input.data = x;
  input.byte_offset = 0;

  input.strides = columns;
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_call(scale, inputs, 1, outputs, 1),
               "input 0: dimension 1: found stride 3, expected 1: tensors must be row-major and "
               "contiguous");
  input.strides = NULL;
  input.device.device_type = kDLCUDA;
  EXPECT_ERROR(RELAX_UNSUPPORTED, relax_function_call(scale, inputs, 1, outputs, 1),
               "input 0: found a tensor on device type 2, expected the CPU (1)");
  input.device.device_type = kDLCPU;
  input.dtype.lanes = 2;
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_call(scale, inputs, 1, outputs, 1),
               "input 0: found elements of DLPack type code 2 with 32 bits and 2 lanes");
  input.dtype.lanes = 1;
  input.dtype.code = kDLInt;
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_call(scale, inputs, 1, outputs, 1),
               "scale: argument 0 \"x\": found elements of i32, expected f32");
  input.dtype.code = kDLFloat;
  inputs[0] = NULL;
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_call(scale, inputs, 1, outputs, 1),
               "input 0: found a null pointer, expected a tensor");
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_call(scale, NULL, 1, outputs, 1),
               "input is a null pointer");
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_call(NULL, NULL, 0, NULL, 0),
               "function is a null pointer");
}

static void testUpdate(relax_module *module) {
  relax_function *update = NULL;
  float pages[5] = {1, 2, 3, 4, 5};
  int64_t shape[1] = {5};
  DLTensor input = floats(pages, 1, shape), output = floats(NULL, 1, shape);
  const DLTensor *inputs[1];
  DLTensor *outputs[1];
  inputs[0] = &input;
  outputs[0] = &output;
  EXPECT(relax_module_function(module, "update", &update) == RELAX_OK);
  EXPECT(relax_function_output_alias(update, 0) == 0);
  EXPECT(relax_function_call(update, inputs, 1, outputs, 1) == RELAX_OK);
  EXPECT(output.data == pages);
  EXPECT(pages[0] == 4 && pages[4] == 8);
}

static void testLoading(const char *path) {
  relax_module *module = (relax_module *)&failures;
  relax_function *function;
  relax_load_options options;
  uint64_t current = 1, peak = 0;
  EXPECT_ERROR(RELAX_NOT_FOUND, relax_module_load("/none.rlx", NULL, &module),
               "/none.rlx: can't be opened: No such file or directory");
  EXPECT(module == NULL);
  EXPECT(relax_module_load(NULL, NULL, &module) == RELAX_INVALID_ARGUMENT);
  EXPECT(relax_module_load(path, NULL, NULL) == RELAX_INVALID_ARGUMENT);
  EXPECT_ERROR(RELAX_INVALID_FILE, relax_module_load_bytes("abc", 3, NULL, &module),
               "artifact in memory: is not a Relax artifact: it does not begin with \"RLX1\"");
  memset(&options, 0, sizeof options);
  EXPECT(relax_module_load(path, &options, &module) == RELAX_INVALID_ARGUMENT);
  options.struct_size = sizeof options;
  options.threads = 2;
  options.memory_limit = 1000000;
  EXPECT(relax_module_load(path, &options, &module) == RELAX_OK);
  EXPECT(module != NULL);
  EXPECT(relax_module_function_count(module) == 2);
  EXPECT(strcmp(relax_module_function_name(module, 1), "update") == 0);
  EXPECT(relax_module_function_name(module, 2) == NULL);
  EXPECT_ERROR(RELAX_NOT_FOUND, relax_module_function(module, "other", &function),
               "no function \"other\"; the module has \"scale\", \"update\"");
  testScale(module);
  testUpdate(module);
  EXPECT(relax_module_memory(module, &current, &peak) == RELAX_OK);
  EXPECT(current == 4096 && peak == 4096);
  relax_module_free(module);
  relax_module_free(NULL);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: c_api_test FILE.rlx\n");
    return 2;
  }
  EXPECT(relax_api_version() / 1000 == RELAX_API_VERSION_MAJOR);
  EXPECT(strcmp(relax_last_error(), "") == 0);
  testLoading(argv[1]);
  if (failures == 0)
    printf("all right\n");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
