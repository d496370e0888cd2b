#!/usr/bin/env bash
# Builds what is needed and runs every test. ctest's closing lines are the last thing it prints.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}

model=$(scripts/fetch_model.sh)
for name in gemma3 qwen2.5-coder; do scripts/fetch_model.sh "$name" >/dev/null; done
scripts/fetch_vocabularies.sh >/dev/null
mkdir -p build
[ -f build/release/build.ninja ] || cmake --preset release >build/configure.log 2>&1 ||
  { cat build/configure.log; exit 1; }
cmake --build build/release -j "$jobs"
RELAX_TEST_MODEL=$model ctest --test-dir build/release --output-on-failure -j "$jobs" "$@"
