"""Runs the command `relax` for tests: with a cache folder of its own and limits of memory and time, so
that whatever a damaged file makes of it ends."""
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import unittest

import language_model

RELAX = str(pathlib.Path(os.environ.get("RELAX_BINARY_DIR",
                                        language_model.relaxlib.ROOT / "build/release/bin")) / "relax")
# Exit codes, as `relax --help` documents them.
SUCCESS, FAILURE, USAGE, BAD_FILE, CANCELLED = 0, 1, 2, 3, 130
MEMORY = 2 << 30
# Of the processor, which what else the machine does can't use up; and on the clock, for what only waits.
PROCESSOR_SECONDS, SECONDS = 60, 900


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr.decode(errors="replace")

    @property
    def text(self):
        return self.out.decode()


class CliTest(unittest.TestCase):
    """Each class has a folder with a tiny model, and an empty cache."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="relax-cli-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.cache = cls.folder / "cache"
        cls.model = cls.folder / "model.gguf"
        shutil.copy(language_model.tiny(), cls.model)

    def relax(self, *args, stdin=b"", cache=None, file_size=None, stdout=subprocess.PIPE,
              env=None):
        """Runs `relax ARGS`; `file_size` limits the files that it can write, as a full disk would; `env`
        is added to the environment."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
            if file_size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

        environment = {**os.environ, "XDG_CACHE_HOME": str(cache or self.cache), **(env or {})}
        return Result(subprocess.run(
            [RELAX, *(a if isinstance(a, bytes) else str(a) for a in args)], input=stdin,
            stdout=stdout, stderr=subprocess.PIPE, env=environment, timeout=SECONDS,
            preexec_fn=limit))

    def works(self, *args, **options):
        result = self.relax(*args, **options)
        self.assertEqual(result.code, SUCCESS, f"{args}: {result.err}")
        return result

    def fails(self, code, *args, says=(), **options):
        """It must end with the code, an error that has all of `says`, and no answer."""
        result = self.relax(*args, **options)
        self.assertEqual(result.code, code, f"{args}: {result.err}")
        self.assertIn("relax: error: ", result.err)
        for part in says if isinstance(says, (tuple, list)) else [says]:
            self.assertIn(str(part), result.err, args)
        self.assertFalse(result.out, args)
        return result

    def cached(self):
        """The cache's artifacts, by name, as bytes; anything else there is an error."""
        files = sorted((self.cache / "relax/compiled").glob("*"))
        for file in files:
            self.assertEqual(file.suffix, ".rlx", file)
        return {file: file.read_bytes() for file in files}
