#!/usr/bin/env python3
"""Checks sources with clang-tidy: scripts/clang_tidy.py [FILE or FOLDER...], the whole tree by default.

A file that passed isn't checked again until it, a header of this project that it includes, its flags or
.clang-tidy change: so a second run takes seconds. Uses the release build for the flags, generated and
precompiled headers, and for what each file includes. Needs the package clang-tidy-22."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
PASSED = ROOT / "build/tidy"
FOLDERS = ("runtime", "compiler", "models", "llm", "tools")


def build_what_is_included():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    precompiled = [f"relax_{kind}_pch" for kind in ("Standard", "Mlir", "Tool")]
    subprocess.run(["cmake", "--build", BUILD, "--target", *precompiled, "relax_dialect_tablegen",
                    "relax_artifact"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def commands():
    """Of each source file, how it is compiled."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        found[os.path.realpath(os.path.join(entry["directory"], entry["file"]))] = entry
    return found


def included():
    """Of each object, the files of this project that went into it when it was last built."""
    found, current = {}, None
    listing = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        if not line.startswith(" "):
            current = found.setdefault(line.partition(": #deps")[0], [])
        elif not line.strip().startswith("/usr/"):
            current.append(BUILD / line.strip())
    return found


class Fingerprints:
    """What a file's verdict depends on, as a hash; none if it was never built."""

    def __init__(self):
        self.commands, self.included, self.contents = commands(), included(), {}

    def content(self, path):
        if path not in self.contents:
            self.contents[path] = hashlib.sha256(path.read_bytes()).digest() if path.exists() else b""
        return self.contents[path]

    def of(self, path):
        command = self.commands[str(path)]
        words = shlex.split(command["command"])
        needed = self.included.get(words[words.index("-o") + 1])
        if needed is None:
            return None
        whole = hashlib.sha256(command["command"].encode() + self.content(ROOT / ".clang-tidy"))
        for file in [path, *sorted(needed)]:
            whole.update(self.content(file))
        return whole.hexdigest()


def chosen(paths, known):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *paths], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in listed if name.endswith(".cpp") and str(ROOT / name) in known]


def check(path):
    done = subprocess.run(["clang-tidy-22", "--quiet", "-p", BUILD, path], cwd=ROOT, capture_output=True,
                          text=True)
    return done.returncode == 0, done.stdout + ("" if done.returncode == 0 else done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("paths", nargs="*", default=FOLDERS, metavar="FILE or FOLDER")
    parser.add_argument("--all", action="store_true", help="check those that passed, too")
    parser.add_argument("--no-build", action="store_true", help="the release build is up to date")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    if not shutil.which("clang-tidy-22"):
        sys.exit("clang_tidy.py: there is no clang-tidy-22 here: install the package of that name and try again")
    if not options.no_build:
        build_what_is_included()
    fingerprints = Fingerprints()
    pending = {}
    for path in chosen(options.paths, fingerprints.commands):
        stamp = PASSED / path.relative_to(ROOT).with_suffix(".passed")
        fingerprint = fingerprints.of(path)
        known = stamp.read_text() if stamp.exists() and not options.all else ""
        if fingerprint is None or known != fingerprint:
            pending[path] = (stamp, fingerprint)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(check, path): path for path in pending}
        for number, done in enumerate(concurrent.futures.as_completed(running), 1):
            path, (passed, output) = running[done], done.result()
            print(f"[{number}/{len(pending)}] {path.relative_to(ROOT)}{'' if passed else ': FAILED'}", flush=True)
            if output:
                print(output, flush=True)
            failed += not passed
            stamp, fingerprint = pending[path]
            stamp.parent.mkdir(parents=True, exist_ok=True)
            if passed and fingerprint:
                stamp.write_text(fingerprint)
            else:
                stamp.unlink(missing_ok=True)
    print(f"{failed} of {len(pending)} files failed" if failed else "clang-tidy: nothing to say")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
