#!/usr/bin/env bash
# Builds another preset and runs its tests: scripts/test_preset.sh asan|tsan|gcc|debug
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
cmake --preset "$preset" >"build/$preset.log" 2>&1 || { cat "build/$preset.log"; exit 1; }
cmake --build "build/$preset" -j "${JOBS:-2}" >>"build/$preset.log" 2>&1 ||
  { tail -50 "build/$preset.log"; exit 1; }
# Sanitizers make these ten times slower; the release build runs them in full.
export RELAX_SYMBOLIC_TREES=6000 RELAX_Z3_QUERIES=200
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$PWD/tests/leaks.txt:print_suppressions=0
ctest --test-dir "build/$preset" --output-on-failure
