//===- Metadata.cpp - named values of a model -------------------------------------------------===//
#include "runtime/support/Metadata.h"

namespace relax {

const char *metadataTypeName(const MetadataValue &value) {
  static constexpr const char *names[] = {
      "boolean",           "integer",           "number",           "string",
      "array of booleans", "array of integers", "array of numbers", "array of strings"};
  static_assert(std::variant_size_v<MetadataValue> == std::size(names));
  return names[value.index()];
}

void Metadata::set(std::string key, MetadataValue value) {
  auto [place, isNew] = positions.try_emplace(key, list.size());
  if (isNew)
    list.push_back({std::move(key), std::move(value)});
  else
    list[place->second].value = std::move(value);
}

const MetadataValue *Metadata::find(std::string_view key) const {
  auto place = positions.find(key);
  return place == positions.end() ? nullptr : &list[place->second].value;
}

Status Metadata::unfit(std::string_view key, const MetadataValue *found,
                       const char *expected) const {
  std::string message = sourceName.empty() ? "" : sourceName + ": ";
  message += "metadata key '" + std::string(key) + "'";
  if (!found)
    return {StatusCode::NotFound, message + " is missing; expected a value of type " + expected};
  return {StatusCode::InvalidFile, message + " has type " + metadataTypeName(*found) +
                                       "; expected a value of type " + expected};
}

template <typename T>
Expected<T> Metadata::scalar(std::string_view key, const T *otherwise, const char *expected) const {
  const MetadataValue *found = find(key);
  if (!found && otherwise)
    return *otherwise;
  if (const T *value = found ? std::get_if<T>(found) : nullptr)
    return *value;
  return unfit(key, found, expected);
}

template <typename T>
Expected<const std::vector<T> *> Metadata::array(std::string_view key, const char *expected) const {
  const MetadataValue *found = find(key);
  if (const auto *value = found ? std::get_if<std::vector<T>>(found) : nullptr)
    return value;
  return unfit(key, found, expected);
}

Expected<bool> Metadata::boolean(std::string_view key) const {
  return scalar<bool>(key, nullptr, "boolean");
}
Expected<bool> Metadata::boolean(std::string_view key, bool otherwise) const {
  return scalar<bool>(key, &otherwise, "boolean");
}
Expected<int64_t> Metadata::integer(std::string_view key) const {
  return scalar<int64_t>(key, nullptr, "integer");
}
Expected<int64_t> Metadata::integer(std::string_view key, int64_t otherwise) const {
  return scalar<int64_t>(key, &otherwise, "integer");
}
Expected<std::string> Metadata::string(std::string_view key) const {
  return scalar<std::string>(key, nullptr, "string");
}
Expected<std::string> Metadata::string(std::string_view key, const std::string &otherwise) const {
  return scalar<std::string>(key, &otherwise, "string");
}

Expected<double> Metadata::number(std::string_view key) const {
  if (const MetadataValue *found = find(key))
    if (const auto *value = std::get_if<int64_t>(found))
      return static_cast<double>(*value);
  return scalar<double>(key, nullptr, "number");
}
Expected<double> Metadata::number(std::string_view key, double otherwise) const {
  return contains(key) ? number(key) : Expected<double>(otherwise);
}

Expected<const std::vector<bool> *> Metadata::booleans(std::string_view key) const {
  return array<bool>(key, "array of booleans");
}
Expected<const std::vector<int64_t> *> Metadata::integers(std::string_view key) const {
  return array<int64_t>(key, "array of integers");
}
Expected<const std::vector<double> *> Metadata::numbers(std::string_view key) const {
  return array<double>(key, "array of numbers");
}
Expected<const std::vector<std::string> *> Metadata::strings(std::string_view key) const {
  return array<std::string>(key, "array of strings");
}

} // namespace relax
