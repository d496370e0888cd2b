//===- ViewModel.h - a compilation as a page to look at
//----------------------------------------===//
//
// One HTML file that needs nothing else: the module after each pass, with what changed marked; the
// graph; the kernels as program and as loops; the memory plan over time, with the symbols' values
// on sliders; the guards. The page's own files are in driver/view/ and are embedded when Relax is
// built. What this makes is the data:
//
//   lines     every line of text that occurs, once
//   texts     the text of a function, as numbers of lines; equal ones once
//   passes    after each pass, the functions by name and number of text
//
// so that a module of thirty equal layers, printed twenty times, takes little more than one.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/CompileModel.h"
#include "runtime/support/Status.h"

#include <string>

namespace relax::driver {

/// Compiles `options.input` up to scheduled kernels, and makes the page. Where a pass fails, the
/// page has what was there before it, and the error.
Expected<std::string> viewModel(const CompileOptions &options, const CompileObserver &observer);

} // namespace relax::driver
