#!/usr/bin/env bash
# Checks sources with clang-tidy: scripts/clang_tidy.sh [FOLDER...], the whole tree by default.
# Takes many minutes for the parts that use MLIR; needs the package clang-tidy-22 and a configured
# debug build.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/tidy/compile_commands.json ] ||
  cmake --preset debug -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
folders=("$@")
[ ${#folders[@]} -gt 0 ] || folders=(runtime compiler models llm tools)
cmake --build build/tidy --target relax_dialect_tablegen relax_artifact >/dev/null
git ls-files "${folders[@]/%//}" | grep '\.cpp$' |
  xargs -P "${JOBS:-2}" -n 1 clang-tidy-22 --quiet -p build/tidy
