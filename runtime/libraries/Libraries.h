//===- Libraries.h - external libraries that artifacts may call
//--------------------------------===//
//
// A compiled program may call functions of OpenBLAS and oneDNN (compiler/libraries, docs/
// libraries.md). Nothing here links them: each is opened when a module that calls it is loaded, by
// its soname, and its functions are found by name. An environment variable says another file. What
// calls a library is an *adapter*: it makes a LibraryFunction of an artifact's entry once, at load.
//
// Threads: a library computes on one thread only. The adapter divides the work into parts, which
// depend on the sizes alone, and the module's pool runs them; so there are never more threads than
// the pool has, and results don't depend on how many it has.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"
#include "runtime/vm/Registry.h"

#include <span>
#include <string>
#include <string_view>

namespace relax::runtime {

/// A library that there is an adapter for.
struct ExternalLibrary {
  const char *prefix;   ///< Of the names of its functions: "openblas".
  const char *title;    ///< "OpenBLAS".
  const char *package;  ///< Debian's package that has it.
  const char *variable; ///< The environment variable that names its file.
  /// Opens it, once in the life of the process. The version, or why it isn't there.
  const Expected<std::string> &(*version)();
  /// The function that an artifact's entry describes, or why it can't be had.
  Expected<LibraryFunction> (*function)(const artifact::Library &entry);
};

/// All of them, in the order in which inspect lists them.
std::span<const ExternalLibrary> externalLibraries();

/// The library that has the function "prefix.name"; null if none of ours.
const ExternalLibrary *externalLibraryOf(std::string_view function);

/// Makes the function of an artifact's entry. The error says which package is missing.
Expected<LibraryFunction> externalFunction(const artifact::Library &entry);

/// The number that a threshold stands for on this machine, and why it isn't the tuned one; `why` is
/// empty if there is nothing to say.
struct ThresholdChoice {
  int64_t value = artifact::Threshold::never;
  std::string why;
};
ThresholdChoice chooseThreshold(const artifact::Module &module,
                                const artifact::Threshold &threshold);

} // namespace relax::runtime
