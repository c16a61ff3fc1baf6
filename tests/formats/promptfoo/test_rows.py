"""The rows of a configuration are those that promptfoo 0.121.20 makes: the numbers were counted there."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.suite.effective.rows import MOST_ROWS, Expansion, expand
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration

FILES = {
    "t.csv": "a,__expected\n1,contains:1\n2,contains:2\n",
    "x.csv": 'a\n"[p, q]"\nb\n',
    "l/x.yaml": "- vars: {a: [p, q]}\n- vars: {a: z}\n",
    "l/y.yaml": "vars: {a: z}\n",
    "l.json": '[{"vars": {"a": 1}}, {"vars": {"a": ["x", "y"]}}]',
    "l.jsonl": '{"vars": {"a": 1}}\n\n{"vars": {"a": 2}}\n',
    "d/1.txt": "x",
    "d/2.txt": "x",
    "v.yaml": "a: [p, q]\n",
    "w.yaml": "b: [p, q]\n",
    "p.txt": "one {{a}}\n---\ntwo {{a}}\n",
}
ONE = "prompts: ['a {{a}}']\nproviders: [echo]\n"


def _expanded(text: str, folder: Path) -> Expansion:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    path = folder / "promptfooconfig.yaml"
    workspace = Workspace(folder)
    file = parse_document(path, text, workspace)
    assert isinstance(file, DialectFile)
    linked = file.linked(Folder(workspace, folder, text))
    assert isinstance(linked, LinkedConfiguration)
    return expand(linked, path)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("prompts: [a, b]\nproviders: [echo]\ntests: [{vars: {x: 1}}, {vars: {x: 2}}]\n", 4),
        (ONE + "tests: [{vars: {x: [p, q], y: [r, s, t], z: [1, 2], e: []}}]\n", 6),
        (
            ONE + "defaultTest: {vars: {y: [r, s]}}\ntests: [{vars: {x: 1}}, {vars: {y: one}}]\n",
            3,
        ),
        (ONE + "tests: [{vars: {x: [p, q]}, options: {disableVarExpansion: true}}]\n", 1),
        (
            ONE + "evaluateOptions: {repeat: 2}\ntests: [{vars: {x: 1}}, "
            "{vars: {x: 2}, options: {repeat: 3}}, {vars: {x: 2}, options: {repeat: 0}}]\n",
            7,
        ),
        (ONE, 1),
        (ONE + "tests: []\n", 1),
        (
            (
                "prompts: [{raw: a, label: 'G:one'}, {raw: b, label: 'G:two'}, {raw: c, label: other}]\n"
                "providers: [{id: echo, label: e1}, {id: echo, label: e2, prompts: [other]}]\n"
                "tests: [{vars: {x: 1}}, {vars: {x: 2}, prompts: [G]}, "
                "{vars: {x: 3}, prompts: ['G:o*'], providers: [e1]}, {vars: {x: 4}, providers: [e2]}]\n"
            ),
            8,
        ),
        (
            "prompts: [a, a, b]\nproviders: [echo, echo]\ntests: [{vars: {x: 1}}, {vars: {x: 1}}]\n",
            4,
        ),
        (ONE + "tests: t.csv\n", 2),
        (ONE + "tests: x.csv\n", 2),
        (ONE + "tests: [t.csv, {vars: {a: 1}}, 'l/*.yaml', {path: t.csv}]\n", 9),
        (ONE + "tests: l.json\n", 3),
        (ONE + "tests: file://l.jsonl\n", 2),
        (ONE + "tests: [{vars: {a: 'file://d/*.txt', b: [p, q]}}]\n", 4),
        (ONE + "tests: [{vars: v.yaml}, {vars: [v.yaml, w.yaml]}]\n", 6),
        ("prompts: [file://p.txt]\nproviders: [echo]\ntests: [{vars: {a: 1}}]\n", 2),
        (
            (
                "prompts: [{raw: a, label: one}, {raw: b, label: two}]\nproviders: [echo]\n"
                "defaultTest: {prompts: [one]}\n"
                "tests: [{vars: {a: 1}}, {vars: {a: 2}, prompts: [two]}]\n"
            ),
            2,
        ),
    ],
)
def test_rows_are_counted_as_promptfoo_counts_them(text: str, rows: int, tmp_path: Path) -> None:
    expansion = _expanded(text, tmp_path)
    assert expansion.count == rows
    assert not expansion.is_open


def test_a_row_keeps_its_id_when_its_test_moves(tmp_path: Path) -> None:
    one, two = "{vars: {a: 1}}", "{vars: {a: 2}, assert: [{type: contains, value: x}]}"
    before = _expanded(f"{ONE}tests: [{one}, {two}]\n", tmp_path)
    after = _expanded(f"{ONE}tests: [{two}, {{vars: {{a: 3}}}}, {one}]\n", tmp_path)
    ids = [row.id for test in before.tests for row in test.rows]
    moved = [row.id for test in after.tests for row in test.rows]
    assert [moved[2], moved[0]] == ids
    assert len(set(moved)) == 3


def test_rows_that_are_alike_have_ids_of_their_own(tmp_path: Path) -> None:
    expansion = _expanded(f"{ONE}tests: [{{vars: {{a: 1}}}}, {{vars: {{a: 1}}}}]\n", tmp_path)
    first, second = (row.id for test in expansion.tests for row in test.rows)
    assert second == f"{first}-2"


def test_tests_of_a_script_leave_the_rows_open(tmp_path: Path) -> None:
    (tmp_path / "make.py").write_text("def generate_tests(): ...\n")
    expansion = _expanded(f"{ONE}tests: [make.py, {{vars: {{a: 1}}}}]\n", tmp_path)
    assert (expansion.count, expansion.is_open) == (1, True)


def test_lists_that_explode_are_cut_off(tmp_path: Path) -> None:
    lists = ", ".join(f"v{n}: [a, b, c, d, e, f, g, h, i, j]" for n in range(9))
    expansion = _expanded(f"{ONE}tests: [{{vars: {{{lists}}}}}]\n", tmp_path)
    assert (expansion.count, expansion.is_open) == (MOST_ROWS, True)


def test_the_default_comes_first_and_can_be_refused(tmp_path: Path) -> None:
    text = ONE + (
        "defaultTest:\n  vars: {lang: en, a: 0}\n  threshold: 0.5\n  options: {prefix: Hi}\n"
        "  assert: [{type: is-json}]\ntests:\n  - vars: {a: 1}\n"
        "    assert: [{type: contains, value: x}]\n"
        "  - description: alone\n    options: {disableDefaultAsserts: true}\n"
    )
    one, two = (it.test for it in _expanded(text, tmp_path).tests)
    assert one.variables == {"lang": "en", "a": 1}
    assert [it["type"] for it in one.assertions] == ["is-json", "contains"]
    assert (one.default_assertions, one.settings["threshold"]) == (1, 0.5)
    assert one.options == {"prefix": "Hi"}
    assert (two.name, two.assertions, two.variables["a"]) == ("alone", [], 0)


def test_the_default_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "default.yaml").write_text("vars: {b: [p, q]}\nassert: [{type: is-json}]\n")
    text = ONE + "defaultTest: file://default.yaml\ntests: [{vars: {a: 1}}]\n"
    (only,) = _expanded(text, tmp_path).tests
    assert (only.test.default_assertions, len(only.rows)) == (1, 2)
