"""Baselines: the findings that existed when Suitecase was adopted, so that only new ones show.

A finding is matched by its file, its rule, its case and the text of its line, not by the line's
number, so that text added above does not affect it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.workspace import Unreadable, Workspace
from suitecase.text.cache import Cache

VERSION = 1


class Fingerprint(NamedTuple):
    """The data that a finding is matched by.

    `file` has slashes and is relative to the workspace; `case` is the id of the case, empty
    outside of cases; `line` is the text of the line where it starts, with collapsed white space, or
    the message if that line is empty.
    """

    file: str
    code: str
    case: str
    line: str

    @property
    def digest(self) -> str:
        """A short hash, the same on every machine."""
        from hashlib import sha256

        return sha256("\0".join(self).encode("utf-8", "replace")).hexdigest()[:32]


class BaselineError(Exception):
    """A text that is not a valid baseline."""


@dataclass(frozen=True)
class Baseline:
    """A baseline: the count of each finding."""

    counts: Counter[Fingerprint]

    @cached_property
    def files(self) -> frozenset[str]:
        """The files with findings in the baseline."""
        return frozenset(count.file for count in self.counts)

    def to_text(self) -> str:
        """Return the text of the baseline, sorted so that its diffs are small."""
        import json

        rows = [
            {**fingerprint._asdict(), "count": number}
            for fingerprint, number in sorted(self.counts.items())
        ]
        data = {"version": VERSION, "findings": rows}
        text = json.dumps(data, indent=2, ensure_ascii=False)
        try:
            text.encode()
        except UnicodeEncodeError:  # a name of a file that is not UTF-8, which JSON can write
            text = json.dumps(data, indent=2)
        return f"{text}\n"


def baseline_from(found: Iterable[Fingerprint]) -> Baseline:
    """Return the baseline of some findings."""
    return Baseline(Counter(found))


def is_baseline(beginning: bytes) -> bool:
    """Whether a file that begins like this is a baseline, of any version."""
    return re.match(rb'\{\s*"version":\s*\d+,\s*"findings":', beginning) is not None


def parse_baseline(text: str) -> Baseline:
    """Read a baseline.

    Raises:
        BaselineError: the text is not a valid baseline.
    """
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"it is not valid JSON: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("findings"), list):
        raise BaselineError("it has no list of `findings`")
    if data.get("version") != VERSION:
        raise BaselineError(f"its version is {data.get('version')!r}; expected {VERSION}")
    counts: Counter[Fingerprint] = Counter()
    for number, row in enumerate(data["findings"], 1):
        if not isinstance(row, dict):
            raise BaselineError(f"finding {number} is not a mapping")
        parts = [row.get(name) for name in Fingerprint._fields]
        count = row.get("count", 1)
        if not all(isinstance(part, str) for part in parts) or type(count) is not int or count < 1:
            raise BaselineError(f"finding {number} lacks one of {', '.join(Fingerprint._fields)}")
        counts[Fingerprint(*map(str, parts))] += count
    return Baseline(counts)


@dataclass(frozen=True, slots=True)
class ConfiguredBaseline:
    """The baseline that a configuration names.

    `root` is the folder that its files are relative to: the configuration's. `problem` is why it
    cannot be used; it is then empty.
    """

    path: Path
    root: Path
    baseline: Baseline = field(default_factory=lambda: Baseline(Counter()))
    problem: str | None = None


#: Baselines by their files.
_BASELINES: Cache[dict[Path, ConfiguredBaseline]] = Cache()


def configured_baseline(
    configuration: ParsedConfiguration, workspace: Workspace
) -> ConfiguredBaseline | None:
    """Return the baseline that a configuration names, if any.

    A baseline outside the workspace is not read.
    """
    name = configuration.model.baseline
    if name is None:
        return None
    root = configuration.path.parent
    path = Path(os.path.normpath(root / name))
    by_path = _BASELINES.of(workspace, dict)
    if path not in by_path:
        by_path[path] = _read(path, root, workspace)
    return by_path[path]


def _read(path: Path, root: Path, workspace: Workspace) -> ConfiguredBaseline:
    if not workspace.holds(path):
        return ConfiguredBaseline(
            path, root, problem="it is outside the workspace, so it is not read"
        )
    text = workspace.read(path)
    if isinstance(text, Unreadable):
        return ConfiguredBaseline(path, root, problem=text.reason)
    try:
        return ConfiguredBaseline(path, root, parse_baseline(text))
    except BaselineError as error:
        return ConfiguredBaseline(path, root, problem=str(error))
