"""Rules on suites of promptfoo: they are reported, and not read."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.detection import format_of
from suitecase.formats.promptfoo.detect import TOP_KEYS, tool_of
from suitecase.rule import Finding, rule
from suitecase.syntax.document import Document


@rule("SC617")
def foreign_format(document: Document) -> Iterator[Finding]:
    """The file is a suite of another tool.

    Files with `prompts`, `providers` and tests with `vars` are suites of promptfoo, or of AgentV
    from version 5 on, which has the same format. There, each test fills its variables into each of
    the prompts; here, each case contains its input. They are not migrated automatically: for each
    prompt and test write a case whose `input` is the prompt with the variables filled in, name the
    target under `execution`, and write the assertions as `evaluators`.

    ```yaml bad
    prompts:  # <- finding
      - "Greet {{name}}"
    providers: [openai:gpt-4o]
    tests:
      - vars: {name: Ann}
        assert:
          - {type: contains, value: Ann}
    ```

    ```yaml good
    evalcases:
      - id: greet-ann
        input: Greet Ann
        expected_outcome: Greets Ann by name
        evaluators:
          - {name: ann, type: contains, value: Ann}
    ```
    """
    root = document.root
    if root is None or document.head.content.broken or format_of(document) != "foreign":
        return
    keys = [root.entries[name].key for name in TOP_KEYS if name in root]
    if document.list_key is not None:
        keys.append(document.list_key)
    first = min(keys, key=lambda it: it.start)
    marks = [f"`{name}`" for name in TOP_KEYS if name in root] or ["tests with `vars`"]
    yield Finding(
        document.head.absolute(first.span),
        f"this is a suite of {tool_of(root)} ({', '.join(marks)}), which is not read and "
        "not migrated; write a case for each prompt and test, with the variables filled in, as "
        "`suitecase explain foreign-format` shows",
    )
