//===- InlineArray.h - a short array on the stack ---------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace relax::runtime {

/// `size` elements, on the heap only if they are more than N. Numbers and pointers have no value at
/// first.
template <typename T, size_t N = 12> class InlineArray {
public:
  explicit InlineArray(size_t size) : count(size) {
    if (size > N)
      many.resize(size);
  }
  T *data() { return count > N ? many.data() : few.data(); }
  [[nodiscard]] size_t size() const { return count; }
  T &operator[](size_t index) { return data()[index]; }
  operator std::span<T>() { return {data(), count}; }
  std::span<const T> constant() { return {data(), count}; }

private:
  size_t count;
  std::array<T, N> few;
  std::vector<T> many;
};

} // namespace relax::runtime
