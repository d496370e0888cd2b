//===- Operators.h - what Python's operators do to template values ----------------------------===//
#pragma once

#include "llm/jinja/Interpreter.h"

#include <optional>

namespace relax::llm::jinja {

/// `left op right` for + - * / // % ** ~. Integers that leave 64 bits are an error.
Expected<Value> applyBinary(Interpreter &interpreter, const std::string &op, const Value &left,
                            const Value &right, uint32_t line);

/// `left op right` for == != < <= > >= in, not in.
Expected<bool> applyComparison(const std::string &op, const Value &left, const Value &right,
                               uint32_t line);

/// Python's order of two values: negative, zero, positive; an error if they have none.
Expected<int> compareValues(const Value &left, const Value &right, uint32_t line);

/// value[start:stop:step] of a string (in characters) or a list.
Expected<Value> slice(const Value &value, std::optional<int64_t> start, std::optional<int64_t> stop,
                      std::optional<int64_t> step, uint32_t line);

} // namespace relax::llm::jinja
