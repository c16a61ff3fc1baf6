"""Tests that a promptfoo configuration has in other files, as promptfoo reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import ColumnKind, read_table
from suitecase.formats.promptfoo.suite.test_cases.lists import SourceProblem, test_sources
from suitecase.text.compose import compose

sources_of = test_sources
sources_of.__test__ = False  # type: ignore[attr-defined]


def test_columns_with_two_underscores_are_not_variables() -> None:
    text = (
        "\ufeffquestion, __expected ,__expected2,__prefix,__metric,__metadata:topic,__metadata,"
        '__config:__expected:threshold,_expected\n"Who?, me",a,b,c,d,e,f,0.5,g\n'
    )
    table = read_table(text)
    assert [it.kind for it in table.columns] == [
        ColumnKind.VARIABLE,
        ColumnKind.EXPECTED,
        ColumnKind.EXPECTED,
        ColumnKind.PREFIX,
        ColumnKind.METRIC,
        ColumnKind.METADATA,
        ColumnKind.IGNORED,
        ColumnKind.CONFIG,
        ColumnKind.VARIABLE,
    ]
    assert {name: text[slice(*it)] for name, it in table.variables.items()} == {
        "question": "question",
        "_expected": "_expected",
    }
    (row,) = table.rows
    assert table.values(row) == {"question": "Who?, me", "_expected": "g"}
    assert text[slice(*row.cells[0].span)] == "Who?, me"
    assert [it.text for _, it in table.cells(row, ColumnKind.EXPECTED)] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "variables", "rows"),
    [
        ("", 0, 0),
        ("a", 1, 0),
        ("a\r\n1\r\n2", 1, 2),
        ('a,b\n"two\nlines",""""\n', 2, 1),
        ("a;b\n1;2\n", 2, 1),
        ("a,a\n1,2\n", 1, 1),
        ("a,b\n1,2\n\n3,4\n", 2, 3),
        ('a,b\n"1,2\n', 2, 1),
    ],
)
def test_any_table_is_read(text: str, variables: int, rows: int) -> None:
    table = read_table(text)
    assert (len(table.variables), len(table.rows)) == (variables, rows)


FILES = {
    "list.yaml": "# Tests\n- vars: {a: 1}\n- vars: {b: 2}\n  assert: []\n",
    "one.yaml": "vars: {a: 1}\n",
    "list.json": '[{"vars": {"a": 1}}, {"vars": "more.yaml"}]\n',
    "list.jsonl": '{"vars": {"a": 1}}\n\n{"vars": {"c": 2}}\n',
    "table.csv": "a,__expected\n1,x\n2,y\n",
    "more/x.yaml": "- vars: {x: 1}\n",
    "more/y.csv": "y\n1\n",
    "make.py": "def generate_tests(): ...\n",
    "notes.txt": "x",
}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return Folder(Workspace(tmp_path), tmp_path)


@pytest.mark.parametrize(
    ("tests", "names"),
    [
        ("list.yaml", [["a"], ["b"]]),
        ("file://list.yaml", [["a"], ["b"]]),
        ("one.yaml", [["a"]]),
        ("list.json", [["a"], []]),
        ("[list.jsonl]", [["a"], ["c"]]),
        ("table.csv", [["a"], ["a"]]),
        ("'*.yaml'", [["a"], ["b"], ["a"]]),
        ("[more/*, one.yaml]", [["x"], ["y"], ["a"]]),
        ("{path: table.csv}", [["a"], ["a"]]),
        ("[{path: table.csv, config: {}}, {vars: {z: 1}}]", [["a"], ["a"]]),
    ],
)
def test_tests_in_files_have_their_variables(
    folder: Folder, tests: str, names: list[list[str]]
) -> None:
    sources = sources_of(compose(tests).root, folder)
    found = [it for source in sources for file in source.files for it in file.tests]
    assert [list(it.variables) for it in found] == names
    for it in found:
        assert it.path is not None
        text = folder.read(it.path)
        for name, place in it.variables.items():
            assert str(text)[slice(*it.absolute(place))].strip('"') == name


@pytest.mark.parametrize(
    ("tests", "problem"),
    [
        ("nope.yaml", SourceProblem.MISSING),
        ("[file://more/nope.csv]", SourceProblem.MISSING),
        ("['more/*.jsonl']", SourceProblem.NO_MATCH),
        ("'more/*.csv'", SourceProblem.MISSING),  # a glob only in a list, or of YAML
        ("more", SourceProblem.FOLDER),
        ("../else.csv", SourceProblem.OUTSIDE),
        ("notes.txt", SourceProblem.UNKNOWN_ENDING),
        ("nope.py:make", SourceProblem.MISSING),
    ],
)
def test_entries_without_tests_say_why(folder: Folder, tests: str, problem: SourceProblem) -> None:
    (source,) = sources_of(compose(tests).root, folder)
    assert source.problem is problem


@pytest.mark.parametrize(
    "tests",
    [
        "make.py:generate_tests",
        "[file://make.py]",
        "https://docs.google.com/spreadsheets/d/1",
        "huggingface://datasets/a/b",
        "file://{{ env.TESTS }}.csv",
    ],
)
def test_what_scripts_and_services_give_is_not_known(folder: Folder, tests: str) -> None:
    (source,) = sources_of(compose(tests).root, folder)
    assert source.is_open
    assert source.problem is None
    assert source.files == ()


def test_variables_in_a_file_of_their_own_are_not_known_from_the_test(folder: Folder) -> None:
    (source,) = sources_of(compose("list.json").root, folder)
    assert [it.is_open for it in source.files[0].tests] == [False, True]


def test_a_broken_file_is_said_to_be_broken(folder: Folder) -> None:
    (folder.path / "broken.jsonl").write_text('{"vars": {"a": 1}}\n{"vars": \n')
    (source,) = sources_of(compose("broken.jsonl").root, folder)
    assert source.files[0].read.broken
    assert len(source.files[0].tests) == 2
