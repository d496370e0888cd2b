//===- LanguageModelOps.h - rotary embedding, paged cache, attention over a ragged batch -----===//
#pragma once

#include "compiler/dialect/ops/OpSupport.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/LanguageModelOps.h.inc"
#pragma GCC diagnostic pop
