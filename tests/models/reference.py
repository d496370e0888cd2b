#!/usr/bin/env python3
"""What a GGUF language model computes, in float64: the reference that tests compare with.

    reference.py MODEL.gguf --tokens 1,2,3 [--greedy N]     prints JSON
    reference.py MODEL.gguf --check logits.json             exits with 1 where a number differs

Reads the file by itself, dequantises every weight exactly, and computes plainly; shares no code with
what it tests, nor with make_gguf.py. Architecture: llama.

As a library: Model(path).logits(tokens) gives [tokens, vocabulary]; see also greedy, perplexity.
"""
import argparse
import json
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


class Model:
    def __init__(self, path):
        file = Reader(path)
        self.metadata = file.metadata
        arch = file.metadata["general.architecture"]
        if arch != "llama":
            raise ValueError(f"{path}: the reference knows the architecture llama, not {arch}")

        def get(key, *otherwise):
            return file.metadata.get("llama." + key, *otherwise)

        self.layers, self.heads = get("block_count"), get("attention.head_count")
        self.kv_heads = get("attention.head_count_kv", self.heads)
        self.head_dim = get("attention.key_length", get("embedding_length") // self.heads)
        self.rotated = get("rope.dimension_count", self.head_dim)
        self.base = get("rope.freq_base", 10000.0)
        self.epsilon = get("attention.layer_norm_rms_epsilon")
        self.weights = {name: dequantize(*tensor) for name, tensor in file.tensors.items()}
        self.head = self.weights.get("output.weight", self.weights["token_embd.weight"])
        self.vocabulary = len(self.head)

    def norm(self, x, name):
        mean_square = (x ** 2).mean(axis=1, keepdims=True)
        return x / np.sqrt(mean_square + self.epsilon) * self.weights[name + ".weight"]

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T

    def rotate(self, x, start):
        """x [tokens, heads, head_dim]: the pair (2i, 2i + 1) turns by position * base^(-2i/dims).
        As complex numbers."""
        pairs = np.arange(self.rotated // 2)
        positions = start + np.arange(len(x))
        angles = np.outer(positions, float(self.base) ** (-2 * pairs / self.rotated))
        turned = (np.ascontiguousarray(x[..., :self.rotated]).view(np.complex128)
                  * np.exp(1j * angles)[:, None])
        return np.concatenate([turned.view(np.float64), x[..., self.rotated:]], axis=2)

    def attention(self, x, layer, cache):
        p, count = f"blk.{layer}.attn_", len(x)
        start = len(cache[layer][0]) if layer in cache else 0
        q = self.linear(x, p + "q").reshape(count, self.heads, self.head_dim)
        k = self.linear(x, p + "k").reshape(count, self.kv_heads, self.head_dim)
        v = self.linear(x, p + "v").reshape(count, self.kv_heads, self.head_dim)
        q, k = self.rotate(q, start), self.rotate(k, start)
        if layer in cache:
            k, v = (np.concatenate(pair) for pair in zip(cache[layer], (k, v)))
        cache[layer] = k, v
        hidden = np.arange(len(k))[None, :] > start + np.arange(count)[:, None]
        out = np.empty_like(q)
        for head in range(self.heads):
            group = head * self.kv_heads // self.heads
            scores = q[:, head] @ k[:, group].T / np.sqrt(self.head_dim)
            scores[hidden] = -np.inf
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            out[:, head] = weights @ v[:, group] / weights.sum(axis=1, keepdims=True)
        return self.linear(out.reshape(count, -1), p + "output")

    def feed_forward(self, x, layer):
        p = f"blk.{layer}.ffn_"
        gate = self.linear(x, p + "gate")
        return self.linear(gate / (1 + np.exp(-gate)) * self.linear(x, p + "up"), p + "down")

    def hidden(self, tokens, cache=None):
        """Normalised states before the head, [tokens, embedding]; extends `cache` where given."""
        cache = {} if cache is None else cache
        x = self.weights["token_embd.weight"][np.asarray(tokens, np.int64)]
        for layer in range(self.layers):
            p = f"blk.{layer}."
            x = x + self.attention(self.norm(x, p + "attn_norm"), layer, cache)
            x = x + self.feed_forward(self.norm(x, p + "ffn_norm"), layer)
        return self.norm(x, "output_norm")

    def logits(self, tokens):
        """[tokens, vocabulary]."""
        return self.hidden(tokens) @ self.head.T

    def greedy(self, tokens, count):
        """The next `count` tokens by largest logit (the lowest id on ties), and by how much each
        was larger than the second."""
        cache, chosen, margins = {}, [], []
        state = self.hidden(tokens, cache)
        for _ in range(count):
            y = self.head @ state[-1]
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
