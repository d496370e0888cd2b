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
 *   "cache_type"   "f32" (the default), "f16", "q8_0": elements of the key and value cache
 *   "context"      integer: tokens of a sequence at most; 0 (the default): the model's own limit
 *   "disable"      list of strings: optimisations to leave out, as relax_passes names them
 *   "libraries"    list of strings: which libraries may be called: "openblas", "onednn", "auto"
 * (those that relax tune-dispatch measured here; the default for programs), "none" (the default for
 * models) "library_required"   bool: what a library does has no alternative in the artifact
 *   "library_patterns"   list of strings: files of patterns, PDL or PDLL (docs/libraries.md)
 *   "fusion_patterns"    list of strings: files of patterns, PDL or PDLL (docs/architecture.md)
 *   "library_thresholds" string: the file of relax tune-dispatch; "": the one in the cache folder
 *   "plugins"      list of strings: shared libraries with passes of others (MLIR's pass plugins)
 *   "insert"       list of strings: which of their passes run, as "NAME" or "STEP:NAME", which is
 *                  after the step of that name
 *   "block_formats"  list of strings: files of weight formats, each named after its format
 *                  (compiler/dialect/BlockFormat.h)
 *   "pass_limit"   string: how many of the passes that can be disabled run, "12"; or "12.3": only
 *                  three steps of the last of them
 *   "pass_log"     string: a file that gets a line for each pass as it begins
 *   "timing"       bool: report the time of each pass through `message`
 *   "dump_ir"      string: a folder for the module after each pass; "" (the default): none
 *
 * Returns 0, or the value of a relax::StatusCode (runtime/support/Status.h); then `*error` is a
 * message for the user, to be freed by relax_compiler_free. `error` may be null. */
int relax_compile(const char *options_json, const relax_compile_callbacks *callbacks, char **error);

/** Runs the passes of a compilation and makes a page to look at them: one HTML file that needs
 * nothing else, given to the callback `artifact`. Options and results as for relax_compile. Where a
 * pass fails, the page shows what was before it, and the error also goes to `message`. */
int relax_view(const char *options_json, const relax_compile_callbacks *callbacks, char **error);

/** Compares what is compiled with the interpreter in float64: every kernel by itself, and each
 * function as a whole, over a sweep of sizes. Options as for relax_compile, and "verify": an object
 * with "kernel" (string: only this one), "function" (string), "seed" (integer), "budget" (number:
 * seconds) and "reproducer" (string: a folder for what shows the first difference).
 *
 * `*out_json`, to be freed by relax_compiler_free, is
 *   {"finished": whether the budget sufficed, "seconds",
 *    "functions": [{"name", "cases", "refused", "whole", "note"}, …],
 *    "kernels": [{"name", "strategy", "compared", "too_large": how often the interpreter would
 *                 have taken too long}, …],
 *    "difference": null, or {"what", "name", "strategy", "function", "symbols": {name: value},
 *                            "element", "got", "expected", "error", "tolerance", "because",
 *                            "files": [path, …], "command"}}
 * Returns as relax_compile does; a difference is a success. */
int relax_verify(const char *options_json, const relax_compile_callbacks *callbacks,
                 char **out_json, char **error);

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
