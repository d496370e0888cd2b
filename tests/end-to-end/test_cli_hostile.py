"""The command `relax` with damaged files, wrong flags, and a machine that refuses: every run ends in
bounded time and memory (cli.py sets the limits) with a documented exit code and a message that says
where the fault is."""
import os
import random
import shutil
import struct
import unittest

import cli
from language_model import make_gguf


def after(data, name):
    """Where what follows a key or tensor name starts."""
    encoded = make_gguf.string(name)
    at = data.index(encoded)
    assert data.count(encoded) == 1, name
    return at + len(encoded)


def patched(data, at, form, *values):
    data = bytearray(data)
    struct.pack_into("<" + form, data, at, *values)
    return bytes(data)


class TensorInfo:
    """Where the fields of a tensor's info are."""

    def __init__(self, data, name):
        self.rank = after(data, name)
        self.dims = self.rank + 4
        self.type = self.dims + 8 * struct.unpack_from("<I", data, self.rank)[0]
        self.offset = self.type + 4
        self.end = self.offset + 8


class BadGguf(cli.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.data = cls.model.read_bytes()
        cls.query = TensorInfo(cls.data, "blk.0.attn_q.weight")
        cls.key = TensorInfo(cls.data, "blk.0.attn_k.weight")

    def refused(self, data, *says, commands=("inspect", "generate")):
        path = self.folder / "bad.gguf"
        path.write_bytes(data)
        for command in commands:
            flags = {"generate": ("-p", "a"), "tokenize": ("--text", "a")}.get(command, ())
            with self.subTest(command=command, says=says):
                self.fails(cli.BAD_FILE, command, path, *flags, says=(path, *says))
        self.assertFalse(list(self.cache.glob("**/*bad*")))

    def test_truncated(self):
        data, query = self.data, self.query
        tensor_infos = after(data, "tokenizer.chat_template")
        tensor_infos += 4 + 8 + len(make_gguf.CHAT_TEMPLATE)
        last = TensorInfo(data, "output_norm.weight")
        start = -(-last.end // 32) * 32
        boundaries = {0, 3, 4, 8, 16, 24, tensor_infos, query.rank, query.dims, query.type,
                      query.offset, query.end, last.end, start, len(data) - 1,
                      after(data, "tokenizer.ggml.tokens") + 4,
                      after(data, "tokenizer.ggml.tokens") + 16}
        boundaries |= set(random.Random(1).sample(range(len(data)), 100))
        for size in sorted(boundaries):
            says = ["GGUF"] if size < 4 else ["byte"]
            self.refused(data[:size], *says, commands=("generate",))
        for size in (5, last.end - 1, start, len(data) - 1):
            self.refused(data[:size], "byte")

    def test_header(self):
        self.refused(patched(self.data, 0, "4s", b"GGML"), "GGUF")
        self.refused(patched(self.data, 4, "I", 9), "byte 4", "version", "9")
        self.refused(patched(self.data, 8, "Q", 1 << 60), "byte 8", "tensor", str(1 << 60))
        self.refused(patched(self.data, 16, "Q", 1 << 60), "byte 16", "metadata", str(1 << 60))

    def test_metadata(self):
        data = self.data
        alignment = after(data, "general.alignment")
        for value in (0, 1 << 30, 33):
            self.refused(patched(data, alignment + 4, "I", value), "general.alignment", str(value))
        tokens = after(data, "tokenizer.ggml.tokens")
        self.refused(patched(data, tokens + 8, "Q", 1 << 60), "tokenizer.ggml.tokens", str(1 << 60))
        self.refused(patched(data, tokens + 16, "Q", 1 << 60), "tokenizer.ggml.tokens", str(1 << 60))
        self.refused(patched(data, tokens + 4, "I", 77), "tokenizer.ggml.tokens", "77")
        self.refused(patched(data, alignment, "I", 99), "general.alignment", "99")

    def test_tensors(self):
        data, query, key = self.data, self.query, self.key
        name = "blk.0.attn_q.weight"
        self.refused(patched(data, query.dims, "QQ", 4, 0), name, "0")
        self.refused(patched(data, query.dims, "Q", (1 << 42) + 1), name, str((1 << 42) + 1))
        self.refused(patched(data, query.dims, "QQ", 1 << 62, 1 << 62), name, str(1 << 62))
        self.refused(patched(data, query.rank, "I", 1 << 31), name, str(1 << 31))
        self.refused(patched(data, query.type, "I", 200), name, "200")
        self.refused(patched(data, query.offset, "Q", 1), name, "1")
        for offset in (1 << 62, len(data) // 32 * 32, (1 << 64) - 32):
            self.refused(patched(data, query.offset, "Q", offset), name)
        # The queries' bytes, twice.
        self.refused(patched(data, key.offset, "Q", *struct.unpack_from("<Q", data, query.offset)),
                     'tensor info ("blk.0.attn_k.weight")', "expected it after", name)
        self.refused(data.replace(make_gguf.string("blk.0.attn_k.weight"), make_gguf.string(name)),
                     name, "a second time")

    def remade(self, changes, tensors=None):
        metadata, own = make_gguf.tiny_model()
        for name, item in changes.items():
            if item is None:
                del metadata[name]
            else:
                metadata[name] = item
        path = self.folder / "remade.gguf"
        make_gguf.write_gguf(str(path), metadata, own if tensors is None else tensors(own))
        return path.read_bytes()

    def test_tokenizer(self):
        scores = self.remade({"tokenizer.ggml.scores": make_gguf.I32Array([0] * 299)})
        scores = patched(scores, after(scores, "tokenizer.ggml.scores") + 4, "I", 6)    # floats
        self.refused(scores, "tokenizer.ggml.scores", "299", "300")
        self.refused(self.remade({"tokenizer.ggml.token_type": make_gguf.I32Array([1] * 7)}),
                     "tokenizer.ggml.token_type", "7", "300")
        self.refused(self.remade({"tokenizer.ggml.eos_token_id": make_gguf.U32(300)}),
                     "tokenizer.ggml.eos_token_id", "300")
        for changes in ({"tokenizer.ggml.tokens": None, "tokenizer.ggml.token_type": None},
                        {"tokenizer.ggml.model": "morse"}, {"tokenizer.ggml.pre": "morse"},
                        {"tokenizer.ggml.merges": ["a b c", "nothing"]}):
            self.refused(self.remade(changes), "tokenizer.ggml", commands=("tokenize",))

    def test_model(self):
        u32 = make_gguf.U32
        for key, item in (("general.architecture", "weaver"), ("llama.block_count", u32(0)),
                          ("llama.block_count", u32(3)), ("llama.block_count", u32((1 << 32) - 1)),
                          ("llama.embedding_length", u32(0)), ("llama.embedding_length", u32(96)),
                          ("llama.attention.head_count", u32(0)),
                          ("llama.attention.head_count_kv", u32(3)),
                          ("llama.context_length", u32(0)), ("llama.context_length", 1 << 60),
                          ("llama.feed_forward_length", "many"),
                          ("llama.attention.layer_norm_rms_epsilon", make_gguf.F32("nan")),
                          ("llama.rope.freq_base", make_gguf.F32(-1)),
                          ("llama.rope.dimension_count", u32(15)),
                          ("llama.block_count", None)):
            with self.subTest(key=key, item=item):
                # The key is named, or what does not fit the number: a tensor or another number.
                error = self.refusal(self.remade({key: item})).err
                self.assertRegex(error, rf"{key}|blk\.|token_embd|weaver|3 key heads|15 dimensions")
        missing = self.remade({}, lambda t: {k: v for k, v in t.items() if k != "blk.1.ffn_up.weight"})
        self.refused(missing, "blk.1.ffn_up.weight", commands=("generate",))

    def refusal(self, data):
        path = self.folder / "bad.gguf"
        path.write_bytes(data)
        return self.fails(cli.BAD_FILE, "generate", path, "-p", "a", says=path)


class BadFamilies(cli.CliTest):
    """What is wrong with a model of any family is named before anything is computed."""
    FAMILIES = (dict(arch="llama"), dict(arch="qwen2"), dict(arch="qwen3"), dict(arch="gemma"),
                dict(arch="gemma2", window=20), dict(arch="gemma3", window=20), dict(arch="phi3"),
                dict(arch="gpt2", context=128), dict(arch="gptneox"))

    def refused(self, metadata, tensors, *says):
        path = self.folder / "bad.gguf"
        make_gguf.write_gguf(path, metadata, tensors)
        self.fails(cli.BAD_FILE, "generate", path, "-p", "a", says=(path, *says))

    def test_tensors(self):
        for options in self.FAMILIES:
            metadata, tensors = make_gguf.tiny_model(form="q8_0", **options)
            for name in ("token_embd.weight", "output_norm.weight", "blk.1.attn_norm.weight",
                         "blk.1.ffn_down.weight", "blk.0.attn_output.weight"):
                with self.subTest(name=name, **options):
                    self.refused(metadata, {k: v for k, v in tensors.items() if k != name}, name)
            form, (rows, columns), data = tensors["blk.0.ffn_down.weight"]
            half = (form, (rows // 2, columns), data[:len(data) // 2])
            with self.subTest(**options):
                self.refused(metadata, {**tensors, "blk.0.ffn_down.weight": half},
                             "blk.0.ffn_down.weight", f"[{rows}, {columns}]")
                self.refused(metadata, {**tensors, "blk.0.surprise.weight": half},
                             "blk.0.surprise.weight")

    def test_keys(self):
        u32, f32 = make_gguf.U32, make_gguf.F32
        for options in self.FAMILIES:
            arch = options["arch"]
            metadata, tensors = make_gguf.tiny_model(form="q8_0", **options)
            epsilon = next(k for k in metadata if k.endswith("_epsilon")).split(".", 1)[1]
            wrong = {"block_count": (None, 0, 2**31), "embedding_length": (None, 0, 96),
                     "feed_forward_length": (None, 0, 96), "context_length": (None, 0),
                     "attention.head_count": (None, 0, 3, 2**31), "attention.head_count_kv": (0, 3),
                     "attention.key_length": (0, 8), epsilon: (f32("nan"), f32("inf"), f32(-1))}
            if arch != "gpt2":
                wrong["rope.dimension_count"] = (3, 32)
                wrong["rope.freq_base"] = (f32("nan"), f32(0))
            for key, values in wrong.items():
                for item in values:
                    changed = {**metadata, f"{arch}.{key}": u32(item) if type(item) is int else item}
                    if item is None:
                        del changed[f"{arch}.{key}"]
                    with self.subTest(arch=arch, key=key, value=item):
                        self.refused(changed, tensors)

    def test_truncated(self):
        for options in self.FAMILIES:
            path = self.folder / "cut.gguf"
            make_gguf.write_gguf(path, *make_gguf.tiny_model(form="q8_0", **options))
            data = path.read_bytes()
            for size in random.Random(4).sample(range(5, len(data)), 8):
                path.write_bytes(data[:size])
                with self.subTest(size=size, **options):
                    self.fails(cli.BAD_FILE, "generate", path, "-p", "a", says=(path, "byte"))

    def test_weights_that_are_no_numbers(self):
        for options in self.FAMILIES:
            metadata, tensors = make_gguf.tiny_model(form="q8_0", **options)
            form, shape, data = tensors["output_norm.weight"]
            tensors["output_norm.weight"] = form, shape, b"\0\0\xc0\x7f" * (len(data) // 4)
            path = self.folder / "nan.gguf"
            make_gguf.write_gguf(path, metadata, tensors)
            with self.subTest(**options):
                self.fails(cli.FAILURE, "generate", path, "-p", "a", says="not a number")


class Split(cli.CliTest):
    def test_split(self):
        metadata, tensors = make_gguf.tiny_model()
        first = make_gguf.write_split(str(self.folder / "m"), metadata, tensors, 3)
        answer = self.works("generate", self.model, "-p", "hello", "-n", 8).out
        found = self.works("generate", first, "-p", "hello", "-n", 8)
        self.assertEqual(found.out, answer)
        self.assertEqual(self.works("generate", first, "-p", "hello", "-n", 8).out, answer)
        self.assertIn("in 3 files", self.works("inspect", first).text)
        self.assertIn("Nothing differs", self.works("verify", first, "--budget", 5).text)
        artifact = self.folder / "m.rlx"
        self.works("compile", first, "-o", artifact)
        self.assertEqual(self.works("generate", artifact, "-p", "hello", "-n", 8).out, answer)
        second = self.folder / "m-00002-of-00003.gguf"
        self.fails(cli.BAD_FILE, "generate", second, "-p", "a", says=("part 2 of 3", first))
        data = second.read_bytes()
        second.unlink()
        for model in (first, artifact):
            self.fails(cli.BAD_FILE, "generate", model, "-p", "a", says=second)
        other = make_gguf.write_split(str(self.folder / "n"), metadata, tensors, 4)
        shutil.copy(other.replace("n-00001", "n-00002"), second)
        self.fails(cli.BAD_FILE, "generate", first, "-p", "a", says=(second, "split.count", "4"))
        second.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        self.fails(cli.BAD_FILE, "generate", artifact, "-p", "a", says=(second, "hash"))


class BadArtifact(cli.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.artifact = cls.folder / "model.rlx"

    def setUp(self):
        if not self.artifact.exists():
            self.works("compile", self.model, "-o", self.artifact)
        self.data = self.artifact.read_bytes()

    def refused(self, data, *says):
        path = self.folder / "bad.rlx"
        path.write_bytes(data)
        self.fails(cli.BAD_FILE, "generate", path, "-p", "a", says=(path, *says))

    def test_flipped(self):
        chosen = random.Random(2).sample(range(64, len(self.data)), 140)
        for at in [*range(64), *chosen]:
            data = bytearray(self.data)
            data[at] ^= 1 << at % 8
            self.refused(data)

    def test_truncated(self):
        sizes = {0, 1, 4, 63, 64, 65, len(self.data) - 1}
        for size in sizes | set(random.Random(3).sample(range(len(self.data)), 30)):
            self.refused(self.data[:size])
        self.refused(self.data + b"\0")

    def test_weights(self):
        weights = self.folder / "weights.gguf"
        shutil.copy(self.model, weights)
        path = self.folder / "weights.rlx"
        self.works("compile", weights, "-o", path)
        generate = ("generate", path, "-p", "hello", "-n", 5, "--ignore-eos")
        answer = self.works(*generate).out
        self.assertEqual(answer, self.works("generate", self.model, *generate[2:]).out)

        weights.rename(self.folder / "away.gguf")
        self.fails(cli.BAD_FILE, *generate, says=weights)
        original = (self.folder / "away.gguf").read_bytes()
        tensor = original.rindex(b"blk.1.attn_q.weight")
        for at, says in ((len(original) - 1000, "tensor"), (tensor, "beginning")):
            data = bytearray(original)
            data[at] ^= 1
            weights.write_bytes(data)
            self.fails(cli.BAD_FILE, *generate, says=(weights, says, "hash"))
        weights.write_bytes(original[:-32])
        self.fails(cli.BAD_FILE, *generate, says=(weights, str(len(original) - 32)))
        weights.write_bytes(original)
        self.assertEqual(self.works(*generate).out, answer)

    def test_flags_of_the_compilation(self):
        self.fails(cli.USAGE, "generate", self.artifact, "-p", "a", "--activations", "int8",
                   says="compiled already")
        self.fails(cli.BAD_FILE, "compile", self.artifact, "-o", self.folder / "other.rlx",
                   says="found a compiled model")
        self.assertFalse((self.folder / "other.rlx").exists())


class Cache(cli.CliTest):
    GENERATE = ("-p", "hello", "-n", 5, "--ignore-eos")

    def generate(self, **options):
        return self.works("generate", self.model, *self.GENERATE, **options)

    def test_damaged(self):
        answer = self.generate().out
        (path, good), = self.cached().items()
        for bad in (good[:len(good) // 2], good[:-1] + bytes([good[-1] ^ 1])):
            path.write_bytes(bad)
            again = self.generate()
            self.assertEqual(again.out, answer)
            self.assertIn("compiling again", again.err)
            self.assertEqual(len(self.cached()[path]), len(good))
            self.assertNotIn("compiling again", self.generate().err)

    def test_unwritable(self):
        answer = self.generate().out
        for folder in ("/proc", self.model):               # refuse root too
            found = self.generate(cache=folder)
            self.assertEqual(found.out, answer)
            self.assertIn("not kept", found.err)
            self.assertIn(str(folder), found.err)

    def test_full_disk(self):
        answer = self.generate().out
        (_, good), = self.cached().items()
        cache = self.folder / "full"
        # Too little for the compiler's own temporary files; enough for those, but not for the cache.
        self.fails(cli.FAILURE, "generate", self.model, *self.GENERATE, cache=cache, file_size=1000,
                   says="File too large")
        found = self.generate(cache=cache, file_size=len(good) - 1000)
        self.assertEqual(found.out, answer)
        for part in ("not kept", cache, "File too large"):
            self.assertIn(str(part), found.err)
        self.assertFalse([f for f in cache.glob("relax/compiled/**/*") if f.is_file()])
        found = self.generate(cache=cache)
        self.assertEqual(found.out, answer)
        self.assertEqual(found.err, "")
        path = self.folder / "full.rlx"
        self.fails(cli.FAILURE, "compile", self.model, "-o", path, file_size=len(good) - 1000,
                   says=(path, "File too large"))
        self.assertFalse(list(self.folder.glob("full.rlx*")))


class BadInput(cli.CliTest):
    def usage(self, *args, says=(), **options):
        return self.fails(cli.USAGE, "generate", self.model, *args, says=says, **options)

    def test_prompts(self):
        (self.folder / "empty").write_bytes(b"")
        self.usage("-p", "", says="empty")
        self.usage("-f", self.folder / "empty", says=("empty", self.folder))
        self.usage("-f", "-", says="empty")
        (self.folder / "bad.txt").write_bytes(b"good \xc3\x28")
        self.usage("-p", b"good \xc3\x28", says=("prompt", "0xc3", "offset 5"))
        self.usage("-f", self.folder / "bad.txt", says=(self.folder / "bad.txt", "0xc3", "offset 5"))
        self.fails(cli.USAGE, "tokenize", self.model, "--text", b"\xff", says=("0xff", "offset 0"))
        self.fails(cli.USAGE, "perplexity", self.model, "-f", self.folder / "bad.txt", says="0xc3")
        self.fails(cli.USAGE, "perplexity", self.model, "-f", self.folder / "empty", says="0 tokens")
        self.fails(cli.USAGE, "chat", self.model, stdin=b"\xff\xfe\n", says="0xff")
        self.fails(cli.USAGE, "chat", self.model, stdin=b"/system \xff\nhi\n", says="0xff")
        self.fails(cli.USAGE, "chat", self.model, "--system", b"\xff", says=("--system", "0xff"))
        self.fails(cli.USAGE, "chat", self.model, "-m", "", says="empty")
        for command in ("generate", "tokenize", "perplexity"):
            self.fails(cli.USAGE, command, self.model, "-f", "/dev/zero", says="bytes of text")

    def test_context(self):
        self.usage("-p", "x" * 100, "--context", 64, says=("100", "64"))
        self.usage("--tokens", ",".join(["5"] * 4097), says=("4097", "4096"))
        # More than it was trained with is a warning; more than there can be memory for is refused.
        self.assertIn("5000 tokens is longer than the 4096", self.works(
            "generate", self.model, "-p", "a", "-n", 1, "--context", 5000).err)
        self.fails(cli.FAILURE, "generate", self.model, "-p", "a", "--context", 2**31 - 1,
                   says=(2**31 - 1, "GiB", "tokens would fit"))
        short = make_gguf.tiny_model(arch="gpt2", context=128)
        make_gguf.write_gguf(self.folder / "gpt2.gguf", *short)
        self.fails(cli.USAGE, "generate", self.folder / "gpt2.gguf", "-p", "a", "--context", 129,
                   says=("129", "128", "position"))
        self.fails(cli.USAGE, "chat", self.model, "--context", 64, stdin=b"x" * 100, says="64")
        full = self.works("generate", self.model, "-p", "x" * 60, "--context", 64, "--ignore-eos")
        self.assertIn("context of 64", full.err)

    def test_tokens(self):
        for text in ("", " ", ",", "1,,2", "1,", "a", "1;2", "-1", "1.5", "300", "9" * 30, b"\xff"):
            for command in ("generate", "eval", "detokenize"):
                result = self.fails(cli.USAGE, command, self.model, "--tokens", text, says="--tokens")
                if text == "300":
                    self.assertIn("299", result.err)
        for text in ("", "x", "2", "0,5", "all,1"):
            self.fails(cli.USAGE, "eval", self.model, "--tokens", "1,2", "--positions", text,
                       says="--positions")

    def test_numbers(self):
        for flag, values in (("--temperature", ("nan", "inf", "-1", "hot", "")),
                             ("--top-k", ("-1", "1.5", "x", str(1 << 63), "9" * 20, "1" * 400)), ("--top-p", ("0", "1.1", "nan")),
                             ("--min-p", ("-0.1", "2", "nan")), ("--seed", ("x", "1.5", "9" * 20)),
                             ("-n", ("-1", str(1 << 40), "x")), ("--threads", ("-1", "100000")),
                             ("--context", ("-1", "x")), ("--activations", ("int4", "")),
                             ("--cache-type", ("f8",))):
            for value in values:
                self.usage("-p", "a", f"{flag}={value}" if len(flag) > 2 else f"{flag}{value}",
                           says=flag.lstrip("-"))
        for top_k in (9_999_999, 1 << 62):
            self.works("generate", self.model, "-p", "a", "-n", 2, "--temperature", 1, "--top-k", top_k)
        cold, greedy = (self.works("generate", self.model, "-p", "a", "-n", 20, "--temperature", t).out
                        for t in (1e-6, 0))
        self.assertEqual(cold, greedy)
        self.works("generate", self.model, "-p", "a", "-n", 2, "--temperature", 1e300)
        self.fails(cli.USAGE, "compile", self.model, "-o", "x.rlx", "--target", "pdp-11",
                   says=("--target", "pdp-11", "x86-64-v3"))
        self.fails(cli.USAGE, "compile", self.model, "-o", "x.rlx", "--activations", "int4",
                   says="--activations")
        for flag, value in (("--prompt", "a"), ("--prompt", ""), ("--threads", "-1"),
                            ("--generate", "-1"), ("--repeat", "0"), ("--depth", "5000"),
                            ("--sequences", "0")):
            self.fails(cli.USAGE, "bench", self.model, f"{flag}={value}")

    def test_files(self):
        text, empty = self.folder / "text.txt", self.folder / "empty.gguf"
        pipe = self.folder / "pipe.gguf"
        text.write_text("These are words.\n")
        empty.write_bytes(b"")
        os.mkfifo(pipe)
        missing = self.folder / "missing.gguf"
        for path in (missing, self.folder, text, empty, pipe, "/dev/zero", text / "x.gguf"):
            for command, *flags in (("generate", "-p", "a"), ("chat",), ("eval", "--tokens", "1"),
                                    ("inspect",), ("tokenize", "--text", "a"),
                                    ("compile", "-o", self.folder / "out.rlx"),
                                    ("bench",), ("detokenize", "--tokens", "1")):
                self.fails(cli.BAD_FILE, command, path, *flags, says=path)
        for path in (missing, self.folder):
            self.fails(cli.BAD_FILE, "generate", self.model, "-f", path, says=path)
            self.fails(cli.BAD_FILE, "perplexity", self.model, "-f", path, says=path)
        program = self.folder / "bad.mlir"
        program.write_text("func.func @main() {\n  relax.wat\n}\n")
        for command, *flags in (("inspect",), ("compile", "-o", self.folder / "out.rlx")):
            self.fails(cli.BAD_FILE, command, program, *flags, says=f"{program}:2:")
        self.assertFalse((self.folder / "out.rlx").exists())

    def test_names(self):
        # A model is known by its bytes; a name that JSON can't carry is refused, not changed.
        shutil.copy(self.model, self.folder / "no ending")
        shutil.copy(self.model, os.fsencode(self.folder) + b"/\xff.gguf")
        self.works("generate", self.folder / "no ending", "-p", "a", "-n", 1)
        self.fails(cli.USAGE, "generate", os.fsencode(self.folder) + b"/\xff.gguf", "-p", "a",
                   says="expected UTF-8")

    def test_output(self):
        for folder in ("/proc/none", self.folder / "none"):
            self.fails(cli.FAILURE, "compile", self.model, "-o", f"{folder}/x.rlx", says=folder)
        # Neither a folder nor the model is replaced.
        for output in (self.folder, self.model):
            before = self.model.read_bytes()
            self.fails(cli.FAILURE, "compile", self.model, "-o", output, says="can't be written: it is")
            self.assertEqual(self.model.read_bytes(), before)
        with open("/dev/full", "wb") as full:
            result = self.relax("generate", self.model, "-p", "a", "-n", 3, stdout=full)
            self.assertEqual(result.code, cli.FAILURE)
            self.assertIn("standard output", result.err)
        ours, theirs = os.pipe()
        os.close(ours)                                     # nobody reads
        with os.fdopen(theirs, "wb") as nobody:
            result = self.relax("inspect", self.model, "--all", stdout=nobody)
        self.assertEqual(result.code, cli.FAILURE)
        self.assertIn("standard output", result.err)


if __name__ == "__main__":
    unittest.main()
