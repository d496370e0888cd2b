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

/* Takes the handles' values; frees the handles. */
static relax_value *tuple2(relax_value *a, relax_value *b) {
  const relax_value *fields[2];
  relax_value *tuple = NULL;
  fields[0] = a;
  fields[1] = b;
  EXPECT(relax_value_tuple(fields, 2, &tuple) == RELAX_OK);
  relax_value_free(a);
  relax_value_free(b);
  return tuple;
}

static int deleted = 0;
static void countDeletion(void *object) {
  (void)object;
  ++deleted;
}
static void countTensorDeletion(DLManagedTensor *tensor) {
  (void)tensor;
  ++deleted;
}

static void testMakingValues(void) {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  int64_t dims[2] = {2, 3}, negative[1] = {-1};
  const int64_t *found = NULL;
  size_t rank = 9;
  DLTensor tensor = floats(elements, 2, dims), seen;
  DLManagedTensor managed, *exported = NULL;
  relax_value *value = NULL, *other = NULL, *tuple = NULL;
  void *object = NULL;

  EXPECT(relax_value_tensor(&tensor, &value) == RELAX_OK);
  EXPECT(relax_value_get_kind(value) == RELAX_VALUE_TENSOR);
  EXPECT(relax_value_get_tensor(value, &seen) == RELAX_OK);
  EXPECT(seen.ndim == 2 && seen.shape[1] == 3 && seen.dtype.bits == 32 && seen.strides == NULL);
  EXPECT(seen.data != elements && ((float *)seen.data)[5] == 6);
  EXPECT(relax_value_to_dlpack(value, &exported) == RELAX_OK);
  relax_value_free(value);
  EXPECT(((float *)exported->dl_tensor.data)[4] == 5 && exported->dl_tensor.shape[0] == 2);
  exported->deleter(exported);
  tensor.data = NULL;
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_value_tensor(&tensor, &value),
               "found a null pointer, expected 24 bytes");
  EXPECT(value == NULL);
  tensor.data = elements;

  memset(&managed, 0, sizeof managed);
  managed.dl_tensor = tensor;
  managed.deleter = countTensorDeletion;
  EXPECT(relax_value_from_dlpack(&managed, &value) == RELAX_OK);
  EXPECT(relax_value_get_tensor(value, &seen) == RELAX_OK && seen.data == elements);
  EXPECT(relax_value_share(value, &other) == RELAX_OK);
  relax_value_free(value);
  EXPECT(deleted == 0);
  relax_value_free(other);
  EXPECT(deleted == 1);

  EXPECT(relax_value_shape(dims, 2, &value) == RELAX_OK);
  EXPECT(relax_value_get_shape(value, &found, &rank) == RELAX_OK);
  EXPECT(rank == 2 && found[0] == 2 && found[1] == 3);
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_value_get_tensor(value, &seen),
               "found shape [2, 3], expected a tensor");
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_value_shape(negative, 1, &other),
               "a dimension is negative");
  EXPECT(relax_value_shape(NULL, 0, &other) == RELAX_OK);
  tuple = tuple2(value, other);
  EXPECT(relax_value_get_kind(tuple) == RELAX_VALUE_TUPLE && relax_value_field_count(tuple) == 2);
  EXPECT(relax_value_get_field(tuple, 1, &value) == RELAX_OK);
  EXPECT(relax_value_get_shape(value, &found, &rank) == RELAX_OK && rank == 0);
  EXPECT(relax_value_field_count(value) == 0);
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_value_get_field(tuple, 2, &other),
               "found index 2, expected less than the 2 fields");
  relax_value_free(tuple);
  relax_value_free(value);

  EXPECT(relax_value_object(&deleted, countDeletion, &value) == RELAX_OK);
  EXPECT(relax_value_get_object(value, &object) == RELAX_OK && object == &deleted);
  relax_value_free(value);
  EXPECT(deleted == 2);
  EXPECT(relax_value_get_kind(NULL) == RELAX_VALUE_NOTHING);
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_value_get_shape(NULL, &found, &rank),
               "value is a null pointer");
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_value_tensor(&tensor, NULL),
               "value is a null pointer");
  relax_value_free(NULL);
}

static void testInvoke(relax_module *module) {
  relax_function *grow = NULL, *scale = NULL;
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t dims[2] = {3, 4}, trips = 4;
  DLTensor xs = floats(x, 1, dims), counts = floats(&trips, 0, NULL), seen;
  const relax_value *arguments[2];
  relax_value *values[2] = {NULL, NULL}, *result = NULL;
  const DLTensor *inputs[2];
  DLTensor *outputs[1];
  counts.dtype.code = kDLInt;
  counts.dtype.bits = 64;
  EXPECT(relax_module_function(module, "grow", &grow) == RELAX_OK);
  EXPECT(relax_value_tensor(&xs, &values[0]) == RELAX_OK);
  EXPECT(relax_value_tensor(&counts, &values[1]) == RELAX_OK);
  arguments[0] = values[0];
  arguments[1] = values[1];
  EXPECT(relax_function_invoke(grow, arguments, 2, &result, 1) == RELAX_OK);
  EXPECT(relax_value_get_tensor(result, &seen) == RELAX_OK);
  EXPECT(seen.ndim == 1 && seen.shape[0] == 7 && ((float *)seen.data)[6] == 7);
  relax_value_free(result);
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_invoke(grow, arguments, 1, &result, 1),
               "grow: found 1 arguments, expected 2");
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_invoke(grow, arguments, 2, &result, 0),
               "grow: found room for 0 results, expected 1");
  arguments[1] = arguments[0];
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_invoke(grow, arguments, 2, &result, 1),
               "grow: argument 1 \"trips\": found elements of f32, expected i64");
  arguments[1] = NULL;
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_invoke(grow, arguments, 2, &result, 1),
               "argument 1 is a null pointer");
  relax_value_free(values[0]);
  relax_value_free(values[1]);

  /* The other ways of a call: sizes that aren't known before, and a planned function by values. */
  inputs[0] = &xs;
  inputs[1] = &counts;
  outputs[0] = &seen;
  EXPECT_ERROR(RELAX_UNSUPPORTED, relax_function_output_shapes(grow, inputs, 2, outputs, 1),
               "grow: the sizes of its results are known only after a call: use invoke");
  dims[0] = 1;
  xs.ndim = 2;
  EXPECT(relax_module_function(module, "scale", &scale) == RELAX_OK);
  EXPECT(relax_value_tensor(&xs, &values[0]) == RELAX_OK);
  EXPECT(relax_value_function(scale, &values[1]) == RELAX_OK);
  arguments[0] = values[0];
  EXPECT(relax_function_invoke(scale, arguments, 1, &result, 1) == RELAX_OK);
  EXPECT(relax_value_get_tensor(result, &seen) == RELAX_OK && ((float *)seen.data)[3] == 16);
  relax_value_free(result);
  EXPECT(relax_value_get_kind(values[1]) == RELAX_VALUE_FUNCTION);
  EXPECT(relax_value_invoke(values[1], arguments, 1, &result, 1) == RELAX_OK);
  EXPECT(relax_value_get_tensor(result, &seen) == RELAX_OK && ((float *)seen.data)[3] == 16);
  relax_value_free(result);
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_value_invoke(values[0], arguments, 1, &result, 1),
               "found f32[1, 4], expected a function");
  relax_value_free(values[0]);
  relax_value_free(values[1]);
}

/* (x, f): f(x) if x is a tensor, the pair (x, x) if it is a shape; everything else is an error. */
static relax_status host(void *user, const relax_value *const *arguments, size_t num_arguments,
                         relax_value **results, size_t num_results) {
  const relax_value *fields[2];
  ++*(int *)user;
  EXPECT(num_arguments == 2 && num_results == 1);
  switch (relax_value_get_kind(arguments[0])) {
  case RELAX_VALUE_TENSOR:
    return relax_value_invoke(arguments[1], arguments, 1, results, 1);
  case RELAX_VALUE_SHAPE:
    fields[0] = fields[1] = arguments[0];
    return relax_value_tuple(fields, 2, results);
  case RELAX_VALUE_TUPLE:
    /* A result is freed if the callback fails after all. */
    (void)relax_value_share(arguments[0], results);
    relax_set_last_error("no tuples here");
    return RELAX_UNSUPPORTED;
  case RELAX_VALUE_OBJECT:
    return RELAX_CANCELLED;
  default:
    return RELAX_OK;
  }
}
static int hostCalls = 0;

static void testHostFunctions(relax_module *module) {
  relax_function *ask = NULL;
  float x[4] = {1, 2, 3, 4};
  int64_t dims[2] = {1, 4};
  DLTensor xs = floats(x, 2, dims), seen;
  relax_value *value = NULL, *result = NULL, *function = NULL;
  const relax_value *arguments[1];
  EXPECT(relax_module_function(module, "ask", &ask) == RELAX_OK);
  EXPECT(relax_value_tensor(&xs, &value) == RELAX_OK);
  arguments[0] = value;
  EXPECT(relax_function_invoke(ask, arguments, 1, &result, 1) == RELAX_OK);
  EXPECT(relax_value_get_tensor(result, &seen) == RELAX_OK && ((float *)seen.data)[3] == 16);
  relax_value_free(result);
  relax_value_free(value);

  EXPECT(relax_value_shape(dims, 2, &value) == RELAX_OK);
  arguments[0] = value;
  EXPECT(relax_function_invoke(ask, arguments, 1, &result, 1) == RELAX_OK);
  EXPECT(relax_value_field_count(result) == 2);
  relax_value_free(value);

  arguments[0] = result;
  EXPECT_ERROR(RELAX_UNSUPPORTED, relax_function_invoke(ask, arguments, 1, &value, 1),
               "ask: packed function \"host\": no tuples here");
  relax_value_free(result);
  EXPECT(relax_value_object(NULL, NULL, &value) == RELAX_OK);
  arguments[0] = value;
  EXPECT_ERROR(RELAX_CANCELLED, relax_function_invoke(ask, arguments, 1, &result, 1),
               "ask: packed function \"host\": failed with status 7");
  relax_value_free(value);
  EXPECT(relax_value_function(ask, &function) == RELAX_OK);
  arguments[0] = function;
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_function_invoke(ask, arguments, 1, &result, 1),
               "ask: packed function \"host\": result 0: found nothing, expected a value");
  relax_value_free(function);
  EXPECT(hostCalls == 5);
}

/* What belongs to a module outlives it. */
static relax_value *functionOf(relax_module *module, const char *name) {
  relax_function *function = NULL;
  relax_value *value = NULL;
  EXPECT(relax_module_function(module, name, &function) == RELAX_OK);
  EXPECT(relax_value_function(function, &value) == RELAX_OK);
  return value;
}

static void testLoading(const char *path) {
  relax_module *module = (relax_module *)&failures;
  relax_function *function;
  relax_load_options options;
  uint64_t current = 1, peak = 0;
  relax_value *down, *shape = NULL, *result = NULL;
  int64_t dims[1] = {20};
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
  EXPECT(relax_module_load(path, &options, &module) == RELAX_UNSUPPORTED);
  EXPECT(strstr(relax_last_error(), "calls the packed function \"host\"") != NULL);
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_register_function("host", NULL, NULL, 0),
               "callback is a null pointer");
  EXPECT_ERROR(RELAX_INVALID_ARGUMENT, relax_register_function("host", host, NULL, 6),
               "found unknown flags: 6");
  EXPECT(relax_register_function("host", host, &hostCalls, RELAX_PURE) == RELAX_OK);
  EXPECT(relax_module_load(path, &options, &module) == RELAX_OK);
  EXPECT(module != NULL);
  EXPECT(relax_module_function_count(module) == 5);
  EXPECT(strcmp(relax_module_function_name(module, 1), "update") == 0);
  EXPECT(relax_module_function_name(module, 5) == NULL);
  EXPECT_ERROR(RELAX_NOT_FOUND, relax_module_function(module, "other", &function),
               "no function \"other\"; the module has \"scale\", \"update\", \"grow\", \"down\", "
               "\"ask\"");
  testScale(module);
  testUpdate(module);
  EXPECT(relax_module_memory(module, &current, &peak) == RELAX_OK);
  EXPECT(current == 4096 && peak == 4096);
  testMakingValues();
  testInvoke(module);
  testHostFunctions(module);
  testInvoke(module);
  EXPECT(relax_module_memory(module, &current, &peak) == RELAX_OK);
  EXPECT(current > 4096 && peak >= current);
  relax_module_trim_memory(module);
  EXPECT(relax_module_memory(module, &current, &peak) == RELAX_OK);
  EXPECT(current == 4096);
  relax_module_trim_memory(NULL);
  down = functionOf(module, "down");
  relax_module_free(module);
  EXPECT(relax_value_shape(dims, 1, &shape) == RELAX_OK);
  EXPECT(relax_value_invoke(down, (const relax_value *const *)&shape, 1, &result, 1) == RELAX_OK);
  relax_value_free(down);
  relax_value_free(shape);
  relax_value_free(result);
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
