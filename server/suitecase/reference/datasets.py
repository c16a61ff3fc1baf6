"""Data sets in JSON lines, and their sidecars."""

from __future__ import annotations

from suitecase.reference.topic import Section, Topic

_TEXT = """\
A data set is a suite as JSON lines: a case in each line, with the [keys of a case](suite.md). It suits many cases that programs
write. `suitecase convert SUITE --to jsonl` makes one of a suite, and `--to yaml` a suite of one."""

_CASES = """\
```jsonl
{"id": "opening-hours", "input": "When do you open?", "expected_outcome": "Names the opening hours"}
{"id": "returns", "input": "How long can I return shoes?", "expected_outcome": "Says 30 days", "tags": ["returns"]}
```

A file is taken for a data set if it has a sidecar, or if its first line is a case; other files of JSON lines are left alone.
Blank lines are ignored. In place of a comment, a case may have `"x-suitecase": "ignore[SC214] reason"`."""

_SIDECARS = """\
Everything else of the suite is in its sidecar: the YAML file of the same name beside it, `questions.yaml` for
`questions.jsonl`. It has the keys of a suite, but no cases:

```yaml
description: Questions about the shop
execution:
  target: support-bot
gates:
  - pass_rate >= 90%
```

A YAML file of another name in the same folder is the sidecar if it names the data set in the place of its cases:

```yaml
description: Questions about the shop
evalcases: ./questions.jsonl
```

Give commands the data set, or a sidecar that names it: `suitecase run questions.jsonl`."""


def datasets_topic() -> Topic:
    """Return the page of data sets."""
    return Topic(
        name="datasets",
        title="Data sets and sidecars",
        summary="suites as JSON lines",
        text=_TEXT,
        sections=(
            Section(title="Cases", text=_CASES),
            Section(title="Sidecars", text=_SIDECARS, names=("sidecars", "sidecar")),
        ),
    )
