#!/usr/bin/env bash
# Obtains vocabulary-only GGUF files with inputs and expected token ids (75 MB), for tests, and prints
# their folder. They come from the source package of `llama-cpp-python`, which the benchmark builds
# too, and are kept in ${RELAX_VOCABULARIES:-${XDG_CACHE_HOME:-~/.cache}/relax/vocabularies}.
set -euo pipefail

package=llama-cpp-python==0.3.36
sha256=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
folder=${RELAX_VOCABULARIES:-${XDG_CACHE_HOME:-$HOME/.cache}/relax/vocabularies}

if [ ! -f "$folder/.complete" ]; then
  mkdir -p "$folder"
  scratch=$(mktemp -d "$folder/download.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  echo "Downloading the Python source package $package" >&2
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary llama-cpp-python \
    --dest "$scratch" "$package" >&2
  found=$(sha256sum "$scratch"/*.tar.gz | cut -d' ' -f1)
  if [ "$found" != "$sha256" ]; then
    echo "fetch_vocabularies.sh: the package's SHA-256 is $found, expected $sha256." >&2
    exit 1
  fi
  tar -xzf "$scratch"/*.tar.gz -C "$folder" --strip-components=4 --wildcards \
    '*/vendor/llama.cpp/models/ggml-vocab-*'
  touch "$folder/.complete"
fi
echo "$folder"
