"""Rules on files of prompts and of assertions that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, rule
from suitecase.format.workspace import Folder, NotFound
from suitecase.formats.agentv.suite.parsed import AgentvHead, AgentvTest
from suitecase.formats.promptfoo.suite.parsed import listed
from suitecase.text.node import Mapping, Scalar
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: Keys of a prompt that name its file, and those that have its text or name a file with `file://`.
_PATHS = ("file", "path")
_TEXTS = ("raw", "prompt", "id")
_PATTERN = frozenset("*?{[")


@rule("PF609", keys=("prompts",), gradable=True)
def missing_file_of_prompt(head: AgentvHead, folder: Folder) -> Iterator[Finding]:
    """A prompt names a file that does not exist.

    The file is searched in the folder of the suite, and then in those above it.

    ```yaml bad
    prompts:
      - file://prompts/support.md  # <- finding
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert: [Greets back]
    ```

    ```yaml good
    prompts:
      - file://support.md
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert: [Greets back]
    ```

    ```markdown good file=support.md
    Answer for the support desk: {{ input }}
    ```
    """
    for node in _files(head):
        path = node.text.strip().removeprefix(FILE_SCHEME)
        if "{{" in path or not _PATTERN.isdisjoint(path) or ":" in path:
            continue
        found = folder.find(path)
        if isinstance(found, NotFound) and found.why == "missing":
            yield Finding(node.span, f"prompt file `{path}` not found")


def _files(head: AgentvHead) -> Iterator[Scalar]:
    for entry in listed(head.get("prompts")):
        if isinstance(entry, Mapping):
            for name in _PATHS:
                node = entry.get(name)
                if isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip():
                    yield node
        named = [entry.get(text) for text in _TEXTS] if isinstance(entry, Mapping) else [entry]
        for node in named:
            if isinstance(node, Scalar) and node.text.strip().startswith(FILE_SCHEME):
                yield node


#: Where AgentV looks for a template of assertions that is named without a path.
_TEMPLATES = tuple(f".agentv/templates/{{name}}{ending}" for ending in (".yaml", ".yml"))


@rule("PF612", gradable=True)
def missing_template(part: AgentvHead | AgentvTest, folder: Folder) -> Iterator[Finding]:
    """A template of assertions does not exist.

    `include` names a file by its path, or a template in `.agentv/templates` by its name. Either is
    searched in the folder of the suite, and then in those above it; without it AgentV leaves the test
    out.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - include: tone  # <- finding
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - include: tone
    ```

    ```yaml good file=.agentv/templates/tone.yaml
    - Is polite
    ```
    """
    for name in part.included():
        text = name.text.strip()
        if not text or "{{" in text:
            continue
        is_path = text.startswith(".") or "/" in text or "\\" in text
        places = [text] if is_path else [place.format(name=text) for place in _TEMPLATES]
        found = [folder.find(place) for place in places]
        if all(isinstance(place, NotFound) and place.why == "missing" for place in found):
            kind = "file" if is_path else "template"
            where = "" if is_path else " in `.agentv/templates`"
            yield Finding(
                name.span, f"{kind} `{text}` not found{where}, so AgentV leaves the test out"
            )
