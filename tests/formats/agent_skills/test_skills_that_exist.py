"""The evals of skills that people have written: none has an error, and a mistake put into them is found.

Mistakes are put into a fourth of them, into other ones each time; by `make sweep`, into all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from suitecase.checking.check import check_text
from suitecase.derived import ROOT
from suitecase.format.rule import Severity
from suitecase.format.workspace import Workspace
from support.samples import EVERY, sample

CORPUS = ROOT.parent / "shared/corpus/agent-skills"
FILES = sorted(CORPUS.glob("*/**/evals.json"))
pytestmark = pytest.mark.skipif(not FILES, reason="the corpus is not here")


def _codes(path: Path, text: str) -> list[str]:
    root = CORPUS / path.relative_to(CORPUS).parts[0]
    analysis = check_text(path, text, Workspace(root))
    assert analysis.failures == []
    return [it.code for it in analysis.findings if it.code != "AS017"]  # only evals lie here


@cache
def _codes_before(path: Path) -> list[str]:
    return _codes(path, json.dumps(json.loads(path.read_text("utf-8")), indent=2))


def test_none_has_an_error_and_few_a_warning() -> None:
    warned = set[str]()
    for path in FILES:
        text = path.read_text("utf-8")
        root = CORPUS / path.relative_to(CORPUS).parts[0]
        found = check_text(path, text, Workspace(root)).findings
        assert [it.message for it in found if it.severity is Severity.ERROR] == [], path
        warned |= {
            f"{path}: {it.message}"
            for it in found
            if it.severity is Severity.WARNING and it.code != "AS017"
        }
    assert len(FILES) > 50
    assert len(warned) <= len(FILES) // 20


def _of_first(key: str, value: object) -> Callable[[list[dict[str, Any]]], None]:
    return lambda evals: evals[0].update({key: value})


def _renamed(old: str, new: str) -> Callable[[list[dict[str, Any]]], None]:
    def rename(evals: list[dict[str, Any]]) -> None:
        evals[0] = {new if name == old else name: it for name, it in evals[0].items()}

    return rename


def _without(*names: str) -> Callable[[list[dict[str, Any]]], None]:
    def leave_out(evals: list[dict[str, Any]]) -> None:
        evals[0] = {name: it for name, it in evals[0].items() if name not in names}

    return leave_out


MISTAKES: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    "AS005": lambda evals: evals[0].update(id=evals[1]["id"]),
    "AS006": _without("id", "name"),
    "AS008": _without("prompt"),
    "AS009": lambda evals: evals.append({**evals[0], "id": "another"}),
    "AS010": _renamed("expected_output", "expected_ouput"),
    "AS011": _of_first("files", "a.csv"),
    "AS015": lambda evals: evals[0].setdefault("assertions", []).append(""),
    "AS016": lambda evals: evals[0].update(assertions=["It is so", "It is so"]),
}


@pytest.mark.parametrize("code", MISTAKES)
def test_a_mistake_is_found_in_each(code: str) -> None:
    tried = 0
    for path in sample(FILES, 4):
        whole = json.loads(path.read_text("utf-8"))
        evals = whole.get("evals") if isinstance(whole, dict) else None
        if not evals or len(evals) < 2 or "expected_output" not in evals[0]:
            continue
        if code == "AS006" and any("id" in it for it in evals[0] if it not in ("id", "name")):
            continue
        MISTAKES[code](evals)
        after = _codes(path, json.dumps(whole, indent=2))
        assert after.count(code) == _codes_before(path).count(code) + 1, path
        tried += 1
    assert tried > (40 if EVERY else 5)
