"""Hovers and completions in the evals of a skill."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.ide.marked_dialect import MarkedFile

FILES = {
    "SKILL.md": "---\nname: sums\ndescription: Adds up amounts.\n---\n# Sums\n",
    "evals/files/bill.csv": "amount\n12\n",
    "evals/files/bills/may.csv": "amount\n1\n",
    "references/taxes.md": "# Taxes\n",
}
EVALS = """\
{
  "skill_name": "sums",
  "evals": [
    {
      "id": 1,
      "prompt": "Add up",
      "files": ["evals/files/bill.csv"],
      "expectations": ["It says 12"]
    },
    {
      "id": 2
    }
  ]
}
"""


@pytest.fixture
def marked(tmp_path: Path) -> _Marked:
    return _Marked(tmp_path)


class _Marked:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self, old: str, new: str, files: Mapping[str, str] = FILES, text: str = EVALS
    ) -> MarkedFile:
        """Return the evals with a text replaced by one that has the cursor in it."""
        assert old in text
        return MarkedFile(self.folder, text.replace(old, new, 1), files, name="evals/evals.json")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("skill_name", "`name` at the top of its `SKILL.md`"),
        ("evals", "what the agent is asked"),
        ("id", "No other eval"),
        ("prompt", "as a user would write it"),
        ("files", "paths from the folder of the skill"),
        ("expectations", "agentskills.io has `assertions`"),
    ],
)
def test_a_hover_tells_what_a_key_means_with_an_example_in_json(
    marked: _Marked, key: str, words: str
) -> None:
    file = marked(f'"{key}"', f'"{key[:2]}▮{key[2:]}"')
    said = file.hover()
    assert f"**`{key}`**" in said
    assert words in said
    example = said.partition("```json\n")[2].partition("\n```")[0]
    assert key in json.loads("{" + example + "}")
    assert file.hovered() == f'"{key}"'


def test_statements_under_the_name_of_some_tools_are_known(marked: _Marked) -> None:
    text = EVALS.replace('"expectations"', '"expected_behavior"')
    said = marked('"expected_behavior"', '"expected▮_behavior"', text=text).hover()
    assert "a list of statements, or one" in said
    offered = marked('"id": 2', '"id": 2,\n      "▮"', text=text).labels()
    assert {"assertions", "expectations", "expected_behavior"} & {*offered} == {"expected_behavior"}


def test_a_hover_shows_the_file_that_a_path_leads_to(marked: _Marked) -> None:
    said = marked("files/bill.csv", "files/b▮ill.csv").hover()
    assert "`evals/files/bill.csv`" in said
    assert "amount\n12" in said
    assert "There is no such file" in marked("files/bill.csv", "files/b▮il.csv").hover()
    assert "is a folder" in marked("files/bill.csv", "files/b▮ills").hover()


def test_a_hover_on_the_name_tells_what_the_skill_does(marked: _Marked) -> None:
    assert "Adds up amounts." in marked('"sums"', '"su▮ms"').hover()
    assert marked('"sums"', '"su▮ms"', {"SKILL.md": "# Sums\n"}).hover().endswith("at its top.")


def test_what_has_no_meaning_has_no_hover(marked: _Marked) -> None:
    assert marked('"Add up"', '"Add▮ up"').hover() == ""
    assert marked('"id": 1,', '"id": 1,▮').hover() == ""


def test_keys_that_are_missing_are_offered(marked: _Marked) -> None:
    offered = marked('"id": 2', '"id": 2,\n      "▮"').labels()
    assert offered[:3] == ["name", "prompt", "expected_output"]
    assert "id" not in offered
    assert "expectations" in offered, "as the other evals have it"
    assert "assertions" not in offered
    at_top = marked('"evals": [', '"▮",\n  "evals": [').labels()
    assert at_top == []
    assert marked('  "skill_name": "sums",', "  ▮").labels() == ["skill_name"]


def test_keys_are_offered_in_evals_that_stand_in_one_line(marked: _Marked) -> None:
    text = '{"evals": [{"id": 1, "prompt": "Hi"}, {"id": 2, "▮"}]}'
    assert marked("", "", text=text).labels()[:3] == ["name", "prompt", "expected_output"]


@pytest.mark.parametrize("typed", ["▮", '"▮', '"▮"', '"pro▮"', '"pro▮', "pro▮"])
def test_an_accepted_key_gives_json(marked: _Marked, typed: str) -> None:
    file = marked('"id": 2', f'"id": 2,\n      {typed}')
    accepted = json.loads(file.accepted("prompt"))
    assert accepted["evals"][1] == {"id": 2, "prompt": ""}


def test_a_key_with_a_colon_keeps_its_value(marked: _Marked) -> None:
    file = marked('"prompt": "Add up"', '"pro▮": "Add up"')
    assert json.loads(file.accepted("prompt"))["evals"][0]["prompt"] == "Add up"


@pytest.mark.parametrize("typed", ['"▮"', '"▮', "▮"])
def test_paths_of_files_are_offered(marked: _Marked, typed: str) -> None:
    file = marked('["evals/files/bill.csv"]', f"[{typed}]")
    assert file.labels()[:2] == ["SKILL.md", "evals/"]
    assert "references/" in file.labels()
    assert json.loads(file.accepted("evals/"))["evals"][0]["files"] == ["evals/"]


def test_a_path_is_continued(marked: _Marked) -> None:
    file = marked("evals/files/bill.csv", "evals/files/b▮")
    assert file.labels() == ["evals/files/bill.csv", "evals/files/bills/"]
    done = json.loads(file.accepted("evals/files/bills/"))
    assert done["evals"][0]["files"] == ["evals/files/bills/"]
    assert "files/bill.csv" in marked("evals/files/bill.csv", "files/▮").labels()


def test_the_name_of_the_skill_is_offered(marked: _Marked) -> None:
    file = marked('"sums"', '"▮"')
    assert file.labels() == ["sums"]
    assert json.loads(file.accepted("sums"))["skill_name"] == "sums"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Add up"', '"Add ▮"'),
        ('"It says 12"', '"▮"'),
        ('"id": 1', '"id": ▮'),
        ("evals/files/bill.csv", "../../▮"),
    ],
)
def test_nothing_is_offered_elsewhere(marked: _Marked, old: str, new: str) -> None:
    assert marked(old, new).labels() == []


def test_every_place_of_a_text_can_be_asked(marked: _Marked) -> None:
    for text in (
        EVALS,
        json.dumps(json.loads(EVALS)),
        json.dumps(json.loads(EVALS)["evals"], indent=1),
    ):
        for at in range(0, len(text), 4):
            file = marked("", "", text=text)
            file.offset = at
            file.hover()
            file.completion()
            cut = marked("", "", text=text[:at])
            cut.offset = at
            cut.completion()
