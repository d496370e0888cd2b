#!/usr/bin/env python3
"""Writes a GGUF model with all its weights as float32, for measurements.

    bench/float32_model.py MODEL.gguf [-o OUT.gguf]

The metadata is copied byte for byte. By default the result is MODEL.float32.gguf in
${RELAX_MODELS:-~/.cache/relax/models}, and is written only if it isn't there yet. Prints its path.
"""
import argparse
import os
import pathlib
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/models"))
import reference

ALIGNMENT = 32


def header_end(reader):
    """Walks through the metadata again: how many entries there are, and where they end."""
    reader.at = 0
    _, _, _, entries = reader.unpack("4sIQQ")
    start = reader.at
    for _ in range(entries):
        reader.string()
        reader.value(*reader.unpack("I"))
    return entries, reader.data[start:reader.at].tobytes()


def convert(source, target):
    reader = reference.Reader(source)
    if reader.metadata.get("general.alignment", ALIGNMENT) != ALIGNMENT:
        raise SystemExit(f"{source}: expected an alignment of {ALIGNMENT}")
    entries, metadata = header_end(reader)
    infos, offset = b"", 0
    for name, (_, dims, _) in reader.tensors.items():
        text = name.encode()
        infos += struct.pack("<Q", len(text)) + text
        infos += struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims[::-1], 0, offset)
        offset += -(-4 * int(np.prod(dims, dtype=np.int64)) // ALIGNMENT) * ALIGNMENT
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(reader.tensors), entries) + metadata + infos
    scratch = pathlib.Path(f"{target}.{os.getpid()}")
    with open(scratch, "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT))
        for form, dims, data in reader.tensors.values():
            numbers = reference.dequantize(form, dims, data).astype(np.float32).tobytes()
            file.write(numbers + bytes(-len(numbers) % ALIGNMENT))
    scratch.rename(target)


def float32_model(source, target=None):
    """The path of the float32 form of a model."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "relax/models"
    folder = pathlib.Path(os.environ.get("RELAX_MODELS", cache))
    target = pathlib.Path(target or folder / f"{pathlib.Path(source).stem}.float32.gguf")
    if not target.exists():
        print(f"Writing {target}", file=sys.stderr)
        target.parent.mkdir(parents=True, exist_ok=True)
        convert(source, target)
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    print(float32_model(arguments.model, arguments.output))


if __name__ == "__main__":
    main()
