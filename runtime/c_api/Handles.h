//===- Handles.h - what the files of the C interface share ------------------------------------===//
//
// Our own code throws nothing, but the standard library may (no memory), and host functions of C++
// programs may: `guarded` turns whatever comes into a status, so that no exception leaves through
// C.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/Module.h"
#include "runtime/c_api/relax.h"
#include "runtime/support/Text.h"

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct relax_function {
  relax::runtime::Function function;
};

struct relax_module {
  relax::runtime::Module module;
  std::vector<std::unique_ptr<relax_function>> functions;
};

struct relax_value {
  relax::runtime::Value value;
};

namespace relax::c_api {

/// The message of this thread's last failed call.
std::string &lastError();

/// The functions that C programs have registered, as they are now.
runtime::Registry registeredFunctions();

inline relax_status report(const Status &status) {
  if (!status.ok())
    lastError() = status.message();
  return static_cast<relax_status>(status.code());
}

template <typename F> relax_status guarded(F &&function) {
  try {
    return report(function());
  } catch (const std::bad_alloc &) {
    // Short enough to need no memory itself.
    lastError() = "out of memory";
    return RELAX_RESOURCE_EXHAUSTED;
  } catch (const std::exception &error) {
    return report(Status(StatusCode::Internal, error.what()));
  } catch (...) {
    return report(Status(StatusCode::Internal, "unknown exception"));
  }
}

inline Status missing(const char *what) {
  return Status(StatusCode::InvalidArgument, text(what, " is a null pointer"));
}

} // namespace relax::c_api
