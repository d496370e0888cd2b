"""A compiled language model with sequences and a paged cache, for tests: pages are handed out as they
come, in shuffled order, so that nothing depends on where they lie."""
import os
import pathlib
import sys
import tempfile

import numpy as np

import relaxlib

sys.path.insert(0, str(relaxlib.ROOT / "tests/data"))
sys.path.insert(0, str(relaxlib.ROOT / "tests/models"))
import make_gguf  # noqa: E402
import reference  # noqa: E402

REAL_MODEL = os.environ.get("RELAX_TEST_MODEL")
REFERENCE_DATA = relaxlib.ROOT / "tests/data/reference/smollm2"


def hyper_parameters(gguf):
    """Layers, key heads, elements of a head, and whether some layers have a window and others not."""
    metadata = reference.Reader(str(gguf)).metadata
    arch = metadata["general.architecture"]

    def get(key, *otherwise):
        return metadata.get(f"{arch}.{key}", *otherwise)

    heads = get("attention.head_count")
    head_dim = get("attention.key_length", get("embedding_length") // heads)
    layers = get("block_count")
    # Every second layer of Gemma 2 sees everything, every sixth of Gemma 3.
    mixed = arch in ("gemma2", "gemma3") and get("attention.sliding_window", 0) > 0
    return (layers, get("attention.head_count_kv", heads), head_dim,
            mixed and layers > (1 if arch == "gemma2" else 5))


class Sequence:
    def __init__(self):
        self.length, self.pages = 0, []


class LanguageModel:
    def __init__(self, gguf, pages=64, threads=1, cache_type="f32", seed=0, artifact=None, **options):
        self.artifact = artifact or relaxlib.compile_model(gguf, cache_type=cache_type, **options)
        self.module = relaxlib.Module(self.artifact, threads=threads)
        self.step_function = self.module["step"]
        layers, kv_heads, head_dim, self.mixed = hyper_parameters(gguf)
        metadata = reference.Reader(str(gguf)).metadata
        self.window = metadata.get(metadata["general.architecture"] + ".attention.sliding_window", 0)
        self.page_size = 32
        # What is not written yet must not matter. 0x7e7e is a NaN of f16.
        dtype, nothing = {"f16": (np.float16, np.nan), "q8_0": (np.int8, 0x7e)}.get(
            cache_type, (np.float32, np.nan))
        if cache_type == "q8_0":
            head_dim += 2 * -(-head_dim // 32)
        self.cache = []
        for _ in range(layers):
            for dims in ((head_dim, self.page_size), (self.page_size, head_dim)):
                self.cache.append(np.full((pages, kv_heads, *dims), nothing, dtype))
        self.free = list(np.random.default_rng(seed).permutation(pages))

    def step(self, batch, rows=None, counts=None):
        """batch: (sequence, tokens) pairs. Logits of the rows (all by default) of the flat batch; of each
        as many of the largest as `counts` says, or all."""
        tokens, positions, starts, cached = [], [], [0], []
        for sequence, new in batch:
            cached.append(sequence.length)
            positions += range(sequence.length, sequence.length + len(new))
            tokens += new
            starts.append(len(tokens))
            sequence.length += len(new)
            while len(sequence.pages) * self.page_size < sequence.length:
                sequence.pages.append(self.free.pop())
        width = max([len(s.pages) for s, _ in batch], default=0)
        table = np.zeros((len(batch), width), np.int32)
        for row, (sequence, _) in zip(table, batch):
            row[:len(sequence.pages)] = sequence.pages
        rows = range(len(tokens)) if rows is None else rows
        as_i32 = lambda values: np.array(list(values), np.int32)  # noqa: E731
        # Layers with a window may have other pages; here they have the same, what they never read apart.
        local = [self.local_table(table, batch)] if self.mixed else []
        logits, *_ = self.step_function(as_i32(tokens), as_i32(positions), as_i32(starts), table,
                                        as_i32(cached), as_i32(rows), as_i32(counts or [0] * len(rows)),
                                        *local, *self.cache)
        return logits

    def local_table(self, table, batch):
        table = table.copy()
        for row, (sequence, new) in zip(table, batch):
            first = max(0, sequence.length - len(new) - self.window + 1)
            row[:first // self.page_size] = 0
        return table

    def logits(self, tokens, chunk=None):
        """Of all tokens of a new sequence, given in chunks."""
        sequence, parts = Sequence(), []
        for i in range(0, len(tokens), chunk or max(len(tokens), 1)):
            parts.append(self.step([(sequence, tokens[i:i + (chunk or len(tokens))])]))
        self.release(sequence)
        return np.concatenate(parts)

    def release(self, sequence):
        self.free += sequence.pages
        sequence.length, sequence.pages = 0, []


def tiny(folder=None, **options):
    """The path of a tiny random model, made once for each set of options."""
    folder = pathlib.Path(folder or tempfile.gettempdir()) / f"relax-tiny-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    name = "-".join(f"{k}={v}" for k, v in sorted(options.items())) or "default"
    path = folder / f"{name}.gguf"
    if not path.exists():
        data = path.with_suffix(f".{os.getpid()}")
        metadata, tensors = make_gguf.tiny_model(**options)
        make_gguf.write_gguf(str(data), metadata, tensors)
        data.rename(path)
    return path


def relative_error(found, expected):
    """L2 over the vocabulary, the worst row."""
    difference = np.linalg.norm(found.astype(np.float64) - expected, axis=-1)
    return float(np.max(difference / np.linalg.norm(expected, axis=-1), initial=0))
