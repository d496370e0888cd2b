//===- Ops.td - every op of the dialect -------------------------------------------------------===//
include "compiler/dialect/ElementwiseOps.td"
include "compiler/dialect/ShapeOps.td"
include "compiler/dialect/ContractionOps.td"
include "compiler/dialect/LanguageModelOps.td"
include "compiler/dialect/StructureOps.td"
