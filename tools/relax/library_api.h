/*===- library_api.h - functions that programs call by name, for `relax run --library` ---------===
 *
 * relax.call_library "name"(%x) calls a function of the host with the memory of its operands and
 * results. A shared library that exports relax_library_entries gives `relax run` such functions:
 *
 *   static int scale(void *const *buffers, const uint64_t *sizes, size_t num_buffers,
 *                    const int64_t *dims, size_t num_dims) { …; return 0; }
 *   static const relax_library_entry entries[] = {{"scale", scale}, {0, 0}};
 *   const relax_library_entry *relax_library_entries(void) { return entries; }
 *
 * Programs that embed the runtime register functions in a relax::runtime::Registry instead.
 *
 *===--------------------------------------------------------------------------------------===*/
#ifndef RELAX_LIBRARY_API_H
#define RELAX_LIBRARY_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** `buffers`: the operands', then the results' elements, row-major; `sizes`: their sizes in bytes;
 * `dims`: the dimensions of all of them, one after the other. Not 0 is an error. */
typedef int (*relax_library_function)(void *const *buffers, const uint64_t *sizes,
                                      size_t num_buffers, const int64_t *dims, size_t num_dims);

typedef struct relax_library_entry {
  const char *name; /**< Null behind the last entry. */
  relax_library_function function;
} relax_library_entry;

/** What the shared library exports. The entries live as long as it. */
const relax_library_entry *relax_library_entries(void);

#ifdef __cplusplus
}
#endif

#endif
