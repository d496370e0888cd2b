#!/usr/bin/env python3
"""Relax beside llama.cpp on GGUF files, in one run, as a table: by default on the three models of
scripts/fetch_model.sh.

    bench/compare_llama_cpp.py [MODEL.gguf ...] [--prompt 128,512,2048] [--depth 0,1024,4096]
        [--generate 32] [--threads 1,2] [--rounds 3]

llama.cpp is built -march=native from the source package of `llama-cpp-python`, once, into the cache
folder. The two programs take turns, round by round, so that a slow moment of the machine meets both;
the best round of each counts, and the median stands beside it. Prompts are read into an empty cache;
tokens are given out with `depth` tokens in it. llama.cpp's weights get huge pages, as ours do. Relax
runs with 8-bit activations and a 16-bit cache, as llama.cpp does. A second table is ours alone: 8
sequences at once beside one.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tarfile
import tempfile

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


def compare(program, model, threads, arguments):
    """Every round's rate of each test of both."""
    rates = {"llama": {}, "relax": {}}
    for round_number in range(arguments.rounds):
        say(f"{model}, {threads} threads, round {round_number + 1} of {arguments.rounds}")
        for name, run in (("llama", lambda: run_llama(program, model, threads, arguments)),
                          ("relax", lambda: run_relax(model, threads, arguments))):
            for key, value in run().items():
                rates[name].setdefault(key, []).append(value)
    return rates


def several_sequences(model, threads, arguments):
    """The best rates of 1 and of 8 sequences."""
    best = {1: 0, 8: 0}
    for _ in range(arguments.rounds):
        for count in best:
            row, = relax_rows(model, threads, "--prompt", "0", "--sequences", str(count),
                              "--generate", str(arguments.generate))
            best[count] = max(best[count], row["decode_tokens_per_s"])
    return best[1], best[8]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--prompt", default="128,512,2048")
    parser.add_argument("--depth", default="0,1024,4096")
    parser.add_argument("--generate", type=int, default=32)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    models = arguments.models or [
        subprocess.run([ROOT / "scripts/fetch_model.sh", name], check=True, capture_output=True,
                       text=True).stdout.strip() for name in ("smollm2", "gemma3", "qwen2.5-coder")]
    program = llama_bench()
    print("| model | threads | test | llama.cpp, tokens/s: best (median) | Relax | ratio of the best |")
    print("|---|---|---|---|---|---|", flush=True)
    ratios, batches = {}, []
    for model in models:
        name = pathlib.Path(model).stem
        for threads in [int(t) for t in arguments.threads.split(",")]:
            rates = compare(program, model, threads, arguments)
            for key, theirs in rates["llama"].items():
                ours = rates["relax"][key]
                ratio = max(ours) / max(theirs)
                ratios.setdefault((threads, key), []).append(ratio)
                print(f"| {name} | {threads} | {key} | {max(theirs):.1f} "
                      f"({statistics.median(theirs):.1f}) | {max(ours):.1f} "
                      f"({statistics.median(ours):.1f}) | {ratio:.2f} |", flush=True)
            batches.append((name, threads, *several_sequences(model, threads, arguments)))
    if len(models) > 1:
        for (threads, key), values in ratios.items():
            print(f"| geometric mean | {threads} | {key} | | | "
                  f"{statistics.geometric_mean(values):.2f} |")
    print("\n| model | threads | one sequence, tokens/s | eight at once | ratio |")
    print("|---|---|---|---|---|")
    for name, threads, one, eight in batches:
        print(f"| {name} | {threads} | {one:.1f} | {eight:.1f} | {eight / one:.2f} |")


if __name__ == "__main__":
    main()
