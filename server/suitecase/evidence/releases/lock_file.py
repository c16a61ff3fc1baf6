"""The lock file of a suite: what one of its versions consists of, as digests.

`NAME.eval.lock` is JSON with a case on each line, so that changes can be reviewed and merged line
by line. Its `digest` is over the rest: what a merge or a hand has garbled is found.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from pydantic import Field, ValidationError

from suitecase.evidence.releases.case_digests import CaseDigests, HeadDigests
from suitecase.text.cache import Cache
from suitecase_evaluators.schema.model import Model

#: The version of the format that is written, and the newest that is read.
FORMAT = 1
#: Mappings that have a line for each entry.
_BY_LINE = ("files", "graders", "judges", "cases")
_MERGE_MARK = re.compile(r"^(<{7}|>{7}|={7}|\|{7})( .*)?$", re.MULTILINE)


class LockedHead(Model):
    """The digests of what all cases inherit, see `HeadDigests`."""

    question: str
    mode: str
    evaluators: str | None
    names: list[str] = Field(default_factory=list)
    #: The keys of `metadata` that slices and intervals use.
    metadata: list[str] = Field(default_factory=list)


class LockedCase(Model):
    """The digests of a case, see `CaseDigests`.

    `slices` is of what slices and groups depend on. `text` is of the text in the suite: where it is
    the same, nothing else has to be compared.
    """

    question: str
    expected: str
    grading: str
    slices: str
    text: str = ""

    @property
    def digests(self) -> CaseDigests:
        """The digests of the question, of what is expected, and of the grading."""
        return CaseDigests(self.question, self.expected, self.grading)


class LockedJudge(Model):
    """A judge of the suite.

    Attributes:
        protocol: the digest of what `judges` says about its grading.
        hash: see `judge_hash`.
        model: the model that is asked.
        reported_model: the model that the provider reported when the judge was calibrated.
        calibration: the digest of the calibration file.
    """

    protocol: str | None = None
    hash: str | None = None
    model: str | None = None
    reported_model: str | None = None
    calibration: str | None = None


class LockFile(Model):
    """A version of a suite."""

    lock: int = FORMAT
    suite: str
    dataset: str
    version: str
    suitecase: str
    at: str
    execution: dict[str, Any] = Field(default_factory=dict)
    intervals: dict[str, Any] = Field(default_factory=dict)
    gates: str | None = None
    slices: str | None = None
    metrics: str | None = None
    head: LockedHead
    files: dict[str, str] = Field(default_factory=dict)
    graders: dict[str, str] = Field(default_factory=dict)
    judges: dict[str, LockedJudge] = Field(default_factory=dict)
    cases: dict[str, LockedCase]
    deprecated: list[str] = Field(default_factory=list)

    @property
    def inherited(self) -> HeadDigests:
        """The digests of what its cases inherit."""
        head = self.head
        judges = {name: it.protocol for name, it in self.judges.items() if it.protocol}
        return HeadDigests(head.question, head.mode, head.evaluators, tuple(head.names), judges)

    @cached_property
    def _derived(self) -> dict[Cache[Any], Any]:
        return {}

    @property
    def derived(self) -> dict[Cache[Any], Any]:
        """What others derive from it."""
        return self._derived

    def same_release(self, other: LockFile) -> bool:
        """Whether another lock is of the same version with the same content.

        How the cases are written does not count.
        """
        return self._content() == other._content()

    def _content(self) -> dict[str, Any]:
        texts = {"__all__": {"text"}}
        return self.model_dump(exclude={"suitecase": True, "at": True, "cases": texts})


@dataclass(frozen=True, slots=True)
class LockProblem:
    """Why a lock file cannot be used; `line` is where, from 1, if that is known."""

    message: str
    line: int | None = None


def lock_text(lock: LockFile) -> str:
    """Return the text of a lock file; the same lock gives the same text."""
    values = lock.model_dump(exclude_defaults=True) | {"lock": lock.lock}
    first = ("lock", "suite", "dataset", "version")
    keys = [
        *first,
        *(
            model_field
            for model_field in LockFile.model_fields
            if model_field in values and model_field not in first
        ),
    ]
    lines = [f" {_json(key)}: {_entry(key, values[key])}," for key in keys]
    lines.append(f' "digest": {_json(_digest(values))}')
    return "{\n" + "\n".join(lines) + "\n}\n"


def _entry(key: str, value: Any) -> str:
    if key not in _BY_LINE or not value:
        return _json(value)
    rows = (f"  {_json(name)}: {_json(value[name])}" for name in sorted(value))
    return "{\n" + ",\n".join(rows) + "\n }"


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # Half surrogates can be written in JSON, but not in UTF-8.
    return text if text.isascii() or _is_encodable(text) else json.dumps(value)


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _digest(values: Mapping[str, Any]) -> str:
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@lru_cache(maxsize=16)
def read_lock(text: str) -> LockFile | LockProblem:
    """Read the text of a lock file; of the same text, the same object."""
    merged = _MERGE_MARK.search(text) if "<<<<<<<" in text or ">>>>>>>" in text else None
    if merged is not None:
        line = text.count("\n", 0, merged.start()) + 1
        return LockProblem("two versions of it were merged and the conflict is not resolved", line)
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        return LockProblem(f"it is not valid JSON ({error.msg.lower()})", error.lineno)
    except RecursionError:
        return LockProblem("it is not a lock file: its values are nested too deeply")
    if not isinstance(values, dict) or not isinstance(values.get("lock"), int):
        return LockProblem("it is not a lock file: it does not say `lock`", 1)
    if values["lock"] > FORMAT:
        return LockProblem(
            f"a newer version of Suitecase wrote it (format {values['lock']}; this one reads "
            f"{FORMAT}); update Suitecase"
        )
    digest = values.pop("digest", None)
    if digest != _digest(values):
        return LockProblem(
            "its `digest` does not fit its content, so it was edited or merged by hand"
        )
    try:
        return LockFile.model_validate(values)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        return LockProblem(f"`{place}` in it is missing or wrong")
