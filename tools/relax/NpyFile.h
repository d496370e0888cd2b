//===- NpyFile.h - NumPy's .npy files ---------------------------------------------------------===//
//
// The format that numpy.save writes (versions 1.0 to 3.0): a magic, a header that is the text of a
// Python dictionary, the elements. Only the element types of artifacts are read and written;
// bfloat16, which NumPy does not have, is two raw bytes ("V2"), as ml_dtypes writes it. Big-endian
// files and Fortran order are converted when they are read; what is written is little-endian and in
// C order. A file may come from anywhere: every length is checked before it is used.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace relax::tool {

/// A tensor with its elements, row-major.
struct Array {
  artifact::DType dtype = artifact::DType::F32;
  std::vector<int64_t> dims;
  std::vector<uint8_t> data;

  [[nodiscard]] size_t count() const { return data.size() / artifact::byteSize(dtype); }
};

/// The number of elements, or nothing where their bytes would be more than 2^62 or a dim negative.
std::optional<uint64_t> elementCount(std::span<const int64_t> dims, artifact::DType dtype);

/// Reads a whole file. Messages begin with the path and say at which byte.
Expected<Array> readNpy(const std::string &path);
/// The same of bytes; `name` stands for the path.
Expected<Array> parseNpy(std::span<const uint8_t> bytes, const std::string &name);

/// Writes the file as a whole or not at all.
Status writeNpy(const std::string &path, const Array &array);
std::vector<uint8_t> npyBytes(const Array &array);

} // namespace relax::tool
