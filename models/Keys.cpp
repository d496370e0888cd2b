#include "models/Keys.h"

#include <fmt/format.h>

namespace relax::models {

int64_t Keys::check(const std::string &key, Expected<int64_t> value, int64_t least, int64_t most) {
  if (!value) {
    fail(value.takeStatus());
    return least;
  }
  if (*value >= least && *value <= most)
    return *value;
  invalid(fmt::format("'{}{}' is {}; expected a number from {} to {}", prefix, key, *value, least,
                      most));
  return least;
}

int64_t Keys::integer(const std::string &key, int64_t least, int64_t most) {
  return check(key, file.metadata().integer(prefix + key), least, most);
}

int64_t Keys::integer(const std::string &key, int64_t otherwise, int64_t least, int64_t most) {
  return check(key, file.metadata().integer(prefix + key, otherwise), least, most);
}

double Keys::number(const std::string &key, double otherwise) {
  if (!has(key))
    notes.push_back(
        fmt::format("{}: warning: '{}{}' is missing; the default {} is taken, with "
                    "which the model's answers are wrong if it was trained with another",
                    file.path(), prefix, key, otherwise));
  Expected<double> value = file.metadata().number(prefix + key, otherwise);
  if (value && *value > 0 && *value < 1e12)
    return *value;
  if (value)
    invalid(fmt::format("'{}{}' is {}; expected a positive number", prefix, key, *value));
  else
    fail(value.takeStatus());
  return otherwise;
}

double Keys::optionalNumber(const std::string &key, double otherwise) {
  Expected<double> value = file.metadata().number(prefix + key, otherwise);
  if (value && *value >= 0 && *value < 1e12)
    return *value;
  if (value)
    invalid(fmt::format("'{}{}' is {}; expected a number, at least 0", prefix, key, *value));
  else
    fail(value.takeStatus());
  return otherwise;
}

std::string Keys::text(const std::string &key, const std::string &otherwise) {
  Expected<std::string> value = file.metadata().string(prefix + key, otherwise);
  if (value)
    return *value;
  fail(value.takeStatus());
  return otherwise;
}

void Keys::fail(Status error) {
  if (first.ok())
    first = std::move(error);
}

void Keys::invalid(const std::string &message) {
  fail(Status(StatusCode::InvalidFile, file.path() + ": " + message));
}

} // namespace relax::models
