"""The rule on files of prompts."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.agentv.suite.parsed import AgentvHead
from suitecase.formats.promptfoo.suite.parsed import listed
from suitecase.formats.promptfoo.suite.prompts.paths import FILE_SCHEME
from suitecase.rule import Finding, rule
from suitecase.suite.workspace import Folder, NotFound
from suitecase.syntax.node import Mapping, Scalar

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
        named = [entry.get(it) for it in _TEXTS] if isinstance(entry, Mapping) else [entry]
        for node in named:
            if isinstance(node, Scalar) and node.text.strip().startswith(FILE_SCHEME):
                yield node
