#!/usr/bin/env python3
"""Renders a conversation list with jinja2 as Hugging Face's transformers does: render_templates.py FOLDER CONVERSATIONS

Prints {template: [{"text": …} or {"refused": …} or {"failed": …}, …]}: for each conversation, without and with the
start of an answer. It is always 30 November 2026.
"""
import datetime
import json
import pathlib
import sys

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Refused(Exception):
    pass


def refuse(message):
    raise Refused(message)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def render(source, messages, prompt):
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = datetime.datetime(2026, 11, 30).strftime
    try:
        text = environment.from_string(source).render(
            messages=messages, add_generation_prompt=prompt, bos_token="<s>", eos_token="</s>", tools=None, documents=None
        )
        return {"text": text}
    except Refused as error:
        return {"refused": str(error)}
    except Exception as error:
        return {"failed": repr(error)}


folder, conversations = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
json.dump(
    {
        path.name: [render(path.read_text(), messages, prompt) for messages in conversations for prompt in (False, True)]
        for path in sorted(folder.glob("*.jinja"))
    },
    sys.stdout,
)
