#!/usr/bin/env python3
"""Writes GGUF files: tiny random models, for tests.

    make_gguf.py OUT.gguf [--arch llama] [--type q4_1] [--head-type q8_0] [--own-head]
                 [--shape small|odd|wide] [--seed N]

The same arguments give the same bytes. Weights are random, so the text that such a model writes is
noise, but its logits are well spread and depend on every weight. The tokenizer is byte-level BPE with
the pre-tokenizer `smollm`: three special tokens, the 256 bytes, and merges of a few English words.

As a library: write_gguf, write_split, quantize, tiny_model.
"""
import argparse
import struct

import numpy as np

# Number in the file, elements of a block, bytes of a block.
FORMATS = {
    "f32": (0, 1, 4), "f16": (1, 1, 2), "bf16": (30, 1, 2),
    "q4_0": (2, 32, 18), "q4_1": (3, 32, 20), "q5_0": (6, 32, 22), "q5_1": (7, 32, 24),
    "q8_0": (8, 32, 34), "iq4_nl": (20, 32, 18),
    "q2_k": (10, 256, 84), "q3_k": (11, 256, 110), "q4_k": (12, 256, 144), "q5_k": (13, 256, 176),
    "q6_k": (14, 256, 210), "iq4_xs": (23, 256, 136),
}
# Formats of random bytes: where the block's scale is and how far its numbers then spread, in scales;
# where the minimum is and how many scales centre them.
RANDOM = {
    "iq4_nl": (0, 68, None, 0), "q2_k": (80, 9, 82, 1.5), "q3_k": (108, 42, None, 0),
    "q4_k": (0, 170, 2, 7.5), "q5_k": (0, 340, 2, 15.5), "q6_k": (208, 1370, None, 0),
    "iq4_xs": (0, 1260, None, 0),
}
SHAPES = {
    # Everything a multiple of 16 and 32, but for the vocabulary.
    "small": dict(layers=2, embedding=64, heads=4, kv_heads=2, head_dim=16, hidden=128,
                  vocabulary=300),
    # Odd numbers of blocks, and outputs that are no multiples of 16: 24 rows of keys, 301 tokens.
    "odd": dict(layers=3, embedding=96, heads=4, kv_heads=1, head_dim=24, hidden=160,
                vocabulary=301),
    # Rows of whole blocks of 256.
    "wide": dict(layers=2, embedding=256, heads=4, kv_heads=2, head_dim=64, hidden=512,
                 vocabulary=301),
}
CHAT_TEMPLATE = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a tiny random model.<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


# ---- the file format ---------------------------------------------------------------------------

class U32(int):
    """An integer that the file stores in 32 bits without sign."""


class F32(float):
    """A number that the file stores in 32 bits."""


class I32Array(list):
    """An array of 32-bit integers."""


def string(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(data)) + data


def value(item):
    """Type and bytes of a metadata value."""
    if isinstance(item, bool):
        return struct.pack("<IB", 7, item)
    if isinstance(item, U32):
        return struct.pack("<II", 4, item)
    if isinstance(item, F32):
        return struct.pack("<If", 6, item)
    if isinstance(item, int):
        return struct.pack("<Iq", 11, item)
    if isinstance(item, float):
        return struct.pack("<Id", 12, item)
    if isinstance(item, (str, bytes)):
        return struct.pack("<I", 8) + string(item)
    if isinstance(item, I32Array):
        return struct.pack("<IIQ", 9, 5, len(item)) + struct.pack(f"<{len(item)}i", *item)
    if isinstance(item, list):
        return struct.pack("<IIQ", 9, 8, len(item)) + b"".join(map(string, item))
    raise TypeError(f"no metadata type for {type(item)}")


def write_gguf(path, metadata, tensors, version=3, alignment=32):
    """metadata: {key: value}; tensors: {name: (format, shape outermost first, bytes)}."""
    header = [b"GGUF", struct.pack("<IQQ", version, len(tensors), len(metadata))]
    for key, item in metadata.items():
        header.append(string(key) + value(item))
    offset = 0
    for name, (form, shape, data) in tensors.items():
        header.append(string(name) + struct.pack("<I", len(shape)))
        header.append(struct.pack(f"<{len(shape)}Q", *reversed(shape)))
        header.append(struct.pack("<IQ", FORMATS[form][0], offset))
        offset += -(-len(data) // alignment) * alignment
    out = b"".join(header)
    with open(path, "wb") as file:
        file.write(out + bytes(-len(out) % alignment))
        for _, _, data in tensors.values():
            file.write(data + bytes(-len(data) % alignment))


def write_split(stem, metadata, tensors, count):
    """The same over `count` files STEM-00001-of-0000N.gguf; the path of the first."""
    names = list(tensors)
    paths = [f"{stem}-{i + 1:05}-of-{count:05}.gguf" for i in range(count)]
    for i, path in enumerate(paths):
        keys = {"split.no": U32(i), "split.count": U32(count), "split.tensors.count": U32(len(names))}
        write_gguf(path, {**(metadata if i == 0 else {}), **keys},
                   {name: tensors[name] for name in names[i::count]})
    return paths[0]


# ---- weight formats ----------------------------------------------------------------------------

def half(x):
    return x.astype(np.float16)


def pack_nibbles(q):
    """[blocks, 32] of 0 to 15: low nibbles are elements 0 to 15, high ones 16 to 31."""
    return (q[:, :16] | q[:, 16:] << 4).astype(np.uint8)


def high_bits(q):
    """[blocks, 32] of 0 to 31: bit 4 of element j becomes bit j of a word."""
    return np.packbits((q >> 4).astype(np.uint8), axis=1, bitorder="little")


def as_bytes(*columns):
    return np.concatenate([np.ascontiguousarray(c).view(np.uint8).reshape(len(c), -1)
                           for c in columns], axis=1).tobytes()


def symmetric(blocks, bits):
    """Scale (half) and unsigned q: the element of largest magnitude becomes -2^(bits-1)."""
    top = 1 << (bits - 1)
    extreme = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)
    scale = half(extreme / -top)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(scale == 0, 0, np.rint(blocks / scale.astype(np.float32)))
    return scale, (np.clip(q, -top, top - 1) + top).astype(np.int64)


def affine(blocks, bits):
    """Scale, minimum (halves) and q from 0 to 2^bits - 1."""
    low, high = blocks.min(1, keepdims=True), blocks.max(1, keepdims=True)
    scale, least = half((high - low) / ((1 << bits) - 1)), half(low)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(scale == 0, 0, np.rint((blocks - least) / scale.astype(np.float32)))
    return scale, least, np.clip(q, 0, (1 << bits) - 1).astype(np.int64)


def quantize(array, form):
    """The bytes of an array of float32 in a format."""
    array = np.ascontiguousarray(array, np.float32)
    if form == "f32":
        return array.tobytes()
    if form == "f16":
        return half(array).tobytes()
    if form == "bf16":                      # round to nearest, ties to even
        bits = array.view(np.uint32).astype(np.uint64)
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16).tobytes()
    blocks = array.reshape(-1, 32)
    if form == "q8_0":
        scale = half(np.abs(blocks).max(1, keepdims=True) / 127)
        with np.errstate(divide="ignore", invalid="ignore"):
            q = np.where(scale == 0, 0, np.rint(blocks / scale.astype(np.float32)))
        return as_bytes(scale, np.clip(q, -127, 127).astype(np.int8))
    bits = int(form[1])
    if form.endswith("0"):
        scale, q = symmetric(blocks, bits)
        fields = [scale]
    else:
        scale, least, q = affine(blocks, bits)
        fields = [scale, least]
    if bits == 5:
        fields.append(high_bits(q))
    return as_bytes(*fields, pack_nibbles(q & 15))


def random_blocks(random, form, rows, columns, deviation):
    """Random bytes with scales that spread the numbers as wide as asked."""
    _, elements, size = FORMATS[form]
    blocks = random.integers(0, 256, (rows * columns // elements, size)).astype(np.uint8)
    scale_at, spread, minimum_at, centre = RANDOM[form]
    scales = (deviation / spread * random.uniform(0.5, 1.5, (len(blocks), 1))).astype(np.float16)
    blocks[:, scale_at:scale_at + 2] = scales.view(np.uint8)
    if minimum_at is not None:
        least = (scales.astype(np.float64) * centre).astype(np.float16)
        blocks[:, minimum_at:minimum_at + 2] = least.view(np.uint8)
    return blocks.tobytes()


# ---- the tiny model ----------------------------------------------------------------------------

def byte_characters():
    """The printable character that stands for each byte in byte-level BPE."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    table = {b: chr(b) for b in plain}
    table.update({b: chr(256 + i) for i, b in enumerate(others)})
    return [table[b] for b in range(256)]


def tokenizer(vocabulary):
    """Tokens and merges: words are built from left to right, each prefix a token."""
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokens, merges = specials + byte_characters(), []
    words = ["Ġthe", "Ġand", "Ġof", "ing", "er", "on", "Ġin", "Ġto", "Ġa", "Ġis", "Ġhello",
             "Ġworld", "00", "é", "user", "system", "Ġmodel", "Ġtiny"]
    known = set(tokens)
    for word in words:
        for end in range(2, len(word) + 1):
            left, right = word[:end - 1], word[end - 1]
            if left + right not in known and len(tokens) < vocabulary:
                merges.append(f"{left} {right}")
                tokens.append(left + right)
                known.add(left + right)
    while len(tokens) < vocabulary:         # never reached by merging
        tokens.append(f"<unused{len(tokens)}>")
    return tokens, merges, len(specials)


def tiny_metadata(s, seed, arch, extra):
    tokens, merges, specials = tokenizer(s["vocabulary"])
    epsilon = "layer_norm" if arch in ("gpt2", "gptneox") else "layer_norm_rms"
    numbers = {
        "vocab_size": U32(s["vocabulary"]),
        "context_length": U32(s.get("context", 4096)),
        "embedding_length": U32(s["embedding"]),
        "block_count": U32(s["layers"]),
        "feed_forward_length": U32(s["hidden"]),
        "rope.dimension_count": U32(s.get("rotated", s["head_dim"])),
        "rope.freq_base": F32(s.get("rope_base", 10000.0)),
        "attention.head_count": U32(s["heads"]),
        "attention.head_count_kv": U32(s["kv_heads"]),
        "attention.key_length": U32(s["head_dim"]),
        "attention.value_length": U32(s["head_dim"]),
        f"attention.{epsilon}_epsilon": F32(1e-5),
        **extra,
    }
    return {
        "general.architecture": arch,
        "general.name": f"tiny random model, seed {seed}",
        "general.alignment": U32(32),
        **{f"{arch}.{key}": item for key, item in numbers.items()},
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": I32Array(
            [3] * specials + [1] * (len(tokens) - specials)),
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": U32(1),
        "tokenizer.ggml.eos_token_id": U32(2),
        "tokenizer.ggml.unknown_token_id": U32(0),
        "tokenizer.ggml.padding_token_id": U32(2),
        "tokenizer.ggml.add_space_prefix": False,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": CHAT_TEMPLATE,
    }


def scaling_keys(scaling, context):
    """Keys of a kind of rotary scaling; `context` is four times what the model was trained for."""
    if scaling in (None, "llama3"):
        return {}
    keys = {"rope.scaling.type": scaling, "rope.scaling.factor": F32(4.0),
            "rope.scaling.original_context_length": U32(context // 4)}
    if scaling == "longrope":
        keys["rope.scaling.attn_factor"] = F32(1.19)
    return keys


def tiny_model(shape="small", form="q4_1", head_form=None, own_head=False, seed=1, arch="llama",
               scaling=None, window=0, **changes):
    """(metadata, tensors) for write_gguf. `changes` replace numbers of the shape. `form` is that of
    the layers' matrices ("mixed": many, in blocks of 256), `head_form` (the same where None) that of
    embedding and head. `scaling`: linear, llama3, yarn or longrope."""
    s = {**SHAPES[shape], **changes}
    head_form = head_form or form
    random = np.random.default_rng(seed)
    tensors = {}
    layer_norm = arch in ("gpt2", "gptneox")

    def matrix(name, rows, columns, form, gain=1.0):
        if form == "mixed":     # each super-block format in turn
            wide = [known for known, (_, elements, _) in FORMATS.items() if elements == 256]
            form = wide[len(tensors) % len(wide)]
        if form in RANDOM:
            data = random_blocks(random, form, rows, columns, gain / np.sqrt(columns))
        else:
            data = quantize(random.standard_normal((rows, columns), np.float32)
                            * np.float32(gain / np.sqrt(columns)), form)
        tensors[name + ".weight"] = (form, (rows, columns), data)

    def vector(name, size, mean=0.0, deviation=0.25):
        data = np.float32(mean) + np.float32(deviation) * random.standard_normal(size, np.float32)
        tensors[name] = ("f32", data.shape, quantize(data, "f32"))

    def norm(name, size=s["embedding"]):
        vector(name + ".weight", size, mean=1.0)
        if layer_norm:
            vector(name + ".bias", size)

    def linear(name, rows, columns, gain=1.0, bias=layer_norm):
        matrix(name, rows, columns, form, gain)
        if bias:
            vector(name + ".bias", rows)

    queries, keys = s["heads"] * s["head_dim"], s["kv_heads"] * s["head_dim"]
    width, hidden = s["embedding"], s["hidden"]
    scaled_embedding = arch.startswith("gemma")
    matrix("token_embd", s["vocabulary"], width, head_form,
           gain=3.0 / np.sqrt(width) if scaled_embedding and own_head else 3.0)
    if arch == "gpt2":
        matrix("position_embd", s.get("context", 4096), width, "f32", gain=3.0)
    for layer in range(s["layers"]):
        p = f"blk.{layer}."
        norm(p + "attn_norm")
        if arch in ("phi3", "gpt2", "gptneox"):
            linear(p + "attn_qkv", queries + 2 * keys, width, 1.5)
        else:
            linear(p + "attn_q", queries, width, 1.5, bias=arch == "qwen2")
            linear(p + "attn_k", keys, width, 1.5, bias=arch == "qwen2")
            linear(p + "attn_v", keys, width, bias=arch == "qwen2")
        if arch in ("qwen3", "gemma3"):
            norm(p + "attn_q_norm", s["head_dim"])
            norm(p + "attn_k_norm", s["head_dim"])
        linear(p + "attn_output", width, queries)
        norm(p + "ffn_norm")
        if arch == "phi3":
            linear(p + "ffn_up", 2 * hidden, width, 1.5)
        else:
            if not layer_norm:
                linear(p + "ffn_gate", hidden, width, 1.5)
            linear(p + "ffn_up", hidden, width)
        linear(p + "ffn_down", width, hidden)
        if arch in ("gemma2", "gemma3"):
            norm(p + "post_attention_norm")
            norm(p + "post_ffw_norm")
    norm("output_norm")
    if own_head:
        matrix("output", s["vocabulary"], width, head_form, gain=3.0)
    pairs = s.get("rotated", s["head_dim"]) // 2
    if scaling == "llama3":
        vector("rope_freqs.weight", pairs, mean=3.0)
    if scaling == "longrope":
        vector("rope_factors_long.weight", pairs, mean=4.0)
        vector("rope_factors_short.weight", pairs, mean=1.5)
    extra = scaling_keys(scaling, s.get("context", 4096))
    if window:
        extra["attention.sliding_window"] = U32(window)
    return tiny_metadata(s, seed, arch, extra), tensors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--arch", default="llama", help="llama, qwen2, gemma3, …")
    parser.add_argument("--type", choices=FORMATS, default="q4_1",
                        help="format of the layers' matrices (default q4_1)")
    parser.add_argument("--head-type", choices=FORMATS, help="format of embedding and head")
    parser.add_argument("--own-head", action="store_true", help="a head of its own, not tied")
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--context", type=int)
    parser.add_argument("--window", type=int)
    args = parser.parse_args()
    changes = {key: getattr(args, key) for key in ("layers", "context", "window") if getattr(args, key)}
    write_gguf(args.out, *tiny_model(args.shape, args.type, args.head_type, args.own_head, args.seed,
                                     args.arch, **changes))


if __name__ == "__main__":
    main()
