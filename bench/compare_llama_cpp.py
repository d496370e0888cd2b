#!/usr/bin/env python3
"""Relax beside llama.cpp on GGUF files, in one run, as a table: by default on the three models of
scripts/fetch_model.sh.

    bench/compare_llama_cpp.py [MODEL.gguf ...] [--prompt 128,512,2048] [--depth 0,1024,4096]
        [--generate 32] [--threads 1,2] [--rounds 3] [--minutes 30] [--build-only]

llama.cpp is built -march=native from the source package of `llama-cpp-python`, once, into the cache
folder. The two programs take turns, round by round, so that a slow moment of the machine meets both;
the best round of each counts, and the median stands beside it. Prompts are read into an empty cache;
tokens are given out with `depth` tokens in it. llama.cpp's weights get huge pages, as ours do. Relax
runs with 8-bit activations and a 16-bit cache, as llama.cpp does. A second table is ours alone: 8
sequences at once beside one. The first round is always whole, for all models and threads; further
ones are begun while the minutes last.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = "llama-cpp-python==0.3.36"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "relax/llama.cpp"
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DGGML_NATIVE=ON", "-DLLAMA_CURL=OFF",
           "-DLLAMA_OPENSSL=OFF", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF",
           "-DLLAMA_BUILD_SERVER=OFF"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def llama_bench():
    """The path of llama-bench, built if need be."""
    program = CACHE / "build/bin/llama-bench"
    if program.exists():
        return program
    say("Building llama.cpp from the source package (about ten minutes on two cores)")
    CACHE.mkdir(parents=True, exist_ok=True)
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        sys.exit("cmake and ninja are needed: scripts/install_packages.sh")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                        "--no-binary", "llama-cpp-python", "--dest", folder, PACKAGE], check=True)
        with tarfile.open(next(pathlib.Path(folder).glob("*.tar.gz"))) as archive:
            archive.extractall(CACHE, filter="data")
    source = next(CACHE.glob("llama_cpp_python-*/vendor/llama.cpp"))
    subprocess.run(["cmake", "-S", source, "-B", CACHE / "build", "-G", "Ninja", *OPTIONS],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", CACHE / "build", "llama-bench"], check=True,
                   stdout=subprocess.DEVNULL)
    return program


def run_llama(program, model, threads, arguments):
    """Tokens per second, by test."""
    environment = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")

    def rows(*flags):
        return json.loads(subprocess.run(
            [program, "-m", model, "-t", str(threads), "-r", "1", "-o", "json", *flags], check=True,
            capture_output=True, env=environment).stdout)

    result = {}
    for row in rows("-p", arguments.prompt, "-n", "0"):
        result[f"prefill {row['n_prompt']}"] = row["avg_ts"]
    for row in rows("-p", "0", "-n", str(arguments.generate), "-d", arguments.depth):
        result[f"decode at {row['n_depth']}"] = row["avg_ts"]
    return result


def relax_rows(model, threads, *flags):
    return json.loads(subprocess.run(
        [ROOT / "build/release/bin/relax", "bench", model, "--threads", str(threads), "--repeat", "1",
         "--cache-type", "f16", "--json", *flags], check=True, capture_output=True).stdout)


def run_relax(model, threads, arguments):
    result = {}
    for row in relax_rows(model, threads, "--prompt", arguments.prompt, "--generate", "0"):
        result[f"prefill {row['prompt']}"] = row["prefill_tokens_per_s"]
    for row in relax_rows(model, threads, "--prompt", "0", "--generate", str(arguments.generate),
                          "--depth", arguments.depth):
        result[f"decode at {row['depth']}"] = row["decode_tokens_per_s"]
    return result


class Comparison:
    """One model with one number of threads: the rates of all rounds so far."""

    def __init__(self, program, model, threads):
        self.program, self.model, self.threads = program, model, threads
        self.name = pathlib.Path(model).stem
        self.seconds = 0        # Of the slowest round.
        self.rates = {"llama": {}, "relax": {}}
        self.sequences = {1: [], 8: []}

    def round(self, arguments):
        start = time.monotonic()
        for name, run in (("llama", lambda: run_llama(self.program, self.model, self.threads, arguments)),
                          ("relax", lambda: run_relax(self.model, self.threads, arguments))):
            for key, value in run().items():
                self.rates[name].setdefault(key, []).append(value)
        for count, found in self.sequences.items():
            row, = relax_rows(self.model, self.threads, "--prompt", "0", "--sequences", str(count),
                              "--generate", str(arguments.generate))
            found.append(row["decode_tokens_per_s"])
        self.seconds = max(self.seconds, time.monotonic() - start)

    def rows(self):
        """Test, rates of llama.cpp, rates of ours."""
        return [(key, theirs, self.rates["relax"][key]) for key, theirs in self.rates["llama"].items()]


def measure(comparisons, arguments):
    """Round after round, as many as fit the time; Ctrl-C ends it, too, and what was measured stays."""
    end = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
    try:
        for number in range(arguments.rounds):
            for comparison in comparisons:
                if number and time.monotonic() + comparison.seconds > end:
                    continue
                say(f"round {number + 1}: {comparison.name}, {comparison.threads} threads")
                comparison.round(arguments)
    except KeyboardInterrupt:
        say("stopped")


def report(comparisons):
    print("| model | threads | rounds | test | llama.cpp, tokens/s: best (median) | Relax "
          "| ratio of the best |")
    print("|---|---|---|---|---|---|---|")
    ratios = {}
    for c in comparisons:
        for key, theirs, ours in c.rows():
            ratio = max(ours) / max(theirs)
            ratios.setdefault((c.threads, key), []).append(ratio)
            print(f"| {c.name} | {c.threads} | {len(ours)} | {key} | {max(theirs):.1f} "
                  f"({statistics.median(theirs):.1f}) | {max(ours):.1f} "
                  f"({statistics.median(ours):.1f}) | {ratio:.2f} |")
    if len({c.model for c in comparisons}) > 1:
        for (threads, key), values in ratios.items():
            print(f"| geometric mean | {threads} | | {key} | | | "
                  f"{statistics.geometric_mean(values):.2f} |")
    print("\n| model | threads | one sequence, tokens/s | eight at once | ratio |")
    print("|---|---|---|---|---|")
    for c in comparisons:
        one, eight = (max(found) for found in c.sequences.values())
        print(f"| {c.name} | {c.threads} | {one:.1f} | {eight:.1f} | {eight / one:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--prompt", default="128,512,2048")
    parser.add_argument("--depth", default="0,1024,4096")
    parser.add_argument("--generate", type=int, default=32)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=0,
                        help="begin no further round that would end later; 0: no limit")
    parser.add_argument("--build-only", action="store_true", help="obtain what is needed, and leave")
    arguments = parser.parse_args()
    models = arguments.models or [
        subprocess.run([ROOT / "scripts/fetch_model.sh", name], check=True, capture_output=True,
                       text=True).stdout.strip() for name in ("smollm2", "gemma3", "qwen2.5-coder")]
    program = llama_bench()
    if arguments.build_only:
        return
    comparisons = [Comparison(program, model, int(threads)) for model in models
                   for threads in arguments.threads.split(",")]
    measure(comparisons, arguments)
    report([c for c in comparisons if all(c.sequences.values())])


if __name__ == "__main__":
    main()
