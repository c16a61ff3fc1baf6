"""Realistic suites, and random edits of them as typing, pasting and merging make."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

PLAIN = """\
# Greetings at the front desk.
description: Greetings
version: "1.0"
execution:
  target: mock
  evaluators:
    - {name: polite, type: icontains, value: please}

evalcases:
  # The first one.
  - id: greet
    input: Hi
    expected_outcome: Says hello

  - id: part
    input_messages:
      - role: user
        content: Bye
    expected_outcome: "Says: goodbye"
    rubrics:
      - Is short
      - id: warmth
        weight: 2
        score_ranges:
          0: Cold
          6: Warm
  - id: noise   # a comment behind
    input: 'It''s loud'
    expected_outcome: Offers help
    tags: [noise, "front desk", {a: 1}]
"""

BLOCK_TEXTS = """\
evaluation_mode: schema
evalcases:
  - id: extract
    input: |
      Extract the total.

      - not an item
      evalcases:
        - id: not a case
    expected_outcome: >-
      The total
      is there
    evaluation_schema: |
      {
        "type": "object",
        "required": ["total"]
      }

  - id: code
    input: |2
        indented
      text
    expected_outcome: |+
      Keeps lines


  - id: folded
    input: >
      one
      two

        three
      four
    expected_outcome: Joins lines
"""

ZERO_INDENT = """\
evalcases:
- id: a
  input: "quoted
    over lines"
  expected_outcome: fine
# between
- id: b
  input:
  - role: user
    content:
    - type: text
      value: Look
  - {role: assistant, content: Ok}
  expected_outcome: fine
-
  id: c
  input: x
  expected_outcome: y
-   id: d
    input: x
    expected_outcome: y
"""

ANCHORS = """\
x-shared:
  judge: &judge {name: tone, type: llm_judge}
  ask: &ask
    - role: user
      content: Hi
description: &what Greets
evalcases:
  - &first
    id: one
    input_messages: *ask
    expected_outcome: *what
    evaluators: [*judge]
  - <<: *first
    id: two
  - id: three
    input: &text Hello
    expected_outcome: *text
  - id: four
    input: *text
    expected_outcome: &text Again
  - id: five
    input: *text
    expected_outcome: fine
"""

TAIL = """\
# head
tests:
    -   id: deep
        criteria: Says hello
        input: Hi
    -   id: deeper
        outcome: Says hello
        input: Hi
        metadata: {deep: [1, 2, {x: "]"}], "key": '}'}

    # an end
description: After the list
metadata:
  - not: a case
  - id: either
execution: {target: mock}
"""

FLOW = """\
description: "evalcases:"
prompt: |
  evalcases:
    - id: not
evalcases:
  - {id: a, input: Hi, expected_outcome: Says hello}
  - {
      id: b, input: Hi,
      expected_outcome: "Says
        hello" }
  - [not, a, case]
  - just text
  -
  - id: c
    input: [
      {role: user, content: Hi},
    ]
    expected_outcome: multi
      line plain
"""

DOCUMENT = """\
---
evalcases:
  - id: a
    input: !!str 12
    expected_outcome: fine
  - id: a
    input: Hi
    expected_outcome: the id stands twice
    x-own: free
    unknown: 1
...
"""

SUITES = (PLAIN, BLOCK_TEXTS, ZERO_INDENT, ANCHORS, TAIL, FLOW, DOCUMENT)

#: What edits put in: mostly what means something in YAML.
SCRAPS: tuple[str, ...] = (
    *"-:#&*!|>'\"%@`{}[],? \n\t~=\\.0aé",
    "\n\n",
    "\r\n",
    "\r",
    "  ",
    "    ",
    "- ",
    ": ",
    " #",
    "# ",
    "\n- ",
    "\n  - ",
    "\n  - id: new\n",
    "\n    ",
    "---\n",
    "...\n",
    "\n---\n",
    "\n...\n",
    "%YAML 1.2\n",
    "&first ",
    "*first",
    "&text ",
    "*text",
    "*ask",
    "<<: ",
    "<<: *first\n",
    "!!str ",
    "!x ",
    "|\n",
    ">-\n",
    "evalcases:\n",
    "tests:\n",
    "evalcases: ",
    "? ",
    "\ufeff",
    "\u2028",
    "\x85",
    "\x00",
    "'''",
    '"""',
    "[[",
    "}}",
    "~",
    "''",
    "=",
)


def edited(random: Random, text: str) -> str:
    """Return a text after one edit."""
    return random.choice(_EDITS)(random, text)


def _place(random: Random, text: str) -> int:
    return random.randint(0, len(text))


def _insert(random: Random, text: str) -> str:
    at = _place(random, text)
    return text[:at] + random.choice(SCRAPS) + text[at:]


def _insert_at_line_edge(random: Random, text: str) -> str:
    edges = [0, *(n + d for n, it in enumerate(text) if it == "\n" for d in (0, 1)), len(text)]
    at = random.choice(edges)
    return text[:at] + random.choice(SCRAPS) + text[at:]


def _delete(random: Random, text: str) -> str:
    at = _place(random, text)
    return text[:at] + text[at + random.choice((1, 1, 2, 5, 40)) :]


def _replace(random: Random, text: str) -> str:
    at = _place(random, text)
    return text[:at] + random.choice(SCRAPS) + text[at + random.choice((1, 1, 2, 5)) :]


def _reindent(random: Random, text: str) -> str:
    lines = text.split("\n")
    first = random.randrange(len(lines))
    last = min(len(lines), first + random.choice((1, 1, 2, 4)))
    by = random.choice((-4, -2, -1, 1, 2, 4))
    for n in range(first, last):
        lines[n] = " " * by + lines[n] if by > 0 else lines[n].removeprefix(" " * -by)
    return "\n".join(lines)


def _swap_lines(random: Random, text: str) -> str:
    lines = text.split("\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _repeat_lines(random: Random, text: str) -> str:
    lines = text.split("\n")
    first = random.randrange(len(lines))
    piece = lines[first : first + random.choice((1, 1, 3, 6))]
    at = random.randrange(len(lines) + 1)
    return "\n".join([*lines[:at], *piece, *lines[at:]])


def _delete_lines(random: Random, text: str) -> str:
    lines = text.split("\n")
    first = random.randrange(len(lines))
    del lines[first : first + random.choice((1, 1, 2, 4))]
    return "\n".join(lines)


def _cut(random: Random, text: str) -> str:
    at = _place(random, text)
    return text[:at] if random.random() < 0.7 else text[at:]


def _windows_breaks(random: Random, text: str) -> str:
    if random.random() < 0.5:
        return text.replace("\r\n", "\n").replace("\n", "\r\n")
    at = _place(random, text)
    return text[:at] + text[at:].replace("\r\n", "\n").replace("\n", "\r\n")


_EDITS: tuple[Callable[[Random, str], str], ...] = (
    _insert,
    _insert,
    _insert_at_line_edge,
    _insert_at_line_edge,
    _delete,
    _replace,
    _reindent,
    _swap_lines,
    _repeat_lines,
    _delete_lines,
    _cut,
    _windows_breaks,
)
