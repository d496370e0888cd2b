#!/usr/bin/env python3
"""Relax beside llama.cpp on GGUF files, in one run, as a table: by default on the three models of
scripts/fetch_model.sh.

    bench/compare_llama_cpp.py [MODEL.gguf ...] [--prompt 128,512] [--generate 64] [--threads 1,2] [--rounds 3]

llama.cpp is built -march=native from the source package of `llama-cpp-python`, once, into the cache
folder. The two programs take turns, round by round, so that a slow moment of the machine meets both;
the best round of each counts. llama.cpp's weights get huge pages, as ours do. Relax runs with 8-bit
activations, as llama.cpp does.
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


def run_llama(program, model, prompts, generate, threads):
    environment = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
    output = subprocess.run(
        [program, "-m", model, "-p", ",".join(map(str, prompts)), "-n", str(generate), "-t",
         str(threads), "-r", "1", "-o", "json"], check=True, capture_output=True, env=environment)
    result = {}
    for row in json.loads(output.stdout):
        key = f"prefill {row['n_prompt']}" if row["n_prompt"] else f"decode {row['n_gen']}"
        result[key] = row["avg_ts"]
    return result


def run_relax(model, prompts, generate, threads):
    output = subprocess.run(
        [ROOT / "build/release/bin/relax", "bench", model, "--prompt",
         ",".join(map(str, prompts)), "--generate", str(generate), "--threads", str(threads),
         "--json"], check=True, capture_output=True)
    result = {}
    for row in json.loads(output.stdout):
        result[f"prefill {row['prompt']}"] = row["prefill_tokens_per_s"]
        if row["prompt"] == min(prompts):
            result[f"decode {generate}"] = row["decode_tokens_per_s"]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--prompt", default="128,512")
    parser.add_argument("--generate", type=int, default=64)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    models = arguments.models or [
        subprocess.run([ROOT / "scripts/fetch_model.sh", name], check=True, capture_output=True,
                       text=True).stdout.strip() for name in ("smollm2", "gemma3", "qwen2.5-coder")]
    prompts = [int(p) for p in arguments.prompt.split(",")]
    program = llama_bench()
    print("| model | threads | test | llama.cpp, tokens/s | Relax, tokens/s | ratio |")
    print("|---|---|---|---|---|---|")
    ratios = {}
    for model in models:
        for threads in [int(t) for t in arguments.threads.split(",")]:
            best = compare(program, model, prompts, threads, arguments)
            for key in best["llama"]:
                ours, theirs = best["relax"][key], best["llama"][key]
                ratios.setdefault((threads, key), []).append(ours / theirs)
                print(f"| {pathlib.Path(model).stem} | {threads} | {key} | {theirs:.1f} | "
                      f"{ours:.1f} | {ours / theirs:.2f} |", flush=True)
    if len(models) > 1:
        for (threads, key), values in ratios.items():
            print(f"| geometric mean | {threads} | {key} | | | "
                  f"{statistics.geometric_mean(values):.2f} |")


def compare(program, model, prompts, threads, arguments):
    """The best of each test of both."""
    best = {"llama": {}, "relax": {}}
    for round_number in range(arguments.rounds):
        say(f"{model}, {threads} threads, round {round_number + 1} of {arguments.rounds}")
        for name, run in (("llama", lambda: run_llama(program, model, prompts, arguments.generate,
                                                      threads)),
                          ("relax", lambda: run_relax(model, prompts, arguments.generate,
                                                      threads))):
            for key, value in run().items():
                best[name][key] = max(value, best[name].get(key, 0))
    return best


if __name__ == "__main__":
    main()
