#!/usr/bin/env python3
"""Compile time per pass for models of 16, 32, 80 and 160 layers with the shapes of Llama 2 70B.

    compile_time.py [--binary build/release/bin/relax_compile_time_bench] [LAYERS…]

The files are sparse: they have the header of a real model and holes for weights. Prints a table in
Markdown; the last column is the growth of the time from the second to the last number of layers,
divided by that of the layers: 1 is linear.
"""
import argparse
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/data"))
import make_gguf as gguf  # noqa: E402

SHAPE = dict(embedding=8192, heads=64, kv_heads=8, head_dim=128, hidden=28672, vocabulary=32000)


def sparse_model(path, layers):
    fields = metadata(layers)
    s = SHAPE
    tensors = {"token_embd.weight": ("q4_1", (s["vocabulary"], s["embedding"]))}
    keys = s["kv_heads"] * s["head_dim"]
    for layer in range(layers):
        p = f"blk.{layer}."
        width, hidden = s["embedding"], s["hidden"]
        tensors[p + "attn_norm.weight"] = tensors[p + "ffn_norm.weight"] = ("f32", (width,))
        for name, rows, columns in [
                ("attn_q", width, width), ("attn_k", keys, width), ("attn_v", keys, width),
                ("attn_output", width, width), ("ffn_gate", hidden, width),
                ("ffn_up", hidden, width), ("ffn_down", width, hidden)]:
            tensors[f"{p}{name}.weight"] = ("q4_1", (rows, columns))
    tensors["output_norm.weight"] = ("f32", (s["embedding"],))
    header = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(fields))]
    header += [gguf.string(key) + gguf.value(item) for key, item in fields.items()]
    offset = 0
    for name, (form, shape) in tensors.items():
        number, block, size = gguf.FORMATS[form]
        header.append(gguf.string(name) + struct.pack("<I", len(shape)))
        header.append(struct.pack(f"<{len(shape)}Q", *reversed(shape)))
        header.append(struct.pack("<IQ", number, offset))
        count = 1
        for dim in shape:
            count *= dim
        offset += -(-(count // block * size) // 32) * 32
    out = b"".join(header)
    with open(path, "wb") as file:
        file.write(out + bytes(-len(out) % 32))
        file.truncate(len(out) + -len(out) % 32 + offset)


def metadata(layers):
    s, u32, f32 = SHAPE, gguf.U32, gguf.F32
    return {
        "general.architecture": "llama", "general.alignment": u32(32),
        "llama.block_count": u32(layers), "llama.context_length": u32(4096),
        "llama.embedding_length": u32(s["embedding"]),
        "llama.feed_forward_length": u32(s["hidden"]),
        "llama.attention.head_count": u32(s["heads"]),
        "llama.attention.head_count_kv": u32(s["kv_heads"]),
        "llama.rope.dimension_count": u32(s["head_dim"]), "llama.rope.freq_base": f32(10000.0),
        "llama.attention.layer_norm_rms_epsilon": f32(1e-5),
        "llama.vocab_size": u32(s["vocabulary"]),
        "tokenizer.ggml.tokens": [f"t{i}" for i in range(s["vocabulary"])],
    }


def measure(binary, path):
    out = subprocess.run([binary, path], check=True, capture_output=True, text=True).stdout
    times = {}
    for line in out.splitlines():
        if match := re.match(r"import ([\d.]+) ms", line):
            times["import"] = float(match[1])
        elif match := re.match(r"\s*([\d.]+)\s+[\d.]+  (\S+)", line):
            # A pass may run more than once; the second "import" is that of the driver.
            if match[2] not in ("import", "total"):
                times[match[2]] = times.get(match[2], 0) + float(match[1])
    times["total"] = sum(times.values())
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("layers", nargs="*", type=int, default=[16, 32, 80, 160])
    parser.add_argument("--binary", default=ROOT / "build/release/bin/relax_compile_time_bench")
    args = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for layers in args.layers:
            path = pathlib.Path(folder) / f"{layers}.gguf"
            sparse_model(path, layers)
            results.append(measure(args.binary, path))
            path.unlink()
    first, last = (args.layers[1] if len(args.layers) > 2 else args.layers[0]), args.layers[-1]
    print("| step, ms | " + " | ".join(f"{n} layers" for n in args.layers) + " | growth |")
    print("|---|" + "---|" * (len(args.layers) + 1))
    for name in results[-1]:
        row = [r.get(name, 0) for r in results]
        start = row[args.layers.index(first)]
        growth = row[-1] / start / (last / first) if start > 0.5 else None
        print(f"| {name.removeprefix('relax-')} | " + " | ".join(f"{t:.1f}" for t in row)
              + f" | {'' if growth is None else f'{growth:.2f}'} |")


if __name__ == "__main__":
    main()
