//===- TensorFormat.h - the element formats of GGUF tensors -----------------------------------===//
//
// A format stores a row in blocks of `blockElements` consecutive values, `blockBytes` bytes each.
// The table holds every format that the file format defines, so that sizes can be checked in any
// file; what can compute with a format is somebody else's question.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace relax::gguf {

struct TensorFormat {
  uint32_t id;            ///< The number in the file (`ggml_type`).
  const char *name;       ///< In lower case: "f32", "q4_1".
  uint32_t blockElements; ///< 1 for plain types.
  uint32_t blockBytes;
};

/// All formats, by rising id.
std::span<const TensorFormat> tensorFormats();

/// The format with this number; null where there is none.
const TensorFormat *findTensorFormat(uint32_t id);

/// The name of a format that early files used and that no program reads any more; null otherwise.
const char *removedTensorFormat(uint32_t id);

/// "f32, f16, q4_0, …", for messages.
std::string tensorFormatNames();

} // namespace relax::gguf
