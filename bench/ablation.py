#!/usr/bin/env python3
"""What each optimisation brings: time per token of the real models, with the optimisations added one
after the other, as tables.

    bench/ablation.py [MODEL.gguf ...] [--weights stored,float32] [--batches 1,2,4,8,16,32]
                      [--generate 8] [--prompt 16] [--rounds 3] [--threads 0] [--rows FILE.json]

By default the three models of scripts/fetch_model.sh, each with its stored weights and with all of
them as float32 (bench/float32_model.py). Decoding gives out a token in each sequence of the batch at
once; prefill reads a prompt in each, all together in steps of at most 512 tokens. The steps take
turns, round by round, and the best round counts.

What was measured is kept in the file of rows (by default ablation.json in the cache folder), so that
the script can be stopped, and run again, and goes on; a row counts for the build that it was measured
with only. Steps that compile to the same bytes share their rows. --report prints the tables of what
there is, and measures nothing.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

from float32_model import float32_model

ROOT = pathlib.Path(__file__).resolve().parents[1]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "relax"

# Each step is the one before with these optimisations on, too.
STEPS = [
    # One kernel for each op of the graph, decoding a weight among them; every tensor comes from the
    # pool. What is not in this list is on, such as common subexpressions.
    ("nothing", []),
    # Decoding becomes a part of the product, which then computes on packed weights.
    ("+ fusion", ["claim-contractions", "group-kernels"]),
    ("+ libraries", ["claim-library"]),
    ("+ planning", ["plan-memory", "outline-regions"]),
    ("+ replay", ["capture-launches"]),
]


def say(text):
    print(text, file=sys.stderr, flush=True)


def disabled_at(step):
    """The passes that are off at a step, and whether libraries may be called."""
    off = [name for _, passes in STEPS[step + 1:] for name in passes]
    return [name for name in off if name != "claim-library"], "claim-library" in off


def digest(*paths):
    state = hashlib.sha256()
    for path in paths:
        state.update(path.read_bytes())
    return state.hexdigest()[:12]


class Build:
    """The compiler and runtime that are measured."""

    def __init__(self, folder):
        self.relax = folder / "bin/relax"
        self.name = digest(self.relax, folder / "lib/librelax_compiler.so")
        self.folder = CACHE / "ablation" / self.name

    def run(self, *arguments):
        done = subprocess.run([self.relax, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"relax {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def artifact(self, model, step):
        """The compiled model."""
        disabled, no_libraries = disabled_at(step)
        left_out = ["libraries"] * no_libraries + disabled
        path = self.folder / (model.stem + "".join(f".no-{name}" for name in left_out) + ".rlx")
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            flags = ["--disable-pass", ",".join(disabled)] if disabled else []
            self.run("compile", model, "-o", path, "--context", 1024, *flags, "--libraries",
                     "none" if no_libraries else "onednn")
        return path

    def kernels(self, path):
        """Calls of kernels in a step, and layers."""
        found = json.loads(self.run("inspect", path, "--json"))
        step = next(f for f in found["functions"] if f["name"] == "step")
        layers = next(value for key, value in found["metadata"].items()
                      if key.endswith("block_count"))
        return step["kernel_calls"], layers


def measure(build, path, batches, arguments):
    """Microseconds per token of decoding and of prefill, for each batch."""
    rows = json.loads(build.run(
        "bench", path, "--sequences", ",".join(map(str, batches)), "--prompt", arguments.prompt,
        "--generate", arguments.generate, "--repeat", 1, "--threads", arguments.threads, "--json"))
    return {row["sequences"]: (1e6 / row["best_decode_tokens_per_s"],
                               1e6 / row["best_prefill_tokens_per_s"]) for row in rows}


class Rows:
    """What was measured so far: of each step of a model what it compiles to, and the times of that."""

    def __init__(self, path, build, arguments):
        self.path, self.build = path, build
        self.settings = [arguments.prompt, arguments.generate, arguments.threads]
        self.rows = json.loads(path.read_text()) if path.exists() else {}

    def compiled(self, model, step):
        """{"digest", "kernels", "layers"} of what the step compiles to, or None."""
        return self.rows.get(f"{self.build.name} {model.stem} {STEPS[step][0]}")

    def compile(self, model, step):
        """The artifact."""
        path = self.build.artifact(model, step)
        if not self.compiled(model, step):
            kernels, layers = self.build.kernels(path)
            self.rows[f"{self.build.name} {model.stem} {STEPS[step][0]}"] = {
                "digest": digest(path), "kernels": kernels, "layers": layers}
            self.write()
        return path

    def key(self, model, step, batch):
        name = (self.compiled(model, step) or {}).get("digest")
        return " ".join(map(str, [self.build.name, name, batch, *self.settings]))

    def times(self, model, step, batch):
        """{"rounds", "decode", "prefill"} in microseconds per token; no rounds where there are none."""
        return self.rows.get(self.key(model, step, batch), {"rounds": 0})

    def add(self, model, step, batch, decode, prefill):
        """One more round; the best times count."""
        row = self.times(model, step, batch)
        self.rows[self.key(model, step, batch)] = {
            "rounds": row["rounds"] + 1, "decode": min(decode, row.get("decode", decode)),
            "prefill": min(prefill, row.get("prefill", prefill))}
        self.write()

    def write(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.path.with_suffix(".writing")
        scratch.write_text(json.dumps(self.rows, indent=1))
        scratch.rename(self.path)


def measure_all(build, models, batches, rows, arguments):
    start, done, total = time.time(), 0, arguments.rounds * len(models) * len(STEPS)
    for round_number in range(arguments.rounds):
        for model in models:
            for step, (name, _) in enumerate(STEPS):
                done += 1
                path = rows.compile(model, step)
                missing = [batch for batch in batches
                           if rows.times(model, step, batch)["rounds"] <= round_number]
                if not missing:
                    continue
                say(f"[{done}/{total}, {time.time() - start:.0f} s] {model.stem}, {name}, "
                    f"round {round_number + 1}")
                for batch, times in measure(build, path, missing, arguments).items():
                    rows.add(model, step, batch, *times)


def table(kind, model, batches, rows):
    """The lines of a table, and of what takes longer than the step before."""
    times = [[rows.times(model, step, batch).get(kind) for batch in batches]
             for step in range(len(STEPS))]
    ratios = [f"{first / last:.2f}" if first and last else ""
              for first, last in zip(times[0], times[-1])]
    lines = ["| | " + " | ".join(f"batch {batch}" for batch in batches) + " |",
             "|---|" + "---|" * len(batches)]
    for (name, _), row in zip(STEPS, times):
        cells = [f"{value:.0f}" if value else "" for value in row]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines.append("| nothing / all | " + " | ".join(ratios) + " |")
    for step in range(1, len(STEPS)):
        for batch, before, after in zip(batches, times[step - 1], times[step]):
            if before and after and after > 1.02 * before:
                lines.append(f"\n{STEPS[step][0]} at batch {batch}: {after / before:.2f} times as long")
    return lines


def report(models, batches, rows):
    for model in models:
        for kind in ("decode", "prefill"):
            print(f"\n{model.stem}, {kind}, microseconds a token:\n")
            print("\n".join(table(kind, model, batches, rows)))
    print("\n| kernels a layer | " + " | ".join(name for name, _ in STEPS) + " |")
    print("|---|" + "---|" * len(STEPS))
    for model in models:
        counts = [rows.compiled(model, step) for step in range(len(STEPS))]
        cells = [f"{count['kernels'] / count['layers']:.1f}" if count else "" for count in counts]
        print(f"| {model.stem} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--weights", default="stored,float32")
    parser.add_argument("--batches", default="1,2,4,8,16,32")
    parser.add_argument("--generate", type=int, default=8)
    parser.add_argument("--prompt", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rows", type=pathlib.Path, default=CACHE / "ablation.json")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    stored = arguments.models or [
        pathlib.Path(subprocess.run([ROOT / "scripts/fetch_model.sh", name], check=True,
                                    capture_output=True, text=True).stdout.strip())
        for name in ("smollm2", "gemma3", "qwen2.5-coder")]
    models = [model if weights == "stored" else float32_model(model)
              for model in stored for weights in arguments.weights.split(",")]
    batches = [int(batch) for batch in arguments.batches.split(",")]
    build = Build(arguments.build)
    rows = Rows(arguments.rows, build, arguments)
    if not arguments.report:
        measure_all(build, models, batches, rows, arguments)
    report(models, batches, rows)


if __name__ == "__main__":
    main()
