#!/usr/bin/env python3
"""Writes rendered.json: what Jinja2 (pip install jinja2) makes of the templates beside this file, which
have the markers, branches and white space of those in the families' model files. With the settings that
such templates are written for: trim_blocks, lstrip_blocks, and a tojson that keeps the order of keys and
escapes neither HTML nor letters beyond ASCII. A conversation that a template refuses has "error" in
place of "text"; today's date stands there as @DATE@.
"""
import json
import pathlib

import jinja2
import jinja2.sandbox

FOLDER = pathlib.Path(__file__).parent
TEMPLATES = {name: ("<s>", "</s>") for name in ("llama2", "mistral", "phi3", "zephyr")}
TEMPLATES.update(llama3=("<|begin_of_text|>", "<|eot_id|>"), gemma2=("<bos>", "<eos>"),
                 gemma3=("<bos>", "<eos>"), qwen3=("", "<|im_end|>"))
TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "Weather of a <city> & more",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"},
                                                    "days": {"type": "integer", "default": 1}},
                   "required": ["city"]}}},
         {"type": "function", "function": {"name": "now", "parameters": {}}}]


def message(role, content, **more):
    return {"role": role, "content": content, **more}


def call(arguments):
    return message("assistant", None, tool_calls=[
        {"id": "abcdef123", "type": "function",
         "function": {"name": "get_weather", "arguments": arguments}}])


SYSTEM, HELLO = message("system", " Be brief.\n"), message("user", "  Hello, what's <b>up</b>?\n")
ANSWER = message("assistant", "\nNothing “much” — 你好 🙂 \n")
THOUGHT = message("assistant", "<think>\nHm.\n</think>\n\nYes.")
RESULT = message("tool", '{"degrees": 21.5}', tool_call_id="abcdef123")
CONVERSATIONS = [
    ([HELLO], None), ([SYSTEM, HELLO], None), ([HELLO, ANSWER, message("user", "More")], None),
    ([SYSTEM, HELLO, ANSWER, message("user", "More"), THOUGHT, message("user", "")], None),
    ([HELLO, THOUGHT], None), ([HELLO, HELLO], None), ([ANSWER], None),
    ([HELLO], TOOLS), ([SYSTEM, HELLO, ANSWER, HELLO], TOOLS[:1]),
    ([HELLO, call({"city": "Zürich", "days": 2}), RESULT], TOOLS),
    ([SYSTEM, HELLO, call({"city": "a\"b"}), RESULT, message("assistant", "21.5."), HELLO], TOOLS),
    ([HELLO, call({}), RESULT, RESULT, THOUGHT], TOOLS),
]


def raise_exception(text):
    raise jinja2.TemplateError(text)


def tojson(value, indent=None):
    return json.dumps(value, ensure_ascii=False, indent=indent)


def main():
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    environment.filters["tojson"] = tojson
    environment.globals.update(raise_exception=raise_exception, strftime_now=lambda _: "@DATE@")
    cases = []
    for name, (begin, end) in TEMPLATES.items():
        template = environment.from_string((FOLDER / f"{name}.jinja").read_text())
        for messages, tools in CONVERSATIONS:
            for prompt in (True, False):
                case = {"template": name, "begin": begin, "end": end, "messages": messages,
                        "tools": tools, "add_generation_prompt": prompt}
                try:
                    case["text"] = template.render(messages=messages, tools=tools, bos_token=begin,
                                                   eos_token=end, add_generation_prompt=prompt)
                except (jinja2.TemplateError, TypeError, AttributeError) as error:
                    case["error"] = str(error)
                cases.append(case)
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    (FOLDER / "rendered.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
