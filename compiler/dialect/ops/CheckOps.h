//===- CheckOps.h - run-time checks, and annotations that change ------------------------------===//
#pragma once

#include "compiler/dialect/ops/OpSupport.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/CheckOps.h.inc"
#pragma GCC diagnostic pop
