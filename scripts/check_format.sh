#!/usr/bin/env bash
# Fails if a source isn't formatted as .clang-format says; `make format` mends it.
set -euo pipefail
cd "$(dirname "$0")/.."
find runtime compiler models llm tools tests -name '*.cpp' -o -name '*.h' -o -name '*.c' |
  sort | xargs clang-format-22 --dry-run -Werror
