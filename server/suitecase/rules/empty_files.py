"""Rules on files that are there and say nothing."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Severity, rule
from suitecase.suite.elements import WrittenMessage
from suitecase.suite.workspace import Folder, Found
from suitecase.suite.written import WrittenHead
from suitecase.syntax.node import Mapping, Scalar, Sequence


@rule("SC506", Severity.WARNING)
def empty_file(part: WrittenHead | WrittenMessage, folder: Folder) -> Iterator[Finding]:
    """A file that a message or the suite's prompt names is empty.

    The target is asked without what should stand in it. A file that was saved too early, or never
    filled, looks just like this.

    ```yaml bad
    evalcases:
      - id: review
        expected_outcome: Finds the mistake
        input_messages:
          - role: user
            content:
              - {type: text, value: Review this file.}
              - {type: file, value: totals.py}  # <- finding
    ```

    ```python bad file=totals.py
    ```

    ```yaml good
    evalcases:
      - id: review
        expected_outcome: Finds the mistake
        input_messages:
          - role: user
            content:
              - {type: text, value: Review this file.}
              - {type: file, value: totals.py}
    ```

    ```python good file=totals.py
    total = lambda items: 0
    ```
    """
    for reference in _references(part):
        found = folder.find(reference.text)
        text = folder.read(found.path) if isinstance(found, Found) else None
        if isinstance(text, str) and not text.strip():
            yield Finding(reference.span, f"the file `{reference.text}` is empty")


def _references(part: WrittenHead | WrittenMessage) -> Iterator[Scalar]:
    """Yield the places that name files whose text is used."""
    if isinstance(part, WrittenHead):
        prompt = part.node.get("prompt") if part.node else None
        named = [prompt.get("file")] if isinstance(prompt, Mapping) else []
    else:
        content = part.node.get("content")
        parts = content.items if isinstance(content, Sequence) else []
        named = [
            it.get("value")
            for it in parts
            if isinstance(it, Mapping)
            and isinstance(kind := it.get("type"), Scalar)
            and kind.text == "file"
        ]
    for it in named:
        if isinstance(it, Scalar) and isinstance(it.value, str) and it.text.strip():
            yield it
