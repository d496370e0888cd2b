//===- ElementTypes.h - the runtime's names for the element types of tensors ------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"

#include <optional>

namespace relax::driver {

/// Nothing for a type that the runtime doesn't have.
std::optional<artifact::DType> runtimeType(mlir::Type element);

/// The same; an error at `loc` for a type that it doesn't have.
mlir::FailureOr<artifact::DType> dtypeOf(mlir::Type type, mlir::Location loc);

} // namespace relax::driver
