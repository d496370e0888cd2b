//===- Status.h - success, or an error with a message -----------------------------------------===//
//
// Every function of the runtime and of the code above it that a user's input can make fail returns
// a Status or an Expected<T>. The message is for that user: it says where, what was found, what was
// expected, and what to do. A broken invariant of our own is not a Status; it aborts.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace relax {

/// What kind of thing went wrong; the values are those of the C ABI (relax_status_code).
enum class StatusCode : int {
  Ok = 0,
  InvalidArgument = 1,   ///< A wrong value, shape, dtype, flag or text from the caller.
  NotFound = 2,          ///< No such file, function, tensor, symbol.
  InvalidFile = 3,       ///< A file that is damaged, truncated or of an unknown format.
  Unsupported = 4,       ///< Well-formed, but not something that this version or machine can do.
  ResourceExhausted = 5, ///< Memory, disk, pages, a limit that was set.
  Io = 6,                ///< The system refused to read, write or map.
  Cancelled = 7,         ///< The caller asked to stop.
  Internal = 8,          ///< A defect of ours that was noticed at run time.
};

/// Success costs one null pointer; an error owns its code and message.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : error(std::make_unique<Error>(Error{code, std::move(message)})) {
    assert(code != StatusCode::Ok && "an error needs an error code");
  }
  Status(Status &&) = default;
  Status &operator=(Status &&) = default;
  Status(const Status &other)
      : error(other.error ? std::make_unique<Error>(*other.error) : nullptr) {}
  Status &operator=(const Status &other) {
    if (this != &other)
      error = other.error ? std::make_unique<Error>(*other.error) : nullptr;
    return *this;
  }

  [[nodiscard]] bool ok() const { return !error; }
  [[nodiscard]] StatusCode code() const { return error ? error->code : StatusCode::Ok; }
  /// The message; empty for success.
  [[nodiscard]] const std::string &message() const {
    static const std::string empty;
    return error ? error->message : empty;
  }
  /// The same error, its message preceded by `context` and ": ".
  [[nodiscard]] Status withContext(const std::string &context) && {
    if (error)
      error->message = context + ": " + error->message;
    return std::move(*this);
  }

private:
  struct Error {
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<Error> error;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Expected(Status status) : storage(std::in_place_index<1>, std::move(status)) {
    assert(!std::get<1>(storage).ok() && "an Expected without a value needs an error");
  }

  [[nodiscard]] bool ok() const { return storage.index() == 0; }
  explicit operator bool() const { return ok(); }
  T &operator*() {
    assert(ok());
    return std::get<0>(storage);
  }
  const T &operator*() const {
    assert(ok());
    return std::get<0>(storage);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  /// The error; call only where !ok().
  [[nodiscard]] const Status &status() const {
    assert(!ok());
    return std::get<1>(storage);
  }
  [[nodiscard]] Status takeStatus() {
    assert(!ok());
    return std::move(std::get<1>(storage));
  }

private:
  std::variant<T, Status> storage;
};

/// Leaves the enclosing function with the error of `expression`, if it has one.
#define RELAX_RETURN_IF_ERROR(expression)                                                          \
  do {                                                                                             \
    if (::relax::Status relaxStatus = (expression); !relaxStatus.ok())                             \
      return relaxStatus;                                                                          \
  } while (false)

} // namespace relax
