#!/usr/bin/env python3
"""Renders conversations with jinja2 as Hugging Face's transformers does: render.py MODEL.gguf > smollm2.json

Needs the Python packages gguf and jinja2. The conversations are those of conversations.json.
"""
import json
import pathlib
import sys

import gguf
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


def string(reader, key):
    field = reader.fields[key]
    return bytes(field.parts[field.data[0]]).decode()


reader = gguf.GGUFReader(sys.argv[1])
environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
template = environment.from_string(string(reader, "tokenizer.chat_template"))
conversations = json.loads(pathlib.Path(__file__).with_name("conversations.json").read_text())
rendered = [
    template.render(messages=messages, add_generation_prompt=prompt, bos_token="<|im_start|>", eos_token="<|im_end|>", tools=None, documents=None)
    for messages in conversations
    for prompt in (False, True)
]
print(json.dumps(rendered, ensure_ascii=False, indent=0))
