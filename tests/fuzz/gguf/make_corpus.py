#!/usr/bin/env python3
"""Writes the seeds of the GGUF fuzzer: make_corpus.py FOLDER.

Good files of each version, every value type and some formats, and what is known to be nasty, so that
a short run begins where a long one would have come to."""
import os
import struct
import sys


def string(text):
    return struct.pack("<Q", len(text)) + text


def header(tensors, entries, version=3, magic=b"GGUF"):
    return magic + struct.pack("<IQQ", version, tensors, entries)


def entry(key, kind, data):
    return string(key) + struct.pack("<I", kind) + data


def tensor(name, dims, form, offset):
    return (string(name) + struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
            + struct.pack("<IQ", form, offset))


def padded(data, alignment=32):
    return data + bytes(-len(data) % alignment)


SCALARS = [(0, "<B", 1), (1, "<b", -1), (2, "<H", 2), (3, "<h", -2), (4, "<I", 3), (5, "<i", -3),
           (6, "<f", 0.5), (7, "<B", 1), (10, "<Q", 4), (11, "<q", -4), (12, "<d", 0.25)]


def seeds():
    entries = [entry(b"k%d" % kind, kind, struct.pack(form, value))
               for kind, form, value in SCALARS]
    entries += [entry(b"a%d" % kind, 9, struct.pack("<IQ", kind, 2) + struct.pack(form, value) * 2)
                for kind, form, value in SCALARS]
    entries.append(entry(b"general.architecture", 8, string(b"llama")))
    entries.append(entry(b"tokenizer.ggml.tokens", 9,
                         struct.pack("<IQ", 8, 2) + string(b"a") + string(b"\xff")))
    entries.append(entry(b"tokenizer.ggml.scores", 9, struct.pack("<IQ2f", 6, 2, 0, 1)))
    entries.append(entry(b"tokenizer.ggml.eos_token_id", 4, struct.pack("<I", 1)))
    for version in (2, 3):
        yield f"types_v{version}", header(0, len(entries), version) + b"".join(entries)
    for form, block, size in ((0, 1, 4), (1, 1, 2), (3, 32, 20), (8, 32, 34), (12, 256, 144)):
        infos = tensor(b"x", [block * 2, 3], form, 0) + tensor(b"y", [block], form, 1024)
        yield f"format_{form}", padded(header(2, 0) + infos) + bytes(1024 + size)
    whole = padded(header(1, 1) + entry(b"general.alignment", 4, struct.pack("<I", 64))
                   + tensor(b"x", [4], 0, 0), 64) + bytes(16)
    yield "alignment", whole
    for alignment in (0, 3, 1 << 30):
        yield f"alignment_{alignment}", header(0, 1) + entry(
            b"general.alignment", 4, struct.pack("<I", alignment))
    for dims in ([4, 0], [2 ** 42 + 1], [2 ** 32] * 3, [2 ** 64 - 1], [1] * 5):
        name = "dims_" + "_".join(map(str, dims))
        yield name, padded(header(1, 0) + tensor(b"x", dims, 0, 0)) + bytes(64)
    for count in (2 ** 60, 2 ** 64 - 1):
        yield f"tensors_{count}", header(count, 0)
        yield f"entries_{count}", header(0, count)
        yield f"string_{count}", header(0, 1) + entry(b"s", 8, struct.pack("<Q", count))
        yield f"array_{count}", header(0, 1) + entry(b"s", 9, struct.pack("<IQ", 8, count))
        yield f"offset_{count}", padded(header(1, 0) + tensor(b"x", [4], 0, count)) + bytes(64)
    yield "overlap", padded(header(2, 0) + tensor(b"x", [16], 0, 0)
                            + tensor(b"y", [16], 0, 32)) + bytes(96)
    yield "nested", header(0, 1) + entry(b"a", 9, struct.pack("<IQIQ", 9, 1, 9, 1))
    yield "twice", header(0, 2) + entry(b"a", 7, b"\1") * 2
    yield "key_nul", header(0, 1) + entry(b"a\0b", 7, b"\1")
    yield "key_bytes", header(0, 1) + entry(b"\xff\xfe", 7, b"\1")
    yield "version_1", header(0, 0, 1)
    yield "swapped", b"FUGG" + struct.pack(">IQQ", 3, 0, 0)
    yield "big_endian", b"GGUF" + struct.pack(">IQQ", 3, 0, 0)
    yield "truncated", whole[:-20]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, data in seeds():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
