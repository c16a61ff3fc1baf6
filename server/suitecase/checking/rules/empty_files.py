"""Rules on files that exist but are empty."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.elements import ParsedMessage
from suitecase.formats.suitecase.parsed import ParsedHead
from suitecase.formats.suitecase.sent_files import sent_references


@rule("SC506", Severity.WARNING, keys=("prompt", "content[]"))
def empty_file(part: ParsedHead | ParsedMessage, folder: Folder) -> Iterator[Finding]:
    """A file that a message or the suite's prompt names is empty.

    The target is called without the content of the file. It may have been saved too early, or never
    filled in.

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
    for reference in sent_references(part):
        found = folder.find(reference.text)
        text = folder.read(found.path) if isinstance(found, Found) else None
        if isinstance(text, str) and not text.strip():
            yield Finding(reference.span, f"the file `{reference.text}` is empty")
