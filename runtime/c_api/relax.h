/*===- relax.h - load and run compiled models, from C -------------------------------------------===
 *
 * The stable interface of librelax.so. Example, without the checks:
 *
 *   relax_module *module;
 *   relax_function *function;
 *   relax_module_load("model.rlx", NULL, &module);
 *   relax_module_function(module, "main", &function);
 *   relax_function_call(function, inputs, 2, outputs, 1);
 *   relax_module_free(module);
 *
 * Every function that can fail returns a relax_status; relax_last_error() then says, for people,
 * where, what was found and what was expected. Nothing throws, nothing aborts on wrong arguments.
 *
 * An artifact is native code: load only those that you would run as a program.
 *
 * Threads: everything may be called from any thread. Calls of one module's functions take turns.
 * A module must not be freed while a call of it runs.
 *
 *===--------------------------------------------------------------------------------------------===*/
#ifndef RELAX_C_API_RELAX_H
#define RELAX_C_API_RELAX_H

#include "dlpack.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RELAX_EXPORT __attribute__((visibility("default")))
#else
#define RELAX_EXPORT
#endif

/* What kind of thing went wrong. New kinds may come; treat unknown ones as failures. */
typedef enum relax_status {
  RELAX_OK = 0,
  RELAX_INVALID_ARGUMENT = 1,   /* A wrong value, shape, dtype or name from the caller. */
  RELAX_NOT_FOUND = 2,          /* No such file or function. */
  RELAX_INVALID_FILE = 3,       /* Damaged, cut off, not an artifact, not the right weights. */
  RELAX_UNSUPPORTED = 4,        /* Another format version, or features that this CPU lacks. */
  RELAX_RESOURCE_EXHAUSTED = 5, /* Memory, or the limit that was set. */
  RELAX_IO = 6,                 /* The system refused to read or map. */
  RELAX_CANCELLED = 7,          /* The caller asked to stop. */
  RELAX_INTERNAL = 8            /* A defect of the compiler or the runtime. */
} relax_status;

/* The most dimensions that a tensor has. */
#define RELAX_MAX_RANK 8

typedef struct relax_module relax_module;
/* Belongs to its module, and lives as long. */
typedef struct relax_function relax_function;

/* Zero it and set `struct_size`; then every field has its default. */
typedef struct relax_load_options {
  size_t struct_size;       /* sizeof(relax_load_options): later versions may append fields. */
  const char *weights_path; /* The weights file, or its folder; NULL: where the artifact says. */
  uint32_t threads;         /* Threads to compute with; 0: one for each core. */
  uint32_t reserved;        /* 0. */
  uint64_t memory_limit;    /* Bytes that states and temporary tensors may take; 0: no limit. */
} relax_load_options;

/* The version of this interface. It grows compatibly: a program may run with a larger minor one. */
#define RELAX_API_VERSION_MAJOR 1
#define RELAX_API_VERSION_MINOR 0
/* major * 1000 + minor of the library. */
RELAX_EXPORT uint32_t relax_api_version(void);

/* The message of this thread's last failed call; "" if none failed. Valid until the next one. */
RELAX_EXPORT const char *relax_last_error(void);

/* Reads, verifies and links the artifact at `path`; options may be NULL. On success *module is to
 * be freed with relax_module_free; on failure it is NULL. */
RELAX_EXPORT relax_status relax_module_load(const char *path, const relax_load_options *options,
                                            relax_module **module);
/* The same of an artifact in memory, which is copied. */
RELAX_EXPORT relax_status relax_module_load_bytes(const void *bytes, size_t size,
                                                  const relax_load_options *options,
                                                  relax_module **module);
/* NULL is fine. */
RELAX_EXPORT void relax_module_free(relax_module *module);

/* Bytes of states and temporary tensors: now, and the most so far. */
RELAX_EXPORT relax_status relax_module_memory(const relax_module *module, uint64_t *current,
                                              uint64_t *peak);

RELAX_EXPORT size_t relax_module_function_count(const relax_module *module);
/* NULL if there is no such index. Lives as long as the module. */
RELAX_EXPORT const char *relax_module_function_name(const relax_module *module, size_t index);
RELAX_EXPORT relax_status relax_module_function(relax_module *module, const char *name,
                                                relax_function **function);

RELAX_EXPORT size_t relax_function_input_count(const relax_function *function);
RELAX_EXPORT size_t relax_function_output_count(const relax_function *function);
/* NULL if there is no such index. */
RELAX_EXPORT const char *relax_function_input_name(const relax_function *function, size_t index);
RELAX_EXPORT const char *relax_function_output_name(const relax_function *function, size_t index);
/* The index of the input whose storage the output shares, or -1. */
RELAX_EXPORT int64_t relax_function_output_alias(const relax_function *function, size_t index);

/* Sets ndim, dtype and shape of each output to what a call with these inputs gives. The shape of
 * each must have room for RELAX_MAX_RANK values. Data is not read, and may be NULL. */
RELAX_EXPORT relax_status relax_function_output_shapes(relax_function *function,
                                                       const DLTensor *const *inputs,
                                                       size_t num_inputs, DLTensor *const *outputs,
                                                       size_t num_outputs);

/* Runs the function. Tensors are row-major, contiguous, on the CPU, and aligned to their elements;
 * nothing is copied or kept. A DLManagedTensor's dl_tensor will do. Outputs are the caller's
 * memory, of the right dtype and shape, and do not overlap inputs; but one that shares a donated
 * input's storage has that input's data, or NULL, which is then set to it. Inputs that are not
 * donated are only read. After RELAX_INVALID_ARGUMENT nothing has run. */
RELAX_EXPORT relax_status relax_function_call(relax_function *function,
                                              const DLTensor *const *inputs, size_t num_inputs,
                                              DLTensor *const *outputs, size_t num_outputs);

#ifdef __cplusplus
}
#endif

#endif
