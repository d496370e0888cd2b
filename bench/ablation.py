#!/usr/bin/env python3
"""What each optimisation brings: time per token of the real models, with the optimisations added one
after the other, as tables.

    bench/ablation.py [MODEL.gguf ...] [--weights stored,float32] [--batches 1,2,4,8,16,32]
                      [--generate 8] [--prompt 16] [--rounds 3] [--again 6] [--burst 20]
                      [--threads 0] [--clock wall] [--rows FILE.json]

By default the three models of scripts/fetch_model.sh, each with its stored weights and with all of
them as float32 (bench/float32_model.py). Decoding gives out a token in each sequence of the batch at
once; prefill reads a prompt in each, all together in steps of at most 512 tokens.

The steps take turns, round by round, in bursts of about --burst seconds, so that what else the
machine does is no step's own misfortune; the best time of all rounds counts. Where a step then seems
to take longer than the one before it, both are measured again, up to --again rounds more: the least
time of each comes nearer to what it takes on an idle machine, whatever the first rounds met. On a
machine that others use, --threads 1 --clock processor counts only what time the process had.

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


def in_float32(model):
    from float32_model import float32_model  # Which needs NumPy.
    return float32_model(model)


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


# Longer takes no step by chance.
TOLERANCE = 1.02


def measure(build, path, batches, repeat, arguments):
    """Microseconds per token of decoding and of prefill, for each batch, the best of `repeat`."""
    rows = json.loads(build.run(
        "bench", path, "--sequences", ",".join(map(str, batches)), "--prompt", arguments.prompt,
        "--generate", arguments.generate, "--repeat", repeat, "--threads", arguments.threads,
        "--json"))
    unit = "tokens_per_processor_s" if arguments.clock == "processor" else "tokens_per_s"
    return {row["sequences"]: (1e6 / row[f"best_decode_{unit}"], 1e6 / row[f"best_prefill_{unit}"])
            for row in rows}


class Rows:
    """What was measured so far: of each step of a model what it compiles to, and the times of that."""

    def __init__(self, path, build, arguments):
        self.path, self.build = path, build
        self.settings = [arguments.prompt, arguments.generate, arguments.threads, arguments.clock]
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


def expected_seconds(rows, model, step, batches, arguments):
    """How long one repetition takes, by what was measured before; 0 where nothing was."""
    times = [rows.times(model, step, batch) for batch in batches]
    if any(time["rounds"] == 0 for time in times):
        return 0
    return sum(batch * (time["decode"] * arguments.generate + time["prefill"] * arguments.prompt)
               for batch, time in zip(batches, times)) / 1e6


def burst(build, model, step, batches, rows, arguments):
    """Measures these batches of a step, as often as a burst has time for."""
    path = rows.compile(model, step)
    seconds = expected_seconds(rows, model, step, batches, arguments)
    repeat = max(1, min(8, int(arguments.burst / seconds))) if seconds else 1
    start = time.time()
    for batch, times in measure(build, path, batches, repeat, arguments).items():
        rows.add(model, step, batch, *times)
    say(f"  {STEPS[step][0]}, batch {','.join(map(str, batches))}: {repeat} times in "
        f"{time.time() - start:.0f} s")


def measure_all(build, models, batches, rows, arguments):
    for round_number in range(arguments.rounds):
        for model in models:
            say(f"{model.stem}, round {round_number + 1}")
            for step in range(len(STEPS)):
                rows.compile(model, step)
                missing = [batch for batch in batches
                           if rows.times(model, step, batch)["rounds"] <= round_number]
                if missing:
                    burst(build, model, step, missing, rows, arguments)


def measure_again(build, models, batches, rows, arguments):
    """Where a step seems to take longer than the one before."""
    for extra in range(arguments.again):
        for model in models:
            doubtful = slower_steps(model, batches, rows)
            limit = arguments.rounds + extra
            for step in sorted({step for step, _, _, _ in doubtful}):
                some = sorted({batch for s, batch, _, _ in doubtful if s == step
                               and rows.times(model, s, batch)["rounds"] <= limit})
                if some:
                    say(f"{model.stem}, again {extra + 1}")
                    burst(build, model, step - 1, some, rows, arguments)
                    burst(build, model, step, some, rows, arguments)


def slower_steps(model, batches, rows):
    """(step, batch, kind, ratio) of what takes longer than the step before."""
    found = []
    for step in range(1, len(STEPS)):
        for batch in batches:
            before, after = rows.times(model, step - 1, batch), rows.times(model, step, batch)
            found += [(step, batch, kind, after[kind] / before[kind]) for kind in ("decode", "prefill")
                      if kind in before and kind in after and after[kind] > TOLERANCE * before[kind]]
    return found


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
    for step, batch, which, ratio in slower_steps(model, batches, rows):
        if which == kind:
            lines.append(f"\n{STEPS[step][0]} at batch {batch}: {ratio:.2f} times as long")
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
    parser.add_argument("--again", type=int, default=6)
    parser.add_argument("--burst", type=float, default=20)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall")
    parser.add_argument("--rows", type=pathlib.Path, default=CACHE / "ablation.json")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    stored = arguments.models or [
        pathlib.Path(subprocess.run([ROOT / "scripts/fetch_model.sh", name], check=True,
                                    capture_output=True, text=True).stdout.strip())
        for name in ("smollm2", "gemma3", "qwen2.5-coder")]
    models = [model if weights == "stored" else in_float32(model)
              for model in stored for weights in arguments.weights.split(",")]
    batches = [int(batch) for batch in arguments.batches.split(",")]
    build = Build(arguments.build)
    rows = Rows(arguments.rows, build, arguments)
    if not arguments.report:
        measure_all(build, models, batches, rows, arguments)
        measure_again(build, models, batches, rows, arguments)
    report(models, batches, rows)


if __name__ == "__main__":
    main()
