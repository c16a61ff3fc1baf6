"""Definitions, references and renaming of what promptfoo's configurations share with the files they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.editor.navigation.file_edits import CannotRenameError
from suitecase.editor.navigation.moved_files import Moves, moved_references
from suitecase.format.rule import Fix
from support.ide.marked_workspace import MarkedWorkspace

CONFIGURATION = """\
description: Towns
prompts:
  - file://prompts/ask.txt
  - "Briefly: {{ country }}? {{ env.KEY }}"
  - id: file://prompts/chat.json
    label: chat
providers:
  - id: openai:gpt-4o
    label: large
    prompts: [chat]
  - echo
defaultTest:
  vars: {tone: polite}
  assert:
    - {type: llm-rubric, value: "Is {{tone}}", metric: manners}
tests:
  - description: The capital
    vars:
      country: France
    providers: [large]
    prompts: [chat]
    assert:
      - {type: contains, value: "{{ country }}", metric: manners}
      - type: javascript
        value: output.includes(context.vars.country)
      - {type: python, value: "file://checks/length.py:check"}
  - file://more.yaml
  - file://table.csv
"""
FILES = {
    "promptfooconfig.yaml": CONFIGURATION,
    "prompts/ask.txt": "What is the capital of {{ country }}?\nBe {{tone}}.\n",
    "prompts/chat.json": '[{"role": "user", "content": "{{country}} \\n{{ country }}"}]\n',
    "more.yaml": "- vars: {country: Italy}\n  providers: [large]\n",
    "table.csv": 'country,__expected\n"Spain, the","contains:""{{country}}"""\n',
    "checks/length.py": 'def check(output, context):\n    return context["vars"]["country"]\n',
}
DEFINITIONS = [
    "promptfooconfig.yaml: country",
    "more.yaml: country",
    "table.csv: country",
]


def opened(folder: Path, at: str, before: str, after: str = "", **files: str) -> MarkedWorkspace:
    """Open a file with the cursor between two texts."""
    texts = {**FILES, **files}
    assert texts[at].count(before + after) >= 1, before + after
    texts[at] = texts[at].replace(before + after, f"{before}|{after}", 1)
    return MarkedWorkspace(folder, texts, at=at)


@pytest.mark.parametrize(
    ("at", "before", "after"),
    [
        ("promptfooconfig.yaml", "Briefly: {{ coun", "try"),
        ("promptfooconfig.yaml", 'value: "{{ coun', "try"),
        ("promptfooconfig.yaml", "context.vars.coun", "try"),
        ("prompts/ask.txt", "{{ coun", "try"),
        ("prompts/chat.json", "\\n{{ coun", "try"),
        ("table.csv", '""{{coun', "try"),
        ("checks/length.py", '["coun', "try"),
    ],
)
def test_a_variable_leads_to_the_tests_that_give_it_a_value(
    tmp_path: Path, at: str, before: str, after: str
) -> None:
    assert sorted(it.split(":")[0] for it in opened(tmp_path, at, before, after).definition()) == [
        "more.yaml",
        "promptfooconfig.yaml",
        "table.csv",
    ]


@pytest.mark.parametrize(
    ("at", "before"),
    [
        ("promptfooconfig.yaml", "    vars:\n      coun"),
        ("prompts/ask.txt", "of {{ coun"),
        ("more.yaml", "{coun"),
        ("table.csv", "coun"),
    ],
)
def test_a_variable_has_the_same_uses_from_wherever_they_are_asked_for(
    tmp_path: Path, at: str, before: str
) -> None:
    found = opened(tmp_path, at, before).references()
    assert [it.split(":")[0] for it in found] == [
        "checks/length.py",
        "more.yaml",
        *["promptfooconfig.yaml"] * 4,
        "prompts/ask.txt",
        *["prompts/chat.json"] * 2,
        *["table.csv"] * 2,
    ]


def test_a_variable_is_renamed_in_all_files(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "prompts/ask.txt", "of {{ coun", "try")
    before = {name: it.decode() for name, it in workspace.bytes().items()}
    changed = workspace.rename("nation")
    assert changed == sorted(set(FILES))
    after = {name: it.decode() for name, it in workspace.bytes().items()}
    assert after == {name: it.replace("country", "nation") for name, it in before.items()}


def test_a_file_that_two_configurations_share_joins_their_variables(tmp_path: Path) -> None:
    other = "prompts: [file://prompts/ask.txt]\nproviders: [echo]\ntests:\n  - vars: {country: X}\n"
    apart = "prompts: ['{{country}}']\nproviders: [echo]\ntests:\n  - vars: {country: Y}\n"
    workspace = opened(
        tmp_path,
        "promptfooconfig.yaml",
        "    vars:\n      coun",
        **{"other.promptfooconfig.yaml": other, "apart.promptfooconfig.yaml": apart},
    )
    changed = workspace.rename("nation")
    assert "other.promptfooconfig.yaml" in changed
    assert "apart.promptfooconfig.yaml" not in changed


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("two words", "cannot name a variable"),
        ("2nd", "cannot name a variable"),
        ("env", "means something else"),
        ("tone", "already there, in `promptfooconfig.yaml:13`"),
        ("", "needs a name"),
    ],
)
def test_a_variable_is_not_given_a_name_that_is_taken_or_is_not_one(
    tmp_path: Path, new: str, reason: str
) -> None:
    workspace = opened(tmp_path, "prompts/ask.txt", "of {{ coun", "try")
    with pytest.raises(CannotRenameError, match=reason):
        workspace.rename(new)
    assert "nation" not in str(workspace.bytes())


@pytest.mark.parametrize(
    "code",
    [
        "const { country } = context.vars;\nreturn output.includes(country);\n",
        "for (const key of ['country']) check(context.vars[key]);\n",
    ],
)
def test_code_that_may_read_a_variable_otherwise_is_named(tmp_path: Path, code: str) -> None:
    text = CONFIGURATION.replace("checks/length.py:check", "checks/length.js")
    files = {"promptfooconfig.yaml": text, "checks/length.js": code}
    workspace = opened(tmp_path, "prompts/ask.txt", "of {{ coun", "try", **files)
    with pytest.raises(CannotRenameError, match=r"`checks/length\.js:1` may read `country`"):
        workspace.rename("nation")


def test_a_variable_is_not_renamed_where_a_file_outside_of_the_workspace_may_use_it(
    tmp_path: Path,
) -> None:
    text = CONFIGURATION.replace("file://prompts/ask.txt", "file://../../elsewhere/ask.txt")
    files = {"promptfooconfig.yaml": text}
    workspace = opened(tmp_path, "promptfooconfig.yaml", "Briefly: {{ coun", "try", **files)
    with pytest.raises(CannotRenameError, match="outside of the workspace"):
        workspace.rename("nation")


def test_a_label_of_a_provider_is_found_and_renamed_in_lists_of_tests_too(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "more.yaml", "[lar", "ge]")
    assert len(workspace.definition()) == 1
    assert len(workspace.references()) == 3
    assert workspace.rename("big one") == ["more.yaml", "promptfooconfig.yaml"]
    text = (tmp_path / "promptfooconfig.yaml").read_text("utf-8")
    assert "label: big one\n" in text
    assert "providers: [big one]" in text
    assert (tmp_path / "more.yaml").read_text("utf-8").endswith("providers: [big one]\n")


def test_the_id_of_a_provider_is_not_renamed(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "promptfooconfig.yaml", "openai:gpt", "-4o")
    with pytest.raises(CannotRenameError, match="give the provider a `label`"):
        workspace.rename("other")


def test_a_label_of_a_prompt_is_found_in_filters(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "promptfooconfig.yaml", "    prompts: [ch", "at]\n    assert")
    assert len(workspace.definition()) == 1
    assert len(workspace.references(with_definition=False)) == 2
    assert workspace.rename("dialog") == ["promptfooconfig.yaml"]
    assert "chat.json" in (tmp_path / "promptfooconfig.yaml").read_text("utf-8")


def test_a_metric_has_its_assertions_as_references(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "promptfooconfig.yaml", "metric: man", "ners")
    assert len(workspace.references()) == 2
    assert len(workspace.highlights()) == 2
    assert workspace.rename("courtesy") == ["promptfooconfig.yaml"]


def test_a_path_leads_to_its_file_and_the_file_to_where_it_is_named(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "promptfooconfig.yaml", "file://prompts/as", "k.txt")
    (place,) = workspace.definition()
    assert place.startswith("prompts/ask.txt")
    workspace = opened(tmp_path, "prompts/ask.txt", "What is ", "the")
    assert [it.split(":")[0] for it in workspace.references()] == ["promptfooconfig.yaml"]


def test_names_of_our_suites_and_of_others_do_not_mix(tmp_path: Path) -> None:
    ours = """\
        evalcases:
          - id: country
            input: Hi
            expected_outcome: x
            evaluators:
              - {name: manners, type: llm_judge, prompt: "{{ question }}"}
              - {name: large, type: contains, value: x}
        """
    targets = "targets:\n  - {name: large, provider: mock}\n"
    theirs = CONFIGURATION.replace("country", "question")
    files = {"own.eval.yaml": ours, "targets.yaml": targets, "promptfooconfig.yaml": theirs}
    for at, before in (
        ("promptfooconfig.yaml", "    vars:\n      ques"),
        ("promptfooconfig.yaml", "label: lar"),
        ("promptfooconfig.yaml", "metric: man"),
    ):
        found = opened(tmp_path, at, before, **files).references()
        assert found
        assert not [it for it in found if it.startswith(("own", "targets"))]
    for at, before in (
        ("own.eval.yaml", "{{ ques"),
        ("own.eval.yaml", "name: man"),
        ("targets.yaml", "name: lar"),
    ):
        found = opened(tmp_path, at, before, **files).references()
        assert found
        assert all(it.startswith(("own", "targets")) for it in found)


def test_paths_in_a_list_of_tests_start_at_the_configuration_that_names_it(tmp_path: Path) -> None:
    listed = "- vars: {document: 'file://texts/long.txt'}\n"
    text = "prompts: ['{{document}}']\nproviders: [echo]\ntests: file://lists/more.yaml\n"
    files = {"promptfooconfig.yaml": text, "lists/more.yaml": listed, "texts/long.txt": "Once\n"}
    workspace = opened(tmp_path, "lists/more.yaml", "texts/lo", "ng.txt", **files)
    assert workspace.definition() == ["texts/long.txt: «»Once"]
    workspace = opened(tmp_path, "texts/long.txt", "On", "ce", **files)
    assert workspace.references() == [
        "lists/more.yaml: - vars: {document: 'file://«texts/long.txt»'}"
    ]


def test_a_variable_in_a_file_that_is_moved_keeps_its_uses(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "prompts/ask.txt", "of {{ coun", "try")
    moves = Moves([(tmp_path / "prompts", tmp_path / "texts")])
    (edits,) = moved_references(workspace.surroundings, moves)
    assert edits.path == tmp_path / "promptfooconfig.yaml"
    text = Fix("", edits.edits).apply(edits.text)
    assert text == CONFIGURATION.replace("file://prompts/", "file://texts/")


def test_anchors_and_aliases_are_followed_as_in_our_suites(tmp_path: Path) -> None:
    text = """\
        prompts: ["{{ name }}"]
        providers: [echo]
        defaultTest:
          vars: &shared {name: Ann}
        tests:
          - vars: *shared
        """
    workspace = opened(
        tmp_path, "promptfooconfig.yaml", "vars: *sha", "red", **{"promptfooconfig.yaml": text}
    )
    assert workspace.definition() == ["promptfooconfig.yaml: vars: &«shared» {name: Ann}"]
    assert workspace.rename("person") == ["promptfooconfig.yaml"]
    workspace = opened(
        tmp_path, "promptfooconfig.yaml", "{{ na", "me", **{"promptfooconfig.yaml": text}
    )
    assert len(workspace.references()) == 2
    workspace.rename("who")
    assert '"{{ who }}"' in (tmp_path / "promptfooconfig.yaml").read_text("utf-8")
    assert "{who: Ann}" in (tmp_path / "promptfooconfig.yaml").read_text("utf-8")


def test_a_variable_behind_a_merge_key_is_not_renamed(tmp_path: Path) -> None:
    text = """\
        prompts: ["{{ name }}"]
        providers: [echo]
        x-shared: &shared {name: Ann}
        tests:
          - vars: {<<: *shared, name2: x}
        """
    workspace = opened(
        tmp_path, "promptfooconfig.yaml", "{{ na", "me", **{"promptfooconfig.yaml": text}
    )
    with pytest.raises(CannotRenameError, match="shared through a merge key"):
        workspace.rename("who")


MORE = """\
prompts: [prompts/*.txt]
providers: [echo]
derivedMetrics:
  - {name: total, value: "manners + max(facts, 1)"}
tests:
  - vars: {query: Who?}
    options: {storeOutputAs: first}
    assert:
      - {type: context-recall, value: x, metric: facts}
      - {type: contains, value: "{{ first }} {{ query }}", metric: manners}
  - vars: {text: "{{ first }}"}
    options: {transformVars: "return {...vars, text: vars.text.trim()}"}
"""


def more(folder: Path, before: str, after: str) -> MarkedWorkspace:
    return opened(folder, "promptfooconfig.yaml", before, after, **{"promptfooconfig.yaml": MORE})


def test_a_pattern_leads_to_the_files_that_it_matches(tmp_path: Path) -> None:
    found = more(tmp_path, "prompts/", "*.txt").definition()
    assert [it.split(":")[0] for it in found] == ["prompts/ask.txt"]


def test_a_metric_is_renamed_in_formulas_that_name_it(tmp_path: Path) -> None:
    workspace = more(tmp_path, "metric: fa", "cts")
    assert len(workspace.references()) == 2
    with pytest.raises(CannotRenameError, match="a formula names `facts`"):
        workspace.rename("plain facts")
    workspace.rename("truth")
    assert "manners + max(truth, 1)" in (tmp_path / "promptfooconfig.yaml").read_text("utf-8")


def test_an_answer_that_is_stored_is_a_variable(tmp_path: Path) -> None:
    workspace = more(tmp_path, "{{ fir", 'st }}"}')
    assert workspace.definition() == ["promptfooconfig.yaml: options: {storeOutputAs: «first»}"]
    workspace.rename("answer")
    assert (tmp_path / "promptfooconfig.yaml").read_text("utf-8").count("answer") == 3


def test_variables_that_are_read_by_name_are_not_renamed(tmp_path: Path) -> None:
    with pytest.raises(
        CannotRenameError, match=r"`context-recall` in .* reads the variable `query`"
    ):
        more(tmp_path, "{{ que", "ry }}").rename("asked")
    with pytest.raises(CannotRenameError, match="may read `text`"):
        more(tmp_path, "vars: {te", "xt").rename("asked")


def test_names_in_json_and_in_tables_with_quotes_are_renamed_as_they_are_written(
    tmp_path: Path,
) -> None:
    files = {
        "promptfooconfig.json": """\
            {
              "prompts": ["file://ask.md"],
              "providers": ["echo"],
              "defaultTest": {"assert": [{"type": "contains", "value": "\\"{{ town }}\\""}]},
              "tests": "file://tests.csv"
            }
            """,
        "ask.md": "\ufeffWhere is {{ to|wn }}?\n",
        "tests.csv": '\ufeff"town","__expected"\n"Nice","contains: ""{{ town }}"""\n',
    }
    workspace = MarkedWorkspace(tmp_path, files, at="ask.md")
    before = {name: it.decode() for name, it in workspace.bytes().items()}
    assert workspace.rename("city") == ["ask.md", "promptfooconfig.json", "tests.csv"]
    after = {name: it.decode() for name, it in workspace.bytes().items()}
    assert after == {name: it.replace("town", "city") for name, it in before.items()}


def test_what_is_no_name_is_refused_in_words_of_promptfoo(tmp_path: Path) -> None:
    with pytest.raises(CannotRenameError, match="labels of providers and prompts"):
        opened(tmp_path, "promptfooconfig.yaml", "descrip", "tion: Towns").rename("title")


def test_only_code_reads_variables(tmp_path: Path) -> None:
    configuration = """\
        prompts: ["{{ city }} {{ transform }}"]
        providers: [echo]
        tests:
          - description: About {{ city }}
            vars: {ci|ty: Rome, transform: vars.city}
            options: {transform: "output + vars.city"}
        """
    workspace = MarkedWorkspace(
        tmp_path, {"promptfooconfig.yaml": configuration}, at="promptfooconfig.yaml"
    )
    assert len(workspace.references()) == 3
