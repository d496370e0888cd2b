#!/usr/bin/env python3
"""Relax beside OpenVINO GenAI on one GGUF file, in one run, as a table: by default on SmolLM2.

    bench/compare_openvino.py [MODEL.gguf] [--prompt 128,512,2048] [--generate 32] [--threads 1,2]
        [--rounds 3] [--minutes 30] [--build-only]

OpenVINO GenAI comes from PyPI, into an environment of its own in the cache folder. It reads the GGUF
file itself. Prompts are random tokens, new ones each time, because it caches prefixes. Its rates are
those that it reports: the time to the first token, and the mean time of each further one, which are
given out after the prompt; so ours are given out at the same depth. Starting is the time from the
call that loads the model until it can be used. The two take turns; the best of all rounds counts.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGES = ["openvino-genai"]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "relax/openvino"

PEER = r"""
import json, random, sys, time
import numpy, openvino, openvino_genai
model, threads, prompts, generate, vocabulary = json.loads(sys.argv[1])
start = time.monotonic()
pipeline = openvino_genai.LLMPipeline(model, "CPU", INFERENCE_NUM_THREADS=threads)
result = {"start": time.monotonic() - start}
config = openvino_genai.GenerationConfig()
config.max_new_tokens = config.min_new_tokens = generate
config.ignore_eos = True
config.do_sample = False
config.apply_chat_template = False

def run(count):
    ids = numpy.array([[random.randrange(1000, vocabulary - 1000) for _ in range(count)]])
    tokens = openvino_genai.TokenizedInputs(openvino.Tensor(ids), openvino.Tensor(numpy.ones_like(ids)))
    metrics = pipeline.generate(tokens, config).perf_metrics
    return count / metrics.get_ttft().mean * 1e3, 1e3 / metrics.get_tpot().mean

run(64)
for count in prompts:
    prefill, decode = run(count)
    result[f"prefill {count}"] = prefill
    result[f"decode after {count}"] = decode
print(json.dumps(result))
"""


def say(text):
    print(text, file=sys.stderr, flush=True)


def python():
    """The interpreter of an environment that has OpenVINO GenAI."""
    program = CACHE / "bin/python"
    if not (CACHE / "ready").exists():
        say("Installing OpenVINO GenAI")
        venv.create(CACHE, clear=True, with_pip=True)
        subprocess.run([program, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (CACHE / "ready").touch()
    return program


def run_peer(model, prompts, generate, threads, vocabulary):
    arguments = json.dumps([str(model), threads, prompts, generate, vocabulary])
    output = subprocess.run([python(), "-c", PEER, arguments], check=True, capture_output=True)
    return json.loads(output.stdout.splitlines()[-1])


def run_relax(model, prompts, generate, threads):
    def bench(*flags):
        return json.loads(subprocess.run(
            [ROOT / "build/release/bin/relax", "bench", model, "--threads", str(threads), "--repeat",
             "1", "--cache-type", "f16", "--json", *flags], check=True, capture_output=True).stdout)

    result = {}
    numbers = ",".join(map(str, prompts))
    for row in bench("--prompt", numbers, "--generate", "0"):
        result[f"prefill {row['prompt']}"] = row["prefill_tokens_per_s"]
    for row in bench("--prompt", "0", "--generate", str(generate), "--depth", numbers):
        result[f"decode after {row['depth']}"] = row["decode_tokens_per_s"]
    statistics = json.loads(subprocess.run(
        [ROOT / "build/release/bin/relax", "generate", model, "-p", "a", "-n", "1", "--threads",
         str(threads), "--json"], check=True, capture_output=True).stdout)
    result["start"] = statistics["statistics"]["load_s"]
    return result


def measure(model, best, arguments):
    """Round after round, as many as fit the time; Ctrl-C ends it, too, and what was measured stays."""
    end = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
    prompts = [int(p) for p in arguments.prompt.split(",")]
    slowest = 0
    try:
        for number in range(arguments.rounds):
            for threads, (theirs, ours) in best.items():
                if number and time.monotonic() + slowest > end:
                    return
                say(f"round {number + 1}: {threads} threads")
                start = time.monotonic()
                found = (run_peer(model, prompts, arguments.generate, threads, arguments.vocabulary),
                         run_relax(model, prompts, arguments.generate, threads))
                for kept, new in zip((theirs, ours), found):
                    for key, value in new.items():
                        kept[key] = (min if key == "start" else max)(value, kept.get(key, value))
                slowest = max(slowest, time.monotonic() - start)
    except KeyboardInterrupt:
        say("stopped")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?")
    parser.add_argument("--prompt", default="128,512,2048")
    parser.add_argument("--generate", type=int, default=32)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=0,
                        help="begin no further round that would end later; 0: no limit")
    parser.add_argument("--build-only", action="store_true", help="obtain what is needed, and leave")
    parser.add_argument("--vocabulary", type=int, default=49152, help="tokens of the model")
    arguments = parser.parse_args()
    model = arguments.model or subprocess.run(
        [ROOT / "scripts/fetch_model.sh", "smollm2"], check=True, capture_output=True,
        text=True).stdout.strip()
    python()
    if arguments.build_only:
        return
    threads = [int(t) for t in arguments.threads.split(",")]
    best = {count: ({}, {}) for count in threads}
    measure(model, best, arguments)
    print("| threads | test | OpenVINO GenAI | Relax | ratio |")
    print("|---|---|---|---|---|")
    for count, (theirs, ours) in best.items():
        for key, value in theirs.items():
            unit, ratio = ("s", value / ours[key]) if key == "start" else ("tokens/s", ours[key] / value)
            print(f"| {count} | {key}, {unit} | {value:.4g} | {ours[key]:.4g} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
