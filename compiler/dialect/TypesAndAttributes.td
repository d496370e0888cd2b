//===- TypesAndAttributes.td - what all families of ops build upon ----------------------------===//
include "compiler/dialect/Attributes.td"
include "compiler/dialect/Types.td"
