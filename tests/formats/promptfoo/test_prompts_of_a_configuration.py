"""The prompts of a configuration, as promptfoo 0.121.20 makes them."""

from pathlib import Path

import pytest

from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.suite.prompts.prompts import (
    PromptEntry,
    PromptSource,
    prompt_entries,
    prompts_of,
)
from suitecase.formats.promptfoo.suite.prompts.targets import PromptProblem
from suitecase.text.compose import compose
from suitecase.text.node import Mapping

FILES = {
    "prompts/parts.txt": "one {{x}}\r\n---\r\ntwo\r\n ---  \n\n---\nthree",
    "prompts/chat.json": '[{"role": "user", "content": "say \\"{{q}}\\""}]',
    "prompts/chat.yaml": "- role: user\n  content: Say {{q}}\n",
    "prompts/table.csv": 'prompt,label\n"a, ""b""",First\nc {{d}},\n',
    "prompts/column.csv": "prompt\nhello {{x}}\nworld\n",
    "prompts/lines.jsonl": '{"a": "{{x}}"}\n{"b": 2}\n',
    "prompts/text.md": "# {{title}}",
    "prompts/empty.txt": "\n---\n",
    "prompts/odd.prompt": "x",
    "prompts/linked.json": '[{"role": "system", "content": "file://prompts/text.md"}]',
    "prompts/make.py": "def create(context):\n    return 'x'\n",
    "prompts/make.js": "module.exports = { create: () => 'x' };\n",
}


def entries(folder: Path, text: str) -> tuple[PromptEntry, ...]:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode())
    root = compose(text).root
    assert isinstance(root, Mapping)
    return prompt_entries(root.get("prompts"), Folder(Workspace(folder), folder, text), text)


def texts(folder: Path, *written: str) -> list[tuple[str | None, str]]:
    listed = "".join(f"  - {it}\n" for it in written)
    return [(it.text, it.label) for it in prompts_of(entries(folder, f"prompts:\n{listed}"))]


def test_texts_are_prompts_with_themselves_as_labels(tmp_path: Path) -> None:
    assert texts(tmp_path, "Say {{x}}", "Sing {{x}}") == [
        ("Say {{x}}", "Say {{x}}"),
        ("Sing {{x}}", "Sing {{x}}"),
    ]


def test_a_text_that_is_listed_twice_is_taken_once(tmp_path: Path) -> None:
    assert len(texts(tmp_path, "Say {{x}}", "Say {{x}}")) == 1


def test_lines_of_dashes_part_the_prompts_of_a_text_file(tmp_path: Path) -> None:
    assert texts(tmp_path, "file://prompts/parts.txt") == [
        ("one {{x}}", "prompts/parts.txt: one {{x}}"),
        ("two", "prompts/parts.txt: two"),
        ("three", "prompts/parts.txt: three"),
    ]


def test_chats_are_one_prompt_in_json(tmp_path: Path) -> None:
    chat = '[{"role":"user","content":"Say {{q}}"}]'
    assert texts(tmp_path, "file://prompts/chat.yaml") == [(chat, f"prompts/chat.yaml: {chat}")]


def test_tables_have_a_prompt_in_each_row(tmp_path: Path) -> None:
    assert texts(tmp_path, "file://prompts/table.csv", "prompts/column.csv") == [
        ('a, "b"', "First"),
        ("c {{d}}", "Prompt 2 - c {{d}}"),
        ("hello {{x}}", "Prompt 1 - hello {{x}}"),
        ("world", "Prompt 2 - world"),
    ]


def test_json_lines_have_a_prompt_in_each_line(tmp_path: Path) -> None:
    found = [text for text, _ in texts(tmp_path, "prompts/lines.jsonl")]
    assert found == ['{"a": "{{x}}"}', '{"b": 2}']


def test_a_glob_stands_for_its_files(tmp_path: Path) -> None:
    found = texts(tmp_path, '"prompts/*.{md,csv}"')
    assert {label.partition(" ")[0] for _, label in found} == {
        "First",
        "Prompt",
        "prompts/text.md:",
    }


def test_code_has_no_text(tmp_path: Path) -> None:
    made = prompts_of(entries(tmp_path, "prompts: [file://prompts/make.py:create, exec:./run.sh]"))
    assert [(it.text, it.source) for it in made] == [(None, PromptSource.CODE)] * 2


def test_objects_have_a_label(tmp_path: Path) -> None:
    assert texts(
        tmp_path, "{id: file://prompts/text.md, label: Title}", "{raw: Hi, label: Hi}"
    ) == [
        ("# {{title}}", "Title"),
        ("Hi", "Hi"),
    ]


def test_a_mapping_names_labels_by_texts(tmp_path: Path) -> None:
    made = prompts_of(entries(tmp_path, "prompts:\n  file://prompts/text.md: Title\n  Hi: Short\n"))
    assert [(it.text, it.label) for it in made] == [("# {{title}}", "Title"), ("Hi", "Short")]


def test_without_prompts_the_variable_prompt_is_sent(tmp_path: Path) -> None:
    (prompt,) = prompts_of((), is_written=False)
    assert (prompt.text, prompt.written) == ("{{prompt}}", False)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("file://prompts/nope.txt", PromptProblem.MISSING),
        ('"Answer yes/no: {{q}}"', PromptProblem.MISSING),
        ("Costs 1.50", PromptProblem.MISSING),
        ("file://prompts", PromptProblem.FOLDER),
        ("file://nope/*.txt", PromptProblem.NO_MATCH),
        ("file://prompts/odd.prompt", PromptProblem.UNKNOWN_ENDING),
        ("file://prompts/empty.txt", PromptProblem.NO_PROMPTS),
        ("file://prompts/make.py:nope", PromptProblem.NO_FUNCTION),
        ("file://prompts/make.js:nope", PromptProblem.NO_FUNCTION),
        ("|\n    file://prompts/text.md", PromptProblem.LINE_BREAK),
        ("5", PromptProblem.NOT_TEXT),
        ("{label: x}", PromptProblem.NO_TEXT),
        ("file://prompts/text.md", None),
        ("file://prompts/make.js:create", None),
        ("langfuse://greeting:3", None),
        ("file://../outside.txt", PromptProblem.OUTSIDE),
        ("file://../*.txt", PromptProblem.OUTSIDE),
        ("file:///**/*.txt", PromptProblem.OUTSIDE),
        ("file://*/../../../*.txt", PromptProblem.OUTSIDE),
    ],
)
def test_what_is_wrong_with_an_entry(
    tmp_path: Path, written: str, problem: PromptProblem | None
) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (entry,) = entries(folder, f"prompts:\n  - {written}\n")
    assert entry.problem is problem


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ('"Say {{x}}"', "x"),
        ("|\n    Line\n    and {{word}}", "word"),
        ('\'[{"content": "\\"{{q}}\\""}]\'', "q"),
        ("file://prompts/parts.txt", "x"),
        ("file://prompts/chat.json", "q"),
        ("file://prompts/chat.yaml", "q"),
        ("file://prompts/table.csv", "d"),
        ("file://prompts/column.csv", "x"),
        ("file://prompts/lines.jsonl", "x"),
        ("file://prompts/text.md", "title"),
        ("file://prompts/linked.json", "title"),
    ],
)
def test_templates_are_found_in_the_file_they_stand_in(
    tmp_path: Path, written: str, word: str
) -> None:
    text = f"prompts:\n  - {written}\n"
    made = prompts_of(entries(tmp_path, text))
    (part,) = [it for prompt in made for it in prompt.parts if "{{" in it.text]
    start = part.text.index("{{") + 2
    span = part.span(start, start + len(word))
    source = text if part.path is None else part.path.read_bytes().decode()
    assert source[span.start : span.end] == word
