//===- CompileInChild.h - compile in a process of its own -------------------------------------===//
//
// The compiler takes more memory than most models' activations, and leaves some of it behind: its
// code, caches, pieces that the allocator keeps. A program that goes on to run the model compiles
// in a child, which takes all of that with it, and survives what the compiler might do.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "tools/relax/CompilerLibrary.h"

#include <cstdint>
#include <vector>

namespace relax::tool {

/// CompilerLibrary::compile. Its messages and its progress go where they would go otherwise; Ctrl-C
/// cancels it. To be called before there are threads.
Expected<std::vector<uint8_t>> compileInChild(const CompileRequest &request);

} // namespace relax::tool
