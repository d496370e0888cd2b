//===- Numbers.h - elements of tensors as numbers and as text ---------------------------------===//
#pragma once

#include "tools/relax/NpyFile.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace relax::tool {

/// The dtype of that name: "f32", "i64", "bool", "ui8" or "u8", …
std::optional<artifact::DType> dtypeNamed(std::string_view name);
bool isFloat(artifact::DType dtype);

/// Element `index`; integers beyond 2^53 are rounded.
double elementAt(const Array &array, size_t index);
int64_t integerAt(const Array &array, size_t index); ///< Of an integer or bool array.

/// Stores `value` as element `index`, rounded to nearest even, or cut to an integer's bits.
void setElement(Array &array, size_t index, double value);
void setInteger(Array &array, size_t index, int64_t value);

/// Stores what `text` says: a number, `true` or `false`, `nan`, `inf`. False if it says none that
/// the dtype has.
bool setElement(Array &array, size_t index, std::string_view text);

/// An array of zeros; an error where it doesn't fit in memory.
Expected<Array> makeArray(artifact::DType dtype, std::vector<int64_t> dims);

/// The shortest text that reads back as the element.
std::string elementText(const Array &array, size_t index);
/// Rows and columns as NumPy prints them, long dimensions cut in the middle.
std::string arrayText(const Array &array);
/// Nested lists; infinities and NaN as texts, because JSON has no such numbers.
nlohmann::ordered_json arrayJson(const Array &array);

} // namespace relax::tool
