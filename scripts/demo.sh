#!/usr/bin/env bash
# Builds a release, obtains a model, and streams its answer to a sample question.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
if [ ! -f build/release/build.ninja ]; then
  cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
fi
if ! ninja -C build/release -n relax relax_compiler | grep -q "no work to do"; then
  echo "Building (a few minutes the first time)" >&2
  cmake --build build/release -j "${JOBS:-2}" --target relax relax_compiler
fi
model=$(scripts/fetch_model.sh)
question=${1:-"Why is the sky blue? Answer in two sentences."}
echo
echo "> $question"
exec build/release/bin/relax chat "$model" -m "$question" --stats
