//===- Keys.h - reads and checks the keys of a model's architecture ---------------------------===//
#pragma once

#include "compiler/importers/gguf/File.h"

#include <string>
#include <vector>

namespace relax::models {

/// Keys without the architecture's name before them. The first error stays; getters then give
/// something harmless.
class Keys {
public:
  Keys(const gguf::File &file, std::string architecture)
      : file(file), prefix(std::move(architecture) + ".") {}

  [[nodiscard]] bool has(const std::string &key) const {
    return file.metadata().contains(prefix + key);
  }
  int64_t integer(const std::string &key, int64_t least, int64_t most);
  int64_t integer(const std::string &key, int64_t otherwise, int64_t least, int64_t most);
  /// A positive number; models differ in these, so a default that is taken is worth a warning.
  double number(const std::string &key, double otherwise);
  /// The same, where the default needs no warning; 0 is allowed.
  double optionalNumber(const std::string &key, double otherwise);
  std::string text(const std::string &key, const std::string &otherwise);

  void fail(Status error);
  /// An error about the file, with its path.
  void invalid(const std::string &message);
  [[nodiscard]] const Status &status() const { return first; }
  [[nodiscard]] const std::vector<std::string> &warnings() const { return notes; }
  [[nodiscard]] const gguf::File &source() const { return file; }

private:
  int64_t check(const std::string &key, Expected<int64_t> value, int64_t least, int64_t most);

  const gguf::File &file;
  std::string prefix;
  Status first;
  std::vector<std::string> notes;
};

} // namespace relax::models
