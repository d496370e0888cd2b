//===- ByteSize.h - how much memory a tensor takes --------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"

namespace relax::transforms {

/// The bytes of a contiguous tensor of this type; null where a dimension or the element's size
/// isn't known. Elements of less than a byte take one.
symbolic::Expr byteSize(mlir::RankedTensorType type);

} // namespace relax::transforms
