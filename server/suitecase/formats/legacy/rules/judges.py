"""Rules on how newer formats name the prompts of judges."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.legacy.normalize.evaluators import FILE
from suitecase.rule import Finding, Severity, Tag, replace, rule
from suitecase.suite.parsed import ParsedCase, ParsedHead
from suitecase.syntax.node import Span


@rule("SC621", Severity.WARNING, only_of="respelled", tags=(Tag.DEPRECATED,))
def legacy_prompt_file(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A judge's prompt refers to its file with `file://`.

    A path is enough: a prompt that is the path of a file is replaced by the text of that file.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: file://tone.md  # <- finding
    ```

    ```markdown bad file=tone.md
    Is this warm? {{ candidate_answer }}
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: tone.md
    ```

    ```markdown fixed file=tone.md
    Is this warm? {{ candidate_answer }}
    ```
    """
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "prompt_file":
            written = legacy_syntax.parent.entries[legacy_syntax.name].value
            start = part.source.find(FILE, written.start, written.end)
            fix = None
            if start >= 0:
                fix = replace(Span(start, start + len(FILE)), "", f"Write `{legacy_syntax.new}`")
            yield Finding(written.span, f"a prompt file is now named without `{FILE}`", fix)
