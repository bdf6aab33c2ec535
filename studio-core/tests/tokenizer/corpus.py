#!/usr/bin/env python3
"""Writes corpus.json: texts on which tokenizers tend to disagree. The same on every run."""
import json
import pathlib
import random

rng = random.Random(20240607)
texts = ["", " ", "  ", "\n", "a", " a", "a ", "\u00e9", "\U0001f642", "\x00", "\x7f", "\ufeffx", "\ufffd"]

# White space and line ends.
spaces = "\t \n\r\x0b\x0c\x1c\x85\xa0\u1680\u2002\u2009\u200b\u2028\u202f\u205f\u3000"
texts += ["x" + space * count + end for space in spaces for count in (1, 2, 5) for end in ("", "y")]
texts += ["".join(rng.choice(spaces + "ab1.") for _ in range(60)) for _ in range(10)]
texts += ["\n" * count + "x" for count in range(1, 9)] + [" " * count + "x" for count in range(1, 40)]

# Digits, numbers of other scripts, contractions, punctuation.
texts += ["0", "12", "1234567890" * 3, " 3.14159", "1,000,000.00", "2024-06-07T12:34:56Z", "a1b2c3", "½³Ⅷ٣४൬๒", "１２３"]
texts += ["I'm you're they've he'd she'll it's don't I'M YOU'RE THEY'VE HE'D SHE'LL IT'S DON'T", "'s't're've'm'll'd", "''''s", "’s", "'ſ"]
texts += ["!!!???...", "---===***", "a--b", "(a)[b]{c}<d>", "\"quoted\" 'single' `code`", "$100 €5 £3 ¥9", "foo_bar-baz.qux@x.org/~u?q=1&r=2#z"]

# Emoji sequences, combining marks, right to left, ill-assorted scripts.
texts += ["👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪🇫🇷 1️⃣ ☠️", "e\u0301a\u0300 n\u0303 \u1100\u1161\u11a8", "Z̸̢̛a̷l̵g̶o̴", "שָׁלוֹם עולם", "مرحبا بالعالم ١٢٣", "ﷺ ﬃ ǅ ℵ µ Å K"]
texts += [
    "Der schnelle braune Fuchs springt über den faulen Hund; größer, schöner, weiß.",
    "Le cœur a ses raisons que la raison ne connaît point, n'est-ce pas ?",
    "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia. ¿Qué? ¡Sí!",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.",
    "いろはにほへと ちりぬるを。カタカナと漢字も混ぜる。",
    "视野无限广，窗外有蓝天。微风迎客，软语伴茶。",
    "다람쥐 헌 쳇바퀴에 타고파. 키스의 고유조건은",
    "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण",
    "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า",
    "Pijamalı hasta yağız şoföre çabucak güvendi. İıIi",
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Zażółć gęślą jaźń.",
]

# Code and markup.
texts += [
    "fn main() {\n    let x: Vec<u32> = (0..10).map(|i| i * 2).collect();\n\tprintln!(\"{x:?}\");\n}\n",
    "def f(a, *b, **c):\n    '''doc'''\n    return {k: v for k, v in c.items() if v != None}\n\n\nclass A(B):\n        pass\n",
    "<html>\r\n  <body class=\"a b\">&nbsp;&amp;</body>\r\n</html>\r\n",
    "SELECT * FROM t WHERE a >= 10 AND b LIKE '%x%'; -- comment",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\n$ ls -la | grep x > /dev/null 2>&1\n```",
    "\\frac{1}{2} \\sum_{i=0}^{n} x_i^2 \\rightarrow \\infty",
]

# Special tokens as text.
texts += [
    "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|><|im_start|>x<|im_end", "<|endoftext|>", " <|endoftext|> ", "a<reponame>b<file_sep>c<filename>d", "<|im_start|>1<|im_end|>2",
    "<|im_start|", "<<|im_end|>>", "<empty_output>", "<jupyter_start><jupyter_text>", "<issue_start>é<issue_comment>",
]

# Long words, and random text from every plane.
texts += ["a" * 300, "ab" * 200, "the" * 100, "supercalifragilisticexpialidocious", "Donaudampfschifffahrtsgesellschaft", "=" * 100, "é" * 50, "の" * 50]
planes = [(0x0, 0x7F), (0x80, 0x24F), (0x250, 0x6FF), (0x700, 0x1FFF), (0x2000, 0x2BFF), (0x2C00, 0xD7FF), (0xE000, 0xFFFF)]
planes += [(plane << 16, (plane << 16) + 0xFFFF) for plane in range(1, 17)]
texts += ["".join(chr(rng.randint(*plane)) for _ in range(30)) for plane in planes for _ in range(3)]
texts += ["".join(chr(rng.randint(*rng.choice(planes[:9]))) for _ in range(40)) for _ in range(25)]
texts += ["".join(rng.choice(["a", "B", "é", "1", " ", "  ", "\n", "'s", "'", ".", "日", "🙂", "\u0301", "<|im_end|>"]) for _ in range(40)) for _ in range(25)]
# Assigned in Unicode 15.1, and only in 16.
texts += ["a\U0002ebf0b\u2ffcc", "a\U00010d4ab\U0001c000c"]

out = pathlib.Path(__file__).with_name("corpus.json")
out.write_text(json.dumps(texts, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
