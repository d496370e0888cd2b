//===- Metadata.h - named values of a model ---------------------------------------------------===//
//
// An ordered list of (key, value) pairs: what a model's file says about itself beside its tensors,
// such as hyper-parameters, the tokenizer's tables and the chat template. A GGUF file and a
// compiled artifact hold the same thing, so that whatever reads it needs not know where it came
// from.
//
// Getters are typed. A missing key and a value of another type are errors for the user: the message
// names the source (a file), the key, what was found and what was expected.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace relax {

/// Every integer type of a file widens to int64_t, every float type to double.
using MetadataValue =
    std::variant<bool, int64_t, double, std::string, std::vector<bool>, std::vector<int64_t>,
                 std::vector<double>, std::vector<std::string>>;

/// The name of a value's type for messages: "integer", "array of strings", ….
const char *metadataTypeName(const MetadataValue &value);

class Metadata {
public:
  struct Entry {
    std::string key;
    MetadataValue value;
  };

  Metadata() = default;
  /// `source` is where the values come from (a path); messages begin with it.
  explicit Metadata(std::string source) : sourceName(std::move(source)) {}

  [[nodiscard]] const std::string &source() const { return sourceName; }
  void setSource(std::string source) { sourceName = std::move(source); }

  /// Sets `key`. A new key goes to the end; an old one keeps its place and gets the new value.
  void set(std::string key, MetadataValue value);
  /// So that a literal becomes a string, and not a bool.
  void set(std::string key, const char *value) { set(std::move(key), std::string(value)); }
  /// So that any integer becomes an int64_t, without a cast at each call.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void set(std::string key, T value) {
    set(std::move(key), MetadataValue(static_cast<int64_t>(value)));
  }

  /// All entries, in the order in which they were first set.
  [[nodiscard]] const std::vector<Entry> &entries() const { return list; }
  [[nodiscard]] size_t size() const { return list.size(); }
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// The value of `key`, null where there is none. Stays valid until the next set().
  [[nodiscard]] const MetadataValue *find(std::string_view key) const;

  // The value of a key that must be there.
  [[nodiscard]] Expected<bool> boolean(std::string_view key) const;
  [[nodiscard]] Expected<int64_t> integer(std::string_view key) const;
  /// Accepts an integer too.
  [[nodiscard]] Expected<double> number(std::string_view key) const;
  [[nodiscard]] Expected<std::string> string(std::string_view key) const;

  // The value of a key, or `otherwise` where it is missing. Another type is still an error.
  [[nodiscard]] Expected<bool> boolean(std::string_view key, bool otherwise) const;
  [[nodiscard]] Expected<int64_t> integer(std::string_view key, int64_t otherwise) const;
  [[nodiscard]] Expected<double> number(std::string_view key, double otherwise) const;
  [[nodiscard]] Expected<std::string> string(std::string_view key,
                                             const std::string &otherwise) const;

  // Arrays, which must be there. The pointer is never null and stays valid until the next set().
  [[nodiscard]] Expected<const std::vector<bool> *> booleans(std::string_view key) const;
  [[nodiscard]] Expected<const std::vector<int64_t> *> integers(std::string_view key) const;
  [[nodiscard]] Expected<const std::vector<double> *> numbers(std::string_view key) const;
  [[nodiscard]] Expected<const std::vector<std::string> *> strings(std::string_view key) const;

private:
  /// The error for a key that is missing (`found` null) or holds another type than `expected`.
  [[nodiscard]] Status unfit(std::string_view key, const MetadataValue *found,
                             const char *expected) const;
  template <typename T>
  Expected<T> scalar(std::string_view key, const T *otherwise, const char *expected) const;
  template <typename T>
  Expected<const std::vector<T> *> array(std::string_view key, const char *expected) const;

  std::string sourceName;
  std::vector<Entry> list;
  std::map<std::string, size_t, std::less<>> positions;
};

} // namespace relax
