#!/usr/bin/env python3
"""What a GGUF language model computes, in float64: the reference that tests compare with.

    reference.py MODEL.gguf --tokens 1,2,3 [--greedy N]     prints JSON
    reference.py MODEL.gguf --check logits.json             exits with 1 where a number differs

Reads the file by itself, dequantises every weight exactly, and computes plainly; shares no code with
what it tests, nor with make_gguf.py. Architectures: see ARCHITECTURES.

As a library: Model(path).logits(tokens) gives [tokens, vocabulary]; see also greedy, perplexity.
"""
import argparse
import json
import math
import os
import struct
import sys

import numpy as np


# ---- the file ----------------------------------------------------------------------------------

class Reader:
    """Walks through the bytes of a well-formed GGUF file."""
    SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q",
               12: "d"}

    def __init__(self, path):
        self.data = np.memmap(path, np.uint8, "r")
        self.at = 0
        magic, version, tensors, entries = self.unpack("4sIQQ")
        if magic != b"GGUF" or version not in (2, 3):
            raise ValueError(f"{path}: not a GGUF file of version 2 or 3")
        self.metadata = {}
        for _ in range(entries):
            key = self.string()
            self.metadata[key] = self.value(*self.unpack("I"))
        infos = []
        for _ in range(tensors):
            name, (rank,) = self.string(), self.unpack("I")
            dims = self.unpack(f"{rank}Q")[::-1]
            infos.append((name, dims, *self.unpack("IQ")))
        alignment = self.metadata.get("general.alignment", 32)
        start = -(-self.at // alignment) * alignment
        self.tensors = {name: (form, dims, self.data[start + offset:])
                        for name, dims, form, offset in infos}

    def unpack(self, form):
        size = struct.calcsize("<" + form)
        values = struct.unpack("<" + form, self.data[self.at:self.at + size].tobytes())
        self.at += size
        return values

    def string(self):
        (size,) = self.unpack("Q")
        self.at += size
        return self.data[self.at - size:self.at].tobytes().decode("utf-8", "replace")

    def value(self, kind):
        if kind == 8:
            return self.string()
        if kind != 9:
            return self.unpack(self.SCALARS[kind])[0]
        element, count = self.unpack("IQ")
        if element == 8:
            return [self.string() for _ in range(count)]
        return list(self.unpack(f"{count}{self.SCALARS[element]}"))


def low_high(packed):
    """Sixteen bytes a block to 32 nibbles: all low ones, then all high ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float64)


def fifth_bits(word):
    """Four bytes a block to 32 times 0 or 16."""
    return np.unpackbits(word, axis=1, bitorder="little").astype(np.float64) * 16


def halves(columns):
    return np.ascontiguousarray(columns).view(np.float16).astype(np.float64)


# Format number: elements and bytes of a block, and how its bytes become numbers. Columns of a block
# are d (2 bytes), then m (2, where there is one), then fifth bits (4, where there are), then values.
BLOCKS = {
    2: (32, 18, lambda b: (low_high(b[:, 2:]) - 8) * halves(b[:, :2])),
    3: (32, 20, lambda b: low_high(b[:, 4:]) * halves(b[:, :2]) + halves(b[:, 2:4])),
    6: (32, 22, lambda b: (low_high(b[:, 6:]) + fifth_bits(b[:, 2:6]) - 16) * halves(b[:, :2])),
    7: (32, 24, lambda b: ((low_high(b[:, 8:]) + fifth_bits(b[:, 4:8])) * halves(b[:, :2])
                           + halves(b[:, 2:4]))),
    8: (32, 34, lambda b: b[:, 2:].view(np.int8).astype(np.float64) * halves(b[:, :2])),
}


def two_bits(packed):
    """[blocks, 64] to 256 numbers of two bits: each half of 32 bytes has its four shifts in turn."""
    parts = [packed[:, half:half + 32] >> shift & 3 for half in (0, 32) for shift in (0, 2, 4, 6)]
    return np.concatenate(parts, axis=1).astype(np.float64)


def nibbles_by_64(packed):
    """[blocks, 128] to 256 nibbles: 32 low ones, then the 32 high ones of the same bytes."""
    parts = [packed[:, i:i + 32] >> shift & 15 for i in range(0, 128, 32) for shift in (0, 4)]
    return np.concatenate(parts, axis=1).astype(np.float64)


def spread(groups, size):
    return np.repeat(groups, size, axis=1)


def six_bit_pairs(s):
    """Twelve bytes to eight scales and eight minimums of six bits."""
    s = s.astype(np.int64)
    scales, least = np.empty((len(s), 8)), np.empty((len(s), 8))
    for j in range(8):
        if j < 4:
            scales[:, j], least[:, j] = s[:, j] & 63, s[:, j + 4] & 63
        else:
            scales[:, j] = s[:, j + 4] & 15 | (s[:, j - 4] >> 6) << 4
            least[:, j] = s[:, j + 4] >> 4 | (s[:, j] >> 6) << 4
    return scales, least


def q2_k(b):
    scales, q = b[:, :16], two_bits(b[:, 16:80])
    return (halves(b[:, 80:82]) * spread(scales & 15, 16) * q
            - halves(b[:, 82:84]) * spread(scales >> 4, 16))


def q3_k(b):
    s = b[:, 96:108].astype(np.int64)
    low = np.concatenate([s[:, :8] & 15, s[:, :8] >> 4], axis=1)
    high = np.concatenate([s[:, 8:] >> shift & 3 for shift in (0, 2, 4, 6)], axis=1)
    scales = (low | high << 4) - 32
    third = np.concatenate([b[:, :32] >> bit & 1 for bit in range(8)], axis=1)
    q = two_bits(b[:, 32:96]) - np.where(third == 1, 0, 4)
    return halves(b[:, 108:110]) * spread(scales, 16) * q


def q4_k(b):
    scales, least = six_bit_pairs(b[:, 4:16])
    return (halves(b[:, :2]) * spread(scales, 32) * nibbles_by_64(b[:, 16:])
            - halves(b[:, 2:4]) * spread(least, 32))


def q5_k(b):
    scales, least = six_bit_pairs(b[:, 4:16])
    fifth = np.concatenate([b[:, 16:48] >> bit & 1 for bit in range(8)], axis=1)
    return (halves(b[:, :2]) * spread(scales, 32) * (nibbles_by_64(b[:, 48:]) + 16.0 * fifth)
            - halves(b[:, 2:4]) * spread(least, 32))


def q6_k(b):
    parts = []
    for half in range(2):
        low, high = b[:, 64 * half:64 * half + 64], b[:, 128 + 32 * half:160 + 32 * half]
        for quarter in range(4):
            four = low[:, 32 * (quarter % 2):32 * (quarter % 2) + 32] >> 4 * (quarter // 2) & 15
            parts.append(four | (high >> 2 * quarter & 3) << 4)
    q = np.concatenate(parts, axis=1).astype(np.float64) - 32
    return halves(b[:, 208:210]) * spread(b[:, 192:208].view(np.int8).astype(np.float64), 16) * q


CODEBOOK = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113.0])


def iq4_xs(b):
    high = b[:, 2:4].copy().view(np.uint16).astype(np.int64)
    scales = np.concatenate([b[:, 4 + g // 2:5 + g // 2] >> 4 * (g % 2) & 15
                             | (high >> 2 * g & 3) << 4 for g in range(8)], axis=1) - 32
    codes = np.concatenate([low_high(b[:, i:i + 16]) for i in range(8, 136, 16)], axis=1)
    return halves(b[:, :2]) * spread(scales, 32) * CODEBOOK[codes.astype(np.int64)]


BLOCKS.update({
    10: (256, 84, q2_k), 11: (256, 110, q3_k), 12: (256, 144, q4_k), 13: (256, 176, q5_k),
    14: (256, 210, q6_k), 23: (256, 136, iq4_xs),
    20: (32, 18, lambda b: CODEBOOK[low_high(b[:, 2:]).astype(np.int64)] * halves(b[:, :2])),
})


def dequantize(form, dims, data):
    """The numbers of a tensor, exactly, in float64."""
    count = int(np.prod(dims, dtype=np.int64))
    if form in BLOCKS:
        elements, size, decode = BLOCKS[form]
        blocks = np.array(data[:count // elements * size]).reshape(-1, size)
        return decode(blocks).reshape(dims)
    if form == 30:
        wide = np.array(data[:2 * count]).view(np.uint16).astype(np.uint32) << 16
        return wide.view(np.float32).astype(np.float64).reshape(dims)
    kind = {0: np.float32, 1: np.float16}[form]
    size = count * np.dtype(kind).itemsize
    return np.array(data[:size]).view(kind).astype(np.float64).reshape(dims)


# ---- the model ---------------------------------------------------------------------------------

def log_sum_exp(x):
    top = x.max()
    return top + np.log(np.exp(x - top).sum())


def erf(x):
    return np.vectorize(math.erf)(x)


ACTIVATIONS = {
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))),
    "gelu": lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2))),
}
ARCHITECTURES = ("llama", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "phi3", "gpt2", "gptneox")


class Rotation:
    """Frequencies and the factor of cosines and sines, by the kind of scaling."""
    def __init__(self, get, weights, head_dim, context):
        self.dims = get("rope.dimension_count", head_dim)
        base = float(get("rope.freq_base", 10000.0))
        pairs = np.arange(self.dims // 2)
        self.frequencies = base ** (-2.0 * pairs / self.dims)
        self.scale = 1.0
        kind, factor = get("rope.scaling.type", "none"), float(get("rope.scaling.factor", 1.0))
        original = get("rope.scaling.original_context_length", context)
        if kind == "linear":
            self.frequencies /= factor
        elif kind == "yarn":
            # Pairs that turn more than 32 times in the original context stay, those that turn less
            # than once are stretched; between them a line.
            def pair(turns):
                return self.dims * np.log(original / (turns * 2 * np.pi)) / (2 * np.log(base))
            low, high = max(np.floor(pair(32)), 0), min(np.ceil(pair(1)), self.dims - 1)
            stretched = np.clip((pairs - low) / max(high - low, 0.001), 0, 1)
            self.frequencies *= stretched / factor + 1 - stretched
            self.scale = get("rope.scaling.attn_factor", 1.0) * (1 + 0.1 * np.log(factor))
        if "rope_freqs.weight" in weights:
            self.frequencies = self.frequencies / weights["rope_freqs.weight"]
        if kind == "longrope":
            which = "long" if context > original else "short"
            self.frequencies = self.frequencies / weights[f"rope_factors_{which}.weight"]
            self.scale = get("rope.scaling.attn_factor", 1.0)


class Model:
    def __init__(self, path):
        file = Reader(path)
        self.metadata = file.metadata
        arch = self.arch = file.metadata["general.architecture"]
        if arch not in ARCHITECTURES:
            raise ValueError(f"{path}: the reference knows {', '.join(ARCHITECTURES)}, not {arch}")

        def get(key, *otherwise):
            return file.metadata.get(f"{arch}.{key}", *otherwise)

        self.weights = {name: dequantize(*tensor) for name, tensor in file.tensors.items()}
        self.layers, self.heads = get("block_count"), get("attention.head_count")
        self.kv_heads = get("attention.head_count_kv", self.heads)
        self.width = get("embedding_length")
        self.head_dim = get("attention.key_length", self.width // self.heads)
        self.hidden_size = get("feed_forward_length")
        self.rotation = Rotation(get, self.weights, self.head_dim, get("context_length"))
        self.interleaved = arch == "llama"
        self.rms = arch not in ("gpt2", "gptneox")
        self.epsilon = get("attention.layer_norm_rms_epsilon" if self.rms
                           else "attention.layer_norm_epsilon")
        gemma = arch.startswith("gemma")
        self.embedding_scale = np.sqrt(self.width) if gemma else 1.0
        self.activation = ACTIVATIONS["gelu_tanh" if gemma or arch == "gpt2"
                                      else "gelu" if arch == "gptneox" else "silu"]
        self.window = get("attention.sliding_window", 0)
        self.local = [self.window > 0] * self.layers
        self.local_rotation = self.rotation
        if arch == "gemma2":
            self.local = [i % 2 == 0 for i in range(self.layers)]
        elif arch == "gemma3":
            self.local = [self.window > 0 and (i + 1) % 6 != 0 for i in range(self.layers)]
            self.local_rotation = Rotation(
                lambda key, *otherwise: get(key, *otherwise) if key == "rope.dimension_count"
                else otherwise[0], {}, self.head_dim, 0)
        self.soft_cap = get("attn_logit_softcapping", 50.0) if arch == "gemma2" else 0
        self.final_cap = (get("final_logit_softcapping", 30.0) if arch == "gemma2"
                          else get("final_logit_softcapping", 0))
        self.parallel = arch == "gptneox" and get("use_parallel_residual", True)
        self.head = self.weights.get("output.weight", self.weights["token_embd.weight"])
        self.vocabulary = len(self.head)

    def norm(self, x, name):
        if not self.rms:
            x = x - x.mean(axis=-1, keepdims=True)
        mean_square = (x ** 2).mean(axis=-1, keepdims=True)
        y = x / np.sqrt(mean_square + self.epsilon) * self.weights[name + ".weight"]
        return y + self.weights.get(name + ".bias", 0)

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights.get(name + ".bias", 0)

    def rotate(self, x, start, rotation=None):
        """x [tokens, heads, head_dim]: the pair (2i, 2i + 1), or (i, i + dims / 2), turns by position
        times frequency i. As complex numbers."""
        rotation = rotation or self.rotation
        dims, half = rotation.dims, rotation.dims // 2
        first, second = ((x[..., 0:dims:2], x[..., 1:dims:2]) if self.interleaved
                         else (x[..., :half], x[..., half:dims]))
        angles = np.outer(start + np.arange(len(x)), rotation.frequencies)
        turned = (first + 1j * second) * (rotation.scale * np.exp(1j * angles))[:, None]
        out = x.copy()
        if self.interleaved:
            out[..., 0:dims:2], out[..., 1:dims:2] = turned.real, turned.imag
        else:
            out[..., :half], out[..., half:dims] = turned.real, turned.imag
        return out

    def attention(self, x, layer, cache):
        p, count = f"blk.{layer}.attn_", len(x)
        start = len(cache[layer][0]) if layer in cache else 0
        sizes = [self.heads * self.head_dim] + [self.kv_heads * self.head_dim] * 2
        if p + "qkv.weight" in self.weights:
            q, k, v = np.split(self.linear(x, p + "qkv"), np.cumsum(sizes)[:2], axis=1)
        else:
            q, k, v = (self.linear(x, p + name) for name in "qkv")
        q = q.reshape(count, self.heads, self.head_dim)
        k = k.reshape(count, self.kv_heads, self.head_dim)
        v = v.reshape(count, self.kv_heads, self.head_dim)
        if self.arch in ("qwen3", "gemma3"):
            q, k = self.norm(q, p + "q_norm"), self.norm(k, p + "k_norm")
        if self.arch != "gpt2":
            rotation = self.local_rotation if self.local[layer] else self.rotation
            q, k = self.rotate(q, start, rotation), self.rotate(k, start, rotation)
        if layer in cache:
            k, v = (np.concatenate(pair) for pair in zip(cache[layer], (k, v)))
        cache[layer] = k, v
        distance = start + np.arange(count)[:, None] - np.arange(len(k))[None, :]
        hidden = distance < 0
        if self.local[layer]:
            hidden |= distance >= self.window
        out = np.empty_like(q)
        for head in range(self.heads):
            group = head * self.kv_heads // self.heads
            scores = q[:, head] @ k[:, group].T / np.sqrt(self.head_dim)
            if self.soft_cap:
                scores = self.soft_cap * np.tanh(scores / self.soft_cap)
            scores[hidden] = -np.inf
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            out[:, head] = weights @ v[:, group] / weights.sum(axis=1, keepdims=True)
        return self.linear(out.reshape(count, -1), p + "output")

    def feed_forward(self, x, layer):
        p = f"blk.{layer}.ffn_"
        if self.arch == "phi3":
            gate, up = np.split(self.linear(x, p + "up"), 2, axis=1)
            return self.linear(self.activation(gate) * up, p + "down")
        if p + "gate.weight" not in self.weights:
            return self.linear(self.activation(self.linear(x, p + "up")), p + "down")
        gate = self.activation(self.linear(x, p + "gate"))
        return self.linear(gate * self.linear(x, p + "up"), p + "down")

    def hidden(self, tokens, cache=None):
        """Normalised states before the head, [tokens, embedding]; extends `cache` where given."""
        cache = {} if cache is None else cache
        x = self.weights["token_embd.weight"][np.asarray(tokens, np.int64)] * self.embedding_scale
        if self.arch == "gpt2":
            start = len(cache[0][0]) if cache else 0
            x = x + self.weights["position_embd.weight"][start:start + len(tokens)]

        def after(y, name):
            return self.norm(y, name) if name + ".weight" in self.weights else y

        for layer in range(self.layers):
            p = f"blk.{layer}."
            y = after(self.attention(self.norm(x, p + "attn_norm"), layer, cache),
                      p + "post_attention_norm")
            middle = x + y
            source = x if self.parallel else middle
            x = middle + after(self.feed_forward(self.norm(source, p + "ffn_norm"), layer),
                               p + "post_ffw_norm")
        return self.norm(x, "output_norm")

    def output(self, states):
        """Logits of states."""
        y = states @ self.head.T
        return self.final_cap * np.tanh(y / self.final_cap) if self.final_cap else y

    def logits(self, tokens):
        """[tokens, vocabulary]."""
        return self.output(self.hidden(tokens))

    def greedy(self, tokens, count):
        """The next `count` tokens by largest logit (the lowest id on ties), and by how much each
        was larger than the second."""
        cache, chosen, margins = {}, [], []
        state = self.hidden(tokens, cache)
        for _ in range(count):
            y = self.output(state[-1])
            order = np.argsort(-y, kind="stable")
            chosen.append(int(order[0]))
            margins.append(float(y[order[0]] - y[order[1]]))
            state = self.hidden(chosen[-1:], cache)
        return chosen, margins

    def perplexity(self, tokens):
        """Of tokens[1:], each given those before it."""
        y = self.logits(tokens[:-1])
        losses = [log_sum_exp(row) - row[token] for row, token in zip(y, tokens[1:])]
        return float(np.exp(np.mean(losses)))


# ---- the command -------------------------------------------------------------------------------

def describe(y, position):
    order = np.argsort(-y, kind="stable")[:10]
    return {"position": position, "top": [[int(i), float(y[i])] for i in order],
            "logsumexp": float(log_sum_exp(y)), "norm": float(np.linalg.norm(y))}


def check(model, path):
    """Compares with a file of logits; returns what differs."""
    problems = []
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    for number, case in enumerate(cases):
        y = model.logits(case["tokens"])
        for expected in case["positions"]:
            position = expected["position"]
            found = describe(y[position], position)
            for key in ("logsumexp", "norm"):
                if abs(found[key] - expected[key]) > 1e-5 * max(1, abs(expected[key])):
                    problems.append(f"case {number}, position {position}: {key} is {found[key]}, "
                                    f"expected {expected[key]}")
            for token, logit in expected["top"]:
                if abs(y[position][token] - logit) > 1e-5:
                    problems.append(f"case {number}, position {position}: logit of {token} is "
                                    f"{y[position][token]}, expected {logit}")
        if case.get("perplexity"):
            found = model.perplexity(case["tokens"])
            if abs(found / case["perplexity"] - 1) > 1e-6:
                problems.append(f"case {number}: perplexity is {found}, expected "
                                f"{case['perplexity']}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--tokens", help="ids, separated by commas")
    parser.add_argument("--greedy", type=int, default=0, metavar="N")
    parser.add_argument("--check", metavar="JSON")
    args = parser.parse_args()
    model = Model(args.model)
    if args.check:
        problems = check(model, args.check)
        print("\n".join(problems) or "all equal")
        sys.exit(1 if problems else 0)
    tokens = [int(t) for t in args.tokens.split(",")]
    y = model.logits(tokens)
    result = {"file": os.path.basename(args.model),
              "positions": [describe(row, i) for i, row in enumerate(y)]}
    if len(tokens) > 1:
        result["perplexity"] = model.perplexity(tokens)
    if args.greedy:
        result["greedy"], result["margins"] = model.greedy(tokens, args.greedy)
    json.dump(result, sys.stdout)
    print()


if __name__ == "__main__":
    main()
