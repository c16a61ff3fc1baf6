"""Rules on older names of what a judge's prompt is filled in with."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Related, Severity, replace, rule
from suitecase.suite.elements import WrittenEvaluator
from suitecase.suite.prompts import prompt_of
from suitecase.suite.workspace import Folder
from suitecase.syntax.node import Span
from suitecase_evaluators.judge.template import find_variables


@rule("SC619", Severity.WARNING)
def legacy_prompt_variable(evaluator: WrittenEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt names a variable as an older or another format does.

    `${question}` is `{{ question }}` today. `{{ input }}`, `{{ output }}` and
    `{{ expected_output }}` are `{{ question }}`, `{{ candidate_answer }}` and
    `{{ reference_answer }}`: texts, where some formats had messages as JSON, which are
    `{{ input_messages }}` and `{{ expected_messages }}`. The other names are understood.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: |
              Is this warm?
              {{ output }}  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: |
              Is this warm?
              {{ candidate_answer }}
    ```
    """
    prompt = prompt_of(evaluator, folder)
    if prompt is None or not isinstance(prompt.text, str) or prompt.path is not None:
        return
    for variable in find_variables(prompt.text):
        if variable.is_older:
            span = prompt.span(variable.start, variable.end, folder)
            new = f"{{{{ {variable.name} }}}}"
            yield Finding(
                span,
                f"`{prompt.text[variable.start : variable.end]}` is `{new}` today",
                replace(span, new, f"Write `{new}`"),
            )


@rule("SC620", Severity.INFO)
def legacy_variable_in_file(evaluator: WrittenEvaluator, folder: Folder) -> Iterator[Finding]:
    """A prompt file names variables as an older or another format does.

    They are understood, so nothing has to be done. The file is not changed with the suite, since
    other suites and other tools may read it too.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: tone.md  # <- finding
    ```

    ```markdown bad file=tone.md
    Is this warm? ${candidate_answer}
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: tone.md
    ```

    ```markdown good file=tone.md
    Is this warm? {{ candidate_answer }}
    ```
    """
    prompt = prompt_of(evaluator, folder)
    if prompt is None or not isinstance(prompt.text, str) or prompt.path is None:
        return
    older = [it for it in find_variables(prompt.text) if it.is_older]
    if older:
        written = prompt.text[older[0].start : older[0].end]
        yield Finding(
            prompt.node.span,
            f"`{prompt.reference}` has variables of another format, such as `{written}`, which "
            f"is `{{{{ {older[0].name} }}}}` today",
            related=tuple(
                Related(f"`{{{{ {it.name} }}}}` today", Span(it.start, it.end), prompt.path)
                for it in older
            ),
        )
