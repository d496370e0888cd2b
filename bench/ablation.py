#!/usr/bin/env python3
"""What each optimisation brings: time per token of the real models, with the optimisations added one
after the other, as tables.

    bench/ablation.py [MODEL.gguf ...] [--weights stored,float32] [--batches 1,2,4,8,16,32]
                      [--generate 8] [--prompt 16] [--rounds 3] [--again 6] [--burst 20]
                      [--threads 0] [--clock wall] [--rows FILE.json]

By default the three models of scripts/fetch_model.sh, each with its stored weights and with all of
them as float32 (bench/float32_model.py). Decoding gives out a token in each sequence of the batch at
once; prefill reads a prompt in each, all together in steps of at most 512 tokens.

Each step is measured beside the one before it: one process has both, and they take turns (relax
bench --beside), so what else the machine does meets both. A round is one such process for each pair,
of about --burst seconds a batch; which of the two is loaded first changes from round to round, since
where its weights come to lie in memory is a process's luck. A step costs what the median of its
repetitions, of all rounds, is beside the step before; of times, the best counts. Where a step then seems
to take longer than the one before it, both are measured again, up to --again rounds more. On a machine
that others use, --threads 1 --clock processor counts only what time the process had.

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
import statistics
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
KINDS = ("decode", "prefill")


def measure(build, paths, batch, repeat, arguments):
    """Microseconds per token of each of `repeat` repetitions, of decoding and of prefill, for each of
    the artifacts, which take turns."""
    rows = json.loads(build.run(
        "bench", paths[0], *(flag for path in paths[1:] for flag in ("--beside", path)),
        "--sequences", batch, "--prompt", arguments.prompt, "--generate", arguments.generate,
        "--repeat", repeat, "--threads", arguments.threads, "--json"))
    unit = "tokens_per_processor_s" if arguments.clock == "processor" else "tokens_per_s"
    return [{kind: [1e6 / rate for rate in row[f"each_{kind}_{unit}"]] for kind in KINDS}
            for row in rows]


class Rows:
    """What was measured so far: what each step of a model compiles to, the best times of that, and
    how it does beside the step before."""

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

    def digest(self, model, step):
        return (self.compiled(model, step) or {}).get("digest")

    def differs(self, model, step):
        """Does the step compile to something else than the one before?"""
        return self.digest(model, step) != self.digest(model, step - 1)

    def key(self, batch, *digests):
        return " ".join(map(str, [self.build.name, *digests, batch, *self.settings]))

    def pair_key(self, model, step, batch):
        return self.key(batch, self.digest(model, step - 1), self.digest(model, step))

    def best(self, model, step, batch):
        """{"decode", "prefill"} in microseconds per token; empty where nothing was measured."""
        return self.rows.get(self.key(batch, self.digest(model, step)), {})

    def pair(self, model, step, batch):
        """{"rounds", "decode", "prefill"}: for each repetition, how many times as long the step takes
        as the one before."""
        return self.rows.get(self.pair_key(model, step, batch),
                             {"rounds": 0, "decode": [], "prefill": []})

    def add(self, model, step, batch, before, after):
        """One more round of the pair (step - 1, step)."""
        for which, times in ((step - 1, before), (step, after)):
            key = self.key(batch, self.digest(model, which))
            known = self.rows.setdefault(key, {})
            for kind in KINDS:
                known[kind] = min([*times[kind], *([known[kind]] if kind in known else [])])
        row = self.pair(model, step, batch)
        self.rows[self.pair_key(model, step, batch)] = {"rounds": row["rounds"] + 1} | {
            kind: row[kind] + [b / a for a, b in zip(before[kind], after[kind])] for kind in KINDS}
        self.write()

    def write(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.path.with_suffix(".writing")
        scratch.write_text(json.dumps(self.rows))
        scratch.rename(self.path)


def burst(build, model, step, batch, rows, arguments):
    """Measures a step beside the one before, as often as a burst has time for."""
    paths = [rows.compile(model, step - 1), rows.compile(model, step)]
    known = [rows.best(model, which, batch) for which in (step - 1, step)]
    seconds = sum(batch * (time["decode"] * arguments.generate + time["prefill"] * arguments.prompt)
                  for time in known if time) / 1e6
    repeat = max(1, min(40, int(arguments.burst / seconds))) if all(known) else 1
    start = time.time()
    turned = rows.pair(model, step, batch)["rounds"] % 2 == 1
    times = measure(build, paths[::-1] if turned else paths, batch, repeat, arguments)
    rows.add(model, step, batch, *(times[::-1] if turned else times))
    say(f"  {STEPS[step][0]}, batch {batch}: {repeat} times in {time.time() - start:.0f} s")


def measure_all(build, models, batches, rows, arguments):
    for round_number in range(arguments.rounds):
        for model in models:
            say(f"{model.stem}, round {round_number + 1}")
            for step in range(len(STEPS)):
                rows.compile(model, step)
            for step in range(1, len(STEPS)):
                for batch in batches:
                    if (rows.differs(model, step)
                            and rows.pair(model, step, batch)["rounds"] <= round_number):
                        burst(build, model, step, batch, rows, arguments)


def measure_again(build, models, batches, rows, arguments):
    """Where a step seems to take longer than the one before."""
    for extra in range(arguments.again):
        for model in models:
            doubtful = slower_steps(model, batches, rows)
            for step, batch in sorted({(step, batch) for step, batch, _, _ in doubtful}):
                if rows.pair(model, step, batch)["rounds"] <= arguments.rounds + extra:
                    say(f"{model.stem}, again {extra + 1}")
                    burst(build, model, step, batch, rows, arguments)


def ratio(rows, model, step, batch, kind):
    """How many times as long the step takes as the one before; None where that isn't known."""
    if not rows.digest(model, step) or not rows.differs(model, step):
        return None
    found = rows.pair(model, step, batch)[kind]
    return statistics.median(found) if found else None


def slower_steps(model, batches, rows):
    """(step, batch, kind, ratio) of what takes longer than the step before."""
    found = [(step, batch, kind, ratio(rows, model, step, batch, kind))
             for step in range(1, len(STEPS)) for batch in batches for kind in KINDS]
    return [entry for entry in found if entry[3] and entry[3] > TOLERANCE]


def table(kind, model, batches, rows):
    """The lines of a table: the best times; in brackets how many times as long as the step before, and
    of what takes longer a line for each."""
    lines = ["| | " + " | ".join(f"batch {batch}" for batch in batches) + " |",
             "|---|" + "---|" * len(batches)]
    for step, (name, _) in enumerate(STEPS):
        cells = []
        for batch in batches:
            time = rows.best(model, step, batch).get(kind)
            beside = ratio(rows, model, step, batch, kind) if step else None
            cells.append((f"{time:.0f}" if time else "") + (f" ({beside:.3f})" if beside else ""))
        if step == 0 or rows.differs(model, step):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    ends = [[rows.best(model, step, batch).get(kind) for batch in batches]
            for step in (0, len(STEPS) - 1)]
    cells = [f"{first / last:.2f}" if first and last else "" for first, last in zip(*ends)]
    lines.append("| nothing / all | " + " | ".join(cells) + " |")
    for step, batch, which, beside in slower_steps(model, batches, rows):
        if which == kind:
            lines.append(f"\n{STEPS[step][0]} at batch {batch}: {beside:.3f} times as long")
    return lines


def report(models, batches, rows):
    for model in models:
        for kind in KINDS:
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
