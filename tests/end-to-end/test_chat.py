"""`relax chat` and `relax generate --stop` as people use them: stops, messages of several lines, saving and
loading, taking back, a terminal; and that what is cached is used and changes no answer."""
import json
import os
import pty
import re
import select
import subprocess
import time
import unittest

import cli
from language_model import make_gguf


class Stops(cli.CliTest):
    GENERATE = ("-p", "hello world", "-n", 60, "--ignore-eos", "--temperature", 0.9, "--seed", 3)

    def test_generate(self):
        whole = json.loads(self.works("generate", self.model, *self.GENERATE, "--json").text)
        text = whole["text"]
        self.assertGreater(len(text), 40)
        for begin, end in ((0, 1), (5, 8), (11, 30), (len(text) - 3, len(text))):
            stop = text[begin:end]
            found = json.loads(self.works("generate", self.model, *self.GENERATE, "--json", "--stop",
                                          stop).text)
            self.assertEqual(found["text"], text[:text.index(stop)])
            self.assertEqual(found["stop"], "stop_text")
            self.assertEqual(found["tokens"], whole["tokens"][:len(found["tokens"])])
            printed = self.works("generate", self.model, *self.GENERATE, "--stop", stop, "--stop",
                                 "never said").text
            self.assertEqual(printed, text[:text.index(stop)] + "\n")

    def test_what_only_begins_as_a_stop_is_shown(self):
        text = json.loads(self.works("generate", self.model, *self.GENERATE, "--json").text)["text"]
        for begin in (5, len(text) - 4):
            stop = text[begin:] + "and more that never comes"
            found = json.loads(self.works("generate", self.model, *self.GENERATE, "--json", "--stop",
                                          stop).text)
            self.assertEqual(found["text"], text)
            self.assertEqual(found["stop"], "max_tokens")

    def test_wrong(self):
        for command in (("generate", self.model, "-p", "a"), ("chat", self.model, "-m", "a")):
            self.fails(cli.USAGE, *command, "--stop", "", says="--stop")
            self.fails(cli.USAGE, *command, "--stop", b"\xff", says=("--stop", "0xff"))


class Chat(cli.CliTest):
    FLAGS = ("-n", 8, "--stop", "qqq")

    def test_no_template(self):
        metadata, tensors = make_gguf.tiny_model()
        del metadata["tokenizer.chat_template"]
        path = self.folder / "plain.gguf"
        make_gguf.write_gguf(path, metadata, tensors)
        for _ in range(2):      # Compiled now; from the cache.
            self.fails(cli.BAD_FILE, "chat", path, "-m", "a",
                       says=(f"{path}: the model has no chat template", "complete text"))

    def chat(self, lines, *flags):
        return self.works("chat", self.model, *self.FLAGS, *flags, stdin=lines.encode())

    def conversation(self, lines, *flags):
        path = self.folder / "saved.json"
        self.chat(f"{lines}\n/save {path}\n", *flags)
        return json.loads(path.read_text())

    def test_lines(self):
        for lines, content in (("one", "one"), ("one \\\ntwo", "one \ntwo"), ("a\\\n\\\nb", "a\n\nb"),
                               ('"""\none\n /two\n"""', "one\n /two"), ('"""one\n\ntwo"""', "one\n\ntwo"),
                               ('"""one"""', "one"), ('"""/reset"""', "/reset")):
            messages = self.conversation(lines)
            self.assertEqual(messages[0], {"role": "user", "content": content})
            self.assertEqual([m["role"] for m in messages], ["user", "assistant"])
        # The end of the input ends a message too.
        self.assertEqual(self.chat('"""\none').out, self.chat('"""\none\n"""').out)

    def test_save_and_load(self):
        path = self.folder / "talk.json"
        whole = self.chat("hello\nthe world\n").text
        begun = self.chat(f"hello\n/save {path}\n").text
        resumed = self.chat("the world\n", "--load", path).text
        self.assertEqual(begun + resumed, whole)
        again = self.chat(f"/load {path}\nthe world\n").text
        self.assertEqual(again, resumed)
        saved = json.loads(path.read_text())
        self.assertEqual([m["role"] for m in saved], ["user", "assistant"])
        messages = self.conversation("hi", "--system", "Be odd.")
        self.assertEqual(messages[0], {"role": "system", "content": "Be odd."})

    def test_bad_conversations(self):
        path = self.folder / "bad.json"
        user, answer = {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}
        for content, says in (
                ("", "byte"), ("[{", "byte"), ("{}", "list"), ("[1]", "message 0"),
                (json.dumps([{"role": "user"}]), "content"),
                (json.dumps([user, {"role": "assistant", "content": 5}]), "message 1"),
                (json.dumps([answer]), "message 0"), (json.dumps([user, user]), "message 1"),
                (json.dumps([user, answer, {"role": "system", "content": ""}]), "message 2"),
                (json.dumps([user]), "last message"), ('[{"role":"user","content":"\xff"}]', "byte")):
            path.write_bytes(content.encode("latin-1"))
            for args, stdin in ((("--load", path), b""), ((), f"/load {path}\n".encode())):
                self.fails(cli.BAD_FILE, "chat", self.model, *args, stdin=stdin, says=(path, says))
        for command in (f"/load {self.folder}/none", f"/save {self.folder}/none/x", "/save", "/load",
                        "/retry", "/undo"):
            result = self.relax("chat", self.model, stdin=command.encode())
            self.assertNotEqual(result.code, cli.SUCCESS, command)
            self.assertIn("relax: error: ", result.err)

    def test_taking_back(self):
        hello = self.chat("hello\n").text
        self.assertEqual(self.chat("hello\n/undo\nhello\n").text, hello + hello)
        self.assertEqual(self.chat("hello\n/retry\n").text, hello + hello)     # temperature 0
        found = self.chat("hello\nthe world\n/undo\n/undo\nhello\n").text
        self.assertTrue(found.startswith(hello) and found.endswith(hello))
        odd = self.chat("hello\n/retry\n", "--temperature", 1.5).text
        self.assertNotEqual(odd[:len(odd) // 2], odd[len(odd) // 2:])

    def reused(self, lines):
        """How many tokens each answer had in the cache, and of how many."""
        err = self.chat(lines, "--stats").err
        return [(int(b), int(a)) for a, b in re.findall(r"\((\d+) tokens, (\d+) of them reused\)", err)]

    def test_what_is_cached_is_used(self):
        path = self.folder / "long.json"
        long = "hello world and the tiny model " * 12
        first, second = self.reused(f"{long}\nmore\n")
        self.assertEqual(first[0], 0)
        self.assertGreater(second[0], first[1] - 8)        # the first question and its answer
        edited = self.reused(f"{long}\nmore\n/undo\nother\n")[2]
        self.assertGreater(edited[0], first[1] - 8)
        # Another conversation in between doesn't make the first one new.
        resumed = self.reused(f"{long}\n/save {path}\n/reset\nsomething else\n/load {path}\nmore\n")[2]
        self.assertEqual(resumed, second)

    def test_full_context(self):
        found = self.works("chat", self.model, "--context", 96, "-n", 200, stdin=b"hello\n")
        self.assertIn("context is full", found.err)


class Terminal(cli.CliTest):
    """A person at a terminal: prompts, Ctrl-C, Ctrl-D, and keys that edit."""

    def begin(self, terminal):
        self.works("chat", self.model, "-m", "hello", "-n", 4)      # compiled from here on
        ours, theirs = pty.openpty()
        self.terminal = ours
        self.process = subprocess.Popen(
            [cli.RELAX, "chat", str(self.model), "-n", "8"],
            preexec_fn=lambda: os.login_tty(theirs), pass_fds=[theirs],
            env={**os.environ, "XDG_CACHE_HOME": str(self.cache), "TERM": terminal})
        os.close(theirs)
        self.seen = ""
        self.addCleanup(os.close, ours)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def wait(self, text):
        """Reads until `text` is there, and forgets what was before its end."""
        deadline = time.monotonic() + 60
        while text not in self.seen:
            self.assertGreater(deadline, time.monotonic(), self.seen)
            ready, _, _ = select.select([self.terminal], [], [], 1)
            if ready:
                try:
                    self.seen += os.read(self.terminal, 4096).decode(errors="replace")
                except OSError:
                    self.fail(f"it ended: {self.seen}")
        before, self.seen = self.seen.split(text, 1)
        return before

    def type(self, text):
        os.write(self.terminal, text.encode())

    def test_keys(self):
        """At a terminal that can move its cursor."""
        self.begin("xterm")
        prompt = "\x1b[?2004h"                              # from here on text may be pasted
        self.wait(prompt)
        path = self.folder / "keys.json"
        contents = []
        for keys, content in (
                ("hell\x1b[Do\x1b[C\x7fl", "helol"),                      # left, right, backspace
                ("b\x01a\x05c", "abc"), ("one two\x17three", "one three"),  # Ctrl-A, E, W
                ("xyz\x1b[H\x1b[3~", "yz"), ("abc\x02\x0b", "ab"),          # Home, Delete; Ctrl-B, K
                ("gone\x15é\x7f你好\x1b[D\x1b[3~", "你"),                  # Ctrl-U; whole characters
                ("\x1b[A\x1b[A!", "ab!"), ("draft\x1b[A\x1b[B.", "draft."),  # up, down
                ("x" * 200 + "\x1b[1;5D" + "y", "y" + "x" * 200),          # wider than the terminal
                ("see:\x1b[200~if a:\r\tb\x1b[201~", "see:if a:\n\tb")):  # pasted
            self.type(keys + "\n")
            self.wait(prompt)
            contents.append(content)
        self.type("half a line\x03")
        self.wait(prompt)
        self.type(f"/save {path}\n")
        self.wait("messages are in")
        self.wait(prompt)
        self.type("\x04")
        self.assertEqual(self.process.wait(60), 0)
        messages = json.loads(path.read_text())
        self.assertEqual([m["content"] for m in messages if m["role"] == "user"], contents)

    def test_conversation(self):
        self.begin("dumb")
        self.wait("/help lists what you can do.")
        self.wait("> ")
        self.type("hello\n")
        self.wait("> ")
        self.type('"""\n')
        self.wait(". ")
        self.type('one\ntwo"""\n')
        self.wait("> ")
        self.type("/save /nonexistent/x\n")                # an error is no reason to leave
        self.wait("relax: error: ")
        self.wait("> ")
        self.type("half a line\x03")                        # Ctrl-C drops it
        self.wait("> ")
        self.type("/undo\n")
        self.wait("taken back")
        self.wait("> ")
        self.type("\x04")                                   # Ctrl-D
        self.assertEqual(self.process.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
