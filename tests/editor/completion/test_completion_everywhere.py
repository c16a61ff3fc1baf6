"""Completion at some offsets, at other ones each time and at every one by `make sweep`, and the suite after accepting it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from suitecase.checking.check import check
from suitecase.derived import ROOT
from suitecase.editor.completion import CompletionContext
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.text.document import Document
from support.ide.completions import accepted, complete, in_folder
from support.parsed_files import parse_own
from support.samples import EVERY, dice
from support.suites.random_edits import SUITES

FILES = [
    *(it for it in sorted((ROOT / "examples").rglob("*.yaml")) if it.parent.name != "promptfoo"),
    *sorted((ROOT / "tests" / "support" / "suites" / "sound_workspace").glob("*.yaml")),
]
#: About so many offsets of each text are asked for.
OFFSETS = 100_000 if EVERY else 20
#: So many lines are begun in each text.
LINES = 60 if EVERY else 2
TEXTS = [*((it.parent, it.read_text()) for it in FILES), *((ROOT, it) for it in SUITES)]
#: What is said of something that is begun: a value, a key or a text is still missing, or what makes
#: use of it.
MISSING = {
    "missing-key",
    "empty-value",
    "empty-text",
    "message-without-content",
    "incomplete-evaluator",
    "missing-case-list",
    "empty-case-list",
    "case-without-schema",
    "mode-without-criteria",
    "unused-schema",
    "unused-criteria",
    "schema-not-json",
    "evaluator-without-criteria",
    "malformed-suppression",
    "score-range-without-text",
    "score-ranges-gap",
    "unused-gate",
    "unused-evaluators",
    "prompt-without-rubrics",
    "incomplete-weights",
    "ineffective-schema-keyword",
    "nothing-to-compare",
    "sensitive-without-basis",
    "sensitive-slice-without-gate",
    "safety-slice-without-gate",
    "gate-syntax",
}
#: What rules report about the meaning of a file, a target, a sandbox, a bound or an evaluator that a person chooses.
CHOSEN = {
    "prompt-without-answer",
    "prompt-file-missing",
    "implicit-self-judging",
    "script-without-isolation",
    "file-missing",
    "expected-answer-fails-schema",
    "expected-answer-fails-suite-schema",
    "lost-in-normalization",
}
#: What a keyword of a schema is still to be given a value for, or a reference its definition.
SCHEMAS = {"invalid-schema", "ineffective-schema-keyword", "unsatisfiable-schema"}
#: What depends on which other rubrics, gates and cases there are.
GATES = {
    "ineffective-weights",
    "contradictory-gates",
    "empty-slice",
    "few-groups",
    "gate-on-empty-slice",
    "gate-on-single-value",
    "groups-without-value",
    "missing-facet-value",
    "mixed-units",
    "refusing-passes",
    "safety-gate-as-warning",
    "safety-slice-without-policy",
    "single-value-facet",
    "slice-hides-tag",
    "small-slice",
    "unmeasured-figure",
    "violation-rate-without-safety",
    "weights-not-one",
}
#: What is said of a value that is still nothing.
NOTHING_YET = re.compile(r"nothing|is missing|has no value|needs at least one of|got none")


def written(folder: Path, text: str, before: str | None = None) -> ParsedSuite | ParsedTargets:
    """Parse a text as the kind of file that it, or an earlier version of it, is."""
    defines_targets = re.search("^targets:", before or text, re.MULTILINE) is not None
    name = "targets.yaml" if defines_targets else "a.eval.yaml"
    return parse_own(folder / name, text, Workspace(folder))


@pytest.mark.parametrize(("folder", "text"), TEXTS)
def test_every_offset_is_answered_within_its_line(folder: Path, text: str) -> None:
    around = in_folder(folder, ROOT)
    for shown in (text, "\ufeff" + text.replace("\n", "\r\n")):
        suite = written(folder, shown)
        step = 1 + len(text) // OFFSETS if shown is text else 1 + 3 * len(text) // OFFSETS
        for offset in range(dice().randrange(step), len(shown) + 1, step):
            completion = complete(suite, offset, around)
            for it in completion.items:
                start, end = it.span or completion.span
                assert start <= offset <= end, it
                assert "\n" not in shown[start:end], it
                assert "\r" not in shown[start:end], it


@pytest.mark.parametrize(("folder", "text"), TEXTS)
def test_half_typed_texts_are_answered(folder: Path, text: str) -> None:
    random = dice()
    step = 1 + len(text) // (40 if EVERY else 7)
    for offset in range(random.randrange(step), len(text), step):
        end = text.find("\n", offset) % (len(text) + 1)
        junk = random.choice(["", "[", "{", "'", '"', ": ", "- ", "&a", "*a", "<<: ", "{{ ", "\t"])
        typed = text[:offset] + junk + text[end:]
        if re.search("^(targets|evalcases)", typed, re.MULTILINE) is None:
            continue  # nothing shows any more what it is
        suite = written(folder, typed, text)
        at = offset + len(junk)
        for it in (completion := complete(suite, at)).items:
            start, end = it.span or completion.span
            assert start <= at <= end, it


def test_accepting_leaves_a_sound_suite_sound_but_for_what_is_missing() -> None:
    random = dice()
    count = 0
    for folder, text in TEXTS:
        sound = parse_suite(text)
        if sound.document.list_key is None or "<<" in text:
            continue  # what is merged elsewhere may collide there
        around = in_folder(folder, ROOT)
        for shown, offset in insertions(random, text):
            suite = parse_suite(shown, reuse=sound)
            completion = complete(suite, offset, around)
            before = found(suite, around)
            for it in random.sample(completion.items, min(5, len(completion.items))):
                after = parse_suite(accepted(shown, completion, it), reuse=suite)
                assert not broken(after.document) or broken(suite.document), (shown, it)
                more = found(after, around) - before
                odd = set(more) - MISSING - CHOSEN - GATES - SCHEMAS
                assert not odd, (odd, shown[max(0, offset - 200) : offset + 100], it)
                count += 1
    assert count > (300 if EVERY else 30)


def insertions(random: Random, text: str) -> Iterator[tuple[str, int]]:
    """Yield the text with a line started somewhere, and the offset to continue at."""
    starts = [0, *(place + 1 for place, it in enumerate(text) if it == "\n")]
    for start in random.sample(starts, min(LINES, len(starts))):
        end = text.find("\n", start) % (len(text) + 1)
        indent = len(text[start:end]) - len(text[start:end].lstrip(" "))
        begun = " " * random.choice([indent, indent, indent + 2, 0])
        yield f"{text[:start]}{begun}\n{text[start:]}", start + len(begun)


def found(suite: ParsedSuite, around: CompletionContext) -> Counter[str]:
    """Return the findings in a suite, except those about values that are still empty."""
    folder = around.folder or Folder(Workspace(ROOT), ROOT)
    analysis = check(suite, folder)
    assert not analysis.failures
    reported = (*analysis.findings, *analysis.silenced)
    return Counter(it.rule.name for it in reported if not NOTHING_YET.search(it.message))


def broken(document: Document) -> bool:
    return any(it.content.broken for it in document.pieces)
