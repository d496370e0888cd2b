//===- Relax.h - the whole dialect: attributes, types, ops and formats ------------------------===//
#pragma once

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Dialect.h"
#include "compiler/dialect/Ops.h"
