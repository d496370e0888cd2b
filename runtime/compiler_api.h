/*===- compiler_api.h - the C entry points of librelax_compiler.so ----------------------------===
 *
 * The `relax` command and other programs run models without LLVM or MLIR in their address space.
 * Only to compile, or to read text IR, do they dlopen `librelax_compiler.so` and look these symbols
 * up. This header is the whole agreement between the two sides; it includes nothing, so that a
 * caller needs no part of the compiler to build.
 *
 * Thread rules: calls may come from any thread, one at a time. Callbacks run on the calling thread.
 * Strings are UTF-8 and end with a zero byte. No C++ exception leaves these functions.
 *
 *===--------------------------------------------------------------------------------------===*/
#ifndef RELAX_COMPILER_API_H
#define RELAX_COMPILER_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Changes whenever a signature, a structure or the meaning of an option below does. */
#define RELAX_COMPILER_API_VERSION 3

/** How the compiler talks while it works. Every member may be null, and so may the structure. */
typedef struct relax_compile_callbacks {
  void *user; /**< Handed back to each callback. */
  /** A stage begins: its name ("import", "schedule", …), and the share of the work done so far, in
   * [0, 1]. Called once more at the end with 1. */
  void (*progress)(void *user, const char *stage, double fraction);
  /** One line, without its newline, for the person who compiles: warnings; the table of `timing`.
   */
  void (*message)(void *user, const char *line);
  /** Asked between stages; not 0 ends the compilation with the status "cancelled". */
  int (*cancelled)(void *user);
  /** The finished artifact, the bytes of a .rlx file, once and only on success. The memory is valid
   * during the call. Not 0 makes relax_compile fail (the receiver has its own reason and keeps it).
   */
  int (*artifact)(void *user, const void *bytes, size_t size);
} relax_compile_callbacks;

/** RELAX_COMPILER_API_VERSION as the library was built; a caller refuses another than its own. */
int relax_compiler_api_version(void);

/** The compiler's name, version and that of its LLVM, for `relax --version`. Never freed. */
const char *relax_compiler_version(void);

/** Compiles a model. Writes no file but those of `dump_ir`: the artifact goes to the callback.
 *
 * `options_json` is one object; a key that is not listed is an error:
 *   "input"        string, needed: a .gguf file, or a .mlir file of text IR
 *   "target"       "native" (the default), "x86-64-v2", "x86-64-v3", "x86-64-v4"
 *   "activations"  "int8" (the default), "int16", "float32"
 *   "cache_type"   "f32" (the default), "f16": elements of the key and value cache
 *   "context"      integer: tokens of a sequence at most; 0 (the default): the model's own limit
 *   "disable"      list of strings: optimisations to leave out, as relax_passes names them
 *   "timing"       bool: report the time of each pass through `message`
 *   "dump_ir"      string: a folder for the module after each pass; "" (the default): none
 *
 * Returns 0, or the value of a relax::StatusCode (runtime/support/Status.h); then `*error` is a
 * message for the user, to be freed by relax_compiler_free. `error` may be null. */
int relax_compile(const char *options_json, const relax_compile_callbacks *callbacks, char **error);

/** The passes that a compilation runs, in order, as JSON: [{"name", "description",
 * "required_because": why it can't be disabled, or ""}, …]. Returns as relax_compile does. */
int relax_passes(char **out_json, char **error);

/** Describes a file of text IR (.mlir) as JSON. `options_json` is an object: "guards": true adds
 * what each function assumes, as "guards": [{"name", "guards": [{"what", "source", "status":
 * "checked" or "proved", "by"}, …]}, …].
 *
 * `*out_json`, to be freed by relax_compiler_free, is
 *   {"format": "mlir",
 *    "target": string or null,
 *    "metadata": {key: value, …},
 *    "functions": [{"name", "symbols": [{"name", "lower", "upper" (or null), "divisor"}, …],
 *                   "parameters": [{"name", "type", "donated"}, …], "results": [type, …],
 *                   "operations": number of operations, "calls": calls of kernels}, …],
 *    "kernels": [{"name", "calls": number of calls of it}, …],
 *    "constants": [{"name", "type", "bytes"}, …]}
 * Returns as relax_compile does. */
int relax_inspect(const char *path, const char *options_json, char **out_json, char **error);

/** What a relax_interpreter_value is. */
enum {
  RELAX_INTERPRETER_TENSOR = 0,
  RELAX_INTERPRETER_SHAPE = 1,
  RELAX_INTERPRETER_TUPLE = 2,
  RELAX_INTERPRETER_FUNCTION = 3, /**< A function of the program. */
  RELAX_INTERPRETER_OTHER = 4
};

/** A value that goes to or comes from relax_interpret. */
typedef struct relax_interpreter_value {
  int kind;
  int dtype;           /**< Of a tensor: a relax::artifact::DType. */
  size_t count;        /**< A tensor's rank, a shape's length, the fields of a tuple. */
  const int64_t *dims; /**< Of a tensor or shape. */
  const void *data;    /**< A tensor's elements, row-major. */
  const struct relax_interpreter_value *fields;
  const char *name; /**< Of a function. */
} relax_interpreter_value;

/** Gets result `index`; the memory is valid during the call. */
typedef void (*relax_interpreter_result)(void *user, size_t index,
                                         const relax_interpreter_value *value);

/** Runs a function of a file of text IR (.mlir) in a plain interpreter: floating-point numbers are
 * float64 throughout, integers exact at their width. Results go to `result`, in order,
 * floating-point ones as f64. Returns as relax_compile does. */
int relax_interpret(const char *path, const char *function, const relax_interpreter_value *inputs,
                    size_t num_inputs, relax_interpreter_result result, void *user, char **error);

/** Frees a string that these functions returned; null is fine. */
void relax_compiler_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
