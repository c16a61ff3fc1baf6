"""What findings say of their places beside their message: no effect, or an older way to say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.checking.check import check
from suitecase.checking.rules import all_rules
from suitecase.format.rewriting.lines import apply, as_written, removed
from suitecase.format.rule import Edit, Rule, Tag
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.compose import compose
from suitecase.text.node import Entry, Mapping, Node, Scalar
from support.ide.refactorings import shown
from support.running.commands import CommandSite

#: What is about comments, and about files.
NO_KEYS = {"unused-suppression", "unused-targets-file"}
FADED = [it for it in all_rules() if Tag.UNNECESSARY in it.tags and it.name not in NO_KEYS]
#: Rules on suites that can be run here; those of other tools are not.
ON_OUR_SUITES = [it for it in FADED if not it.code.startswith(("PF", "AS"))]


def test_what_has_no_effect_is_faded() -> None:
    faded = {it.name for it in FADED} | NO_KEYS

    assert faded >= {
        "redundant-weight",
        "redundant-evaluator-weight",
        "two-inputs",
        "redundant-required",
    }
    assert faded >= {"unused-evaluators", "unused-schema", "unused-criteria", "zero-min-score"}
    assert all(Tag.UNNECESSARY in it.tags for it in all_rules() if it.name in NO_KEYS)


@pytest.mark.parametrize("rule", ON_OUR_SUITES, ids=lambda it: it.name)
def test_without_what_is_faded_the_suite_is_graded_the_same(rule: Rule, tmp_path: Path) -> None:
    text = next(it.text for it in rule.examples if it.kind == "bad").replace("# <- finding", "")
    path = tmp_path / "a.eval.yaml"
    analysis = check(parse_suite(text), Folder(Workspace(tmp_path), tmp_path))
    places = [it.span.start for it in analysis.findings if it.rule is rule]
    assert places
    for start in sorted(places, reverse=True):
        root = compose(text).root
        key = next(it.key for it in _entries(root) if it.key.start <= start < it.value.end)
        without = apply(text, removed(text, root, key) or _emptied(root, key))
        assert without != text
        assert _graded(without, path) == _graded(text, path)


def test_what_is_written_in_an_older_way_is_struck_through() -> None:
    struck = {it.name for it in all_rules() if Tag.DEPRECATED in it.tags}

    assert struck > {"legacy-key", "legacy-case-list", "legacy-variable-in-file"}
    # There is no other way to say these, so they are no older one.
    assert not struck & {"unsupported-setting", "split-content-part"}
    for rule in all_rules():
        assert ("Editors strike through the code" in rule.markdown()) == (
            Tag.DEPRECATED in rule.tags
        )
        assert ("Editors fade the code" in rule.markdown()) == (Tag.UNNECESSARY in rule.tags)


def test_programs_are_told_too(tmp_path: Path) -> None:
    site = CommandSite(tmp_path)
    (tmp_path / "a.eval.yaml").write_text(
        "$schema: agentv-eval-v2\n"
        "evalcases:\n  - {id: a, outcome: b, input: c, input_messages: [{role: user, content: d}]}\n"
        "execution: {target: mock}\n"
    )

    reported = json.loads(site.run("check", "--format", "json", "a.eval.yaml").out)

    assert {it["name"]: it["tags"] for it in reported["findings"]} == {
        "legacy-setting": ["deprecated", "unnecessary"],
        "legacy-key": ["deprecated"],
        "two-inputs": ["unnecessary"],
    }


def _graded(text: str, path: Path) -> list[Any]:
    """Return what a suite is graded by, without what counts the same whatever it says."""
    cases = shown(text, path)
    assert cases is not None
    for case in cases:
        for evaluator in case["evaluators"]:
            if len(case["evaluators"]) == 1:
                del evaluator["weight"]
            rubrics = evaluator.get("rubrics") or ()
            for rubric in rubrics:
                if len(rubrics) == 1:
                    del rubric["weight"]
                rubric["required_min_score"] = rubric.get("required_min_score") or None
    return cases


def _emptied(root: Node | None, key: Scalar) -> list[Edit]:
    """Leave nothing in the list of a key that is alone in its mapping."""
    mapping = as_written(root, key)
    assert mapping is not None
    return [Edit(mapping.entries[key.text].value.span, "[]")]


def _entries(node: Node | None) -> list[Entry]:
    """Return the entries of mappings, those within others first."""
    if isinstance(node, Scalar) or node is None:
        return []
    if not isinstance(node, Mapping):
        return [it for item in node.items for it in _entries(item)]
    found: list[Entry] = []
    for entry in node.entries.values():
        found += [*_entries(entry.value), entry]
    return found
