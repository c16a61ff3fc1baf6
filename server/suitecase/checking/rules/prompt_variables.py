"""Rules on the variables in judges' prompts."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.prompts import external_of, texts_of
from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.prompts import PROMPTS
from suitecase.text.near_names import nearest
from suitecase_evaluators.grade.judge.template import (
    find_unclosed,
    find_variables,
    variables_of,
)


@rule("SC302", roles=PROMPTS, gradable=True)
def unknown_prompt_variable(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt uses an unknown variable.

    An unknown `{{ name }}` would be sent to the judge literally.

    In a prompt file the finding is reported there, once, however many suites name the file. A
    comment in a suite, on the line that names the file, suppresses it for that suite;
    `per-file-ignores` suppresses it by the path of the prompt file.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: Is this warm? {{ candidate_anwser }} {{ candidate_answer }}  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: Is this warm? {{ candidate_answer }} {{ candidate_answer }}
    ```

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: tone.md
    ```

    ```markdown bad file=tone.md
    Is this answer to {{ qestion }} warm? {{ candidate_answer }}  # <- finding
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
    Is this answer to {{ question }} warm? {{ candidate_answer }}
    ```
    """
    for prompt, text in texts_of(evaluator, folder):
        external = external_of(prompt)
        known = variables_of(prompt.role)
        for variable in find_variables(text):
            if variable.name in known:
                continue
            suggestion = nearest(variable.name, known)
            message = f"unknown prompt variable `{{{{ {variable.name} }}}}`" + (
                f"; did you mean `{{{{ {suggestion} }}}}`?"
                if suggestion
                else f"; expected one of {', '.join(f'`{name}`' for name in known)}"
            )
            span = prompt.span(variable.start, variable.end, folder)
            new = f"{{{{ {suggestion} }}}}"
            fix = replace(span, new, f"Change to `{new}`", safe=False) if suggestion else None
            yield Finding(span, message, fix, external=external)


@rule("SC323", Severity.WARNING, roles=PROMPTS)
def unclosed_prompt_variable(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A variable in a judge's prompt has unbalanced braces.

    Only `{{ name }}` is filled in. If a brace is missing, the judge would see the braces and the
    name. The rule reports the name of a known variable after `{{` or before `}}` if the other two
    braces are missing.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: |
              Is this answer to {{ question } warm?  # <- finding
              {{ candidate_answer }}
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
              Is this answer to {{ question }} warm?
              {{ candidate_answer }}
    ```
    """
    for prompt, text in texts_of(evaluator, folder):
        for variable in find_unclosed(text):
            span = prompt.span(variable.start, variable.end, folder)
            new = f"{{{{ {variable.name} }}}}"
            yield Finding(
                span,
                f"`{text[variable.start : variable.end]}` is not replaced; write the variable as "
                f"`{new}`",
                replace(span, new, f"Change to `{new}`", safe=False),
                external=external_of(prompt),
            )
