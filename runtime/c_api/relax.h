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
 * Functions that take or give more than tensors, or whose results' sizes depend on data, are called
 * with values: relax_function_invoke, at the end of this file.
 *
 * Every function that can fail returns a relax_status; relax_last_error() then says, for people,
 * where, what was found and what was expected. Nothing throws, nothing aborts on wrong arguments.
 *
 * An artifact is native code: load only those that you would run as a program.
 *
 * Threads: everything may be called from any thread. Calls of one module's functions take turns; a
 * host function that a call runs may call again, from the same thread. A module must not be freed
 * while a call of it runs. A handle must not be freed while another thread uses it; handles that
 * share a value may be used and freed on different threads.
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
  uint64_t memory_limit;    /* Bytes that states and tensors may take; 0: no limit. */
  const char *target;       /* Which of its code to run, such as "x86-64-v2"; NULL: the best. */
} relax_load_options;

/* The version of this interface. It grows compatibly: a program may run with a larger minor one. */
#define RELAX_API_VERSION_MAJOR 1
#define RELAX_API_VERSION_MINOR 2
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

/* Bytes of states, temporary tensors, values' tensors, and memory kept for the next ones: now, and
 * the most so far. */
RELAX_EXPORT relax_status relax_module_memory(const relax_module *module, uint64_t *current,
                                              uint64_t *peak);

/* Gives back the memory that is kept for the next tensors. Calls give back what they don't need
 * lately by themselves; this is for a module that is not called for a while. NULL is fine. */
RELAX_EXPORT void relax_module_trim_memory(relax_module *module);

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
 * each must have room for RELAX_MAX_RANK values. Data is not read, and may be NULL. Functions whose
 * results' sizes are known only after a call are RELAX_UNSUPPORTED: call relax_function_invoke. */
RELAX_EXPORT relax_status relax_function_output_shapes(relax_function *function,
                                                       const DLTensor *const *inputs,
                                                       size_t num_inputs, DLTensor *const *outputs,
                                                       size_t num_outputs);

/* Runs the function. Tensors are row-major, contiguous, on the CPU, and aligned to their elements;
 * nothing is copied or kept. A DLManagedTensor's dl_tensor will do. Outputs are the caller's
 * memory, of the right dtype and shape, and do not overlap inputs; but one that shares a donated
 * input's storage has that input's data, or NULL, which is then set to it. Inputs that are not
 * donated are only read. After RELAX_INVALID_ARGUMENT nothing has run; but a function with checks
 * inside, such as of indices that it computes, may have run up to one that failed. */
RELAX_EXPORT relax_status relax_function_call(relax_function *function,
                                              const DLTensor *const *inputs, size_t num_inputs,
                                              DLTensor *const *outputs, size_t num_outputs);

/* ---- Values
 * --------------------------------------------------------------------------------------
 *
 * A relax_value is a handle of a tensor, a shape, a tuple of values, a function or an object of the
 * host. Every handle that a function here makes is freed with relax_value_free, once, at any time:
 * what it stands for stays as long as anything needs it, a module that it belongs to included.
 *
 * Values don't change, but for the elements of tensors. The result of a call may share memory with
 * its arguments or with constants of the module; only read the elements of a tensor that you did
 * not make. */
typedef struct relax_value relax_value;

/* New kinds may come. */
typedef enum relax_value_kind {
  RELAX_VALUE_NOTHING = 0, /* Of NULL. */
  RELAX_VALUE_TENSOR = 1,
  RELAX_VALUE_SHAPE = 2,
  RELAX_VALUE_TUPLE = 3,
  RELAX_VALUE_FUNCTION = 4,
  RELAX_VALUE_OBJECT = 5
} relax_value_kind;

/* Making values. On failure *value is NULL. */

/* A tensor with a copy of the elements. */
RELAX_EXPORT relax_status relax_value_tensor(const DLTensor *tensor, relax_value **value);
/* A tensor at the elements that `tensor` has, row-major and contiguous on the CPU. Its deleter is
 * called when nothing needs them any more, on whichever thread that is. On failure it is not
 * called: the tensor is the caller's still. */
RELAX_EXPORT relax_status relax_value_from_dlpack(DLManagedTensor *tensor, relax_value **value);
/* A shape, of any rank; no dimension is negative. */
RELAX_EXPORT relax_status relax_value_shape(const int64_t *dims, size_t rank, relax_value **value);
/* A tuple. It shares the fields; their handles are the caller's still. */
RELAX_EXPORT relax_status relax_value_tuple(const relax_value *const *fields, size_t count,
                                            relax_value **value);
/* A function of a module, to pass it to functions of the same module. */
RELAX_EXPORT relax_status relax_value_function(const relax_function *function, relax_value **value);
/* An object, which functions only pass on. `deleter` may be NULL; otherwise it is called once, when
 * nothing needs the object any more. */
RELAX_EXPORT relax_status relax_value_object(void *object, void (*deleter)(void *),
                                             relax_value **value);
/* Another handle of the same value. */
RELAX_EXPORT relax_status relax_value_share(const relax_value *value, relax_value **shared);
/* NULL is fine. */
RELAX_EXPORT void relax_value_free(relax_value *value);

/* Looking at values. A value of another kind is RELAX_INVALID_ARGUMENT. */

RELAX_EXPORT relax_value_kind relax_value_get_kind(const relax_value *value);
/* Describes a tensor where it is. Data and shape are valid until the handle is freed. */
RELAX_EXPORT relax_status relax_value_get_tensor(const relax_value *value, DLTensor *tensor);
/* The same with a reference of its own, without a copy: call its deleter when done. */
RELAX_EXPORT relax_status relax_value_to_dlpack(const relax_value *value, DLManagedTensor **tensor);
/* The dims are valid until the handle is freed. */
RELAX_EXPORT relax_status relax_value_get_shape(const relax_value *value, const int64_t **dims,
                                                size_t *rank);
/* 0 if it is no tuple. */
RELAX_EXPORT size_t relax_value_field_count(const relax_value *value);
/* A new handle of a field. */
RELAX_EXPORT relax_status relax_value_get_field(const relax_value *value, size_t index,
                                                relax_value **field);
RELAX_EXPORT relax_status relax_value_get_object(const relax_value *value, void **object);

/* Calling. Any function may be called so, also one that takes and gives tensors only. There are as
 * many results as relax_function_output_count says; each is a new handle. After an error there are
 * none, and the module is as it was, but for the elements of donated arguments. */
RELAX_EXPORT relax_status relax_function_invoke(relax_function *function,
                                                const relax_value *const *arguments,
                                                size_t num_arguments, relax_value **results,
                                                size_t num_results);
/* Calls a function that is a value. */
RELAX_EXPORT relax_status relax_value_invoke(const relax_value *function,
                                             const relax_value *const *arguments,
                                             size_t num_arguments, relax_value **results,
                                             size_t num_results);

/* ---- Functions of the host
 * -----------------------------------------------------------------------
 *
 * What a module calls by name (relax.call_packed). The callback sets each result to a handle of a
 * value, which is taken over; the arguments' handles are valid during the call only, but may be
 * shared. It runs on the thread of the call, which waits. On failure it returns another status than
 * RELAX_OK, after relax_set_last_error if it has something to say; results that it has set are
 * freed. It must not throw or jump out. */
typedef relax_status (*relax_host_function)(void *user, const relax_value *const *arguments,
                                            size_t num_arguments, relax_value **results,
                                            size_t num_results);

/* For `flags`: equal arguments give equal results, and there is no effect. Modules that rely on it
 * are refused at load without it. */
#define RELAX_PURE 1u

/* Registers a callback for modules that are loaded from now on; one of the same name is replaced
 * for them. `user` is passed to it and must stay valid as long as such modules, and their values,
 * do. */
RELAX_EXPORT relax_status relax_register_function(const char *name, relax_host_function callback,
                                                  void *user, uint32_t flags);

/* Sets what relax_last_error() says on this thread: for callbacks that fail. */
RELAX_EXPORT void relax_set_last_error(const char *message);

#ifdef __cplusplus
}
#endif

#endif
