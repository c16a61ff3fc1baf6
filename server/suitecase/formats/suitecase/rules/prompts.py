"""Rules on the prompts of judges: older names of variables, and of files."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.prompts import external_of, texts_of
from suitecase.format.rule import Finding, Severity, Tag, replace, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.legacy.normalize import AssertionList
from suitecase.formats.suitecase.legacy.normalize.evaluators import is_judge
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.formats.suitecase.prompts import PROMPTS, prompt_text
from suitecase.text.node import Mapping, Scalar, Span
from suitecase_evaluators.grade.judge.template import find_variables
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


@rule("SC619", Severity.WARNING, roles=PROMPTS, tags=(Tag.DEPRECATED,))
def legacy_prompt_variable(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt uses a variable name of an older or another format.

    `${question}` is now `{{ question }}`. `{{ input }}`, `{{ output }}` and `{{ expected_output }}`
    are now `{{ question }}`, `{{ candidate_answer }}` and `{{ reference_answer }}`. These are
    texts; where other formats had messages as JSON, use `{{ input_messages }}` and `{{
    expected_messages }}`. The other names are understood.

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
    yield from _older_variables(evaluator, folder, in_file=False)


@rule("SC620", Severity.INFO, roles=PROMPTS, tags=(Tag.DEPRECATED,))
def legacy_variable_in_file(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A prompt file uses a variable name of an older or another format.

    The name is understood, so no change is needed. It is reported in the prompt file, once, however
    many suites name the file. `suitecase migrate` replaces it with the current name, unless that
    would change the meaning for a suite that is not migrated along with it: one that is still in an
    older or another format, or one that uses the file as something other than the prompt of a
    judge.

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
    Is this warm? ${candidate_answer}  # <- finding
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
    yield from _older_variables(evaluator, folder, in_file=True)


def _older_variables(
    evaluator: ParsedEvaluator, folder: Folder, *, in_file: bool
) -> Iterator[Finding]:
    for prompt, text in texts_of(evaluator, folder):
        if (prompt.path is not None) != in_file:
            continue
        for variable in find_variables(text):
            if variable.is_older:
                span = prompt.span(variable.start, variable.end, folder)
                new = f"{{{{ {variable.name} }}}}"
                yield Finding(
                    span,
                    f"`{text[variable.start : variable.end]}` is now `{new}`",
                    replace(span, new, f"Write `{new}`"),
                    external=external_of(prompt),
                )


@rule("SC621", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_prompt_file(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A judge's prompt refers to its file with `file://`.

    A path is enough: a prompt that is the path of a file is replaced by the text of that file. In
    lists called `assert` or `assertions`, `file://` stays until the list is renamed, since AgentV
    reads the file only with it.

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
    lists = [it.listed.sequence for it in part.legacy_syntax if it.listed is not None]
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "prompt_file":
            at = legacy_syntax.node.start
            if any(it.start <= at < it.end for it in lists):
                continue
            value = legacy_syntax.parent.entries[legacy_syntax.name].value
            start = part.source.find(FILE_SCHEME, value.start, value.end)
            fix = None
            if start >= 0:
                fix = replace(
                    Span(start, start + len(FILE_SCHEME)), "", f"Write `{legacy_syntax.new}`"
                )
            yield Finding(value.span, f"a prompt file is now named without `{FILE_SCHEME}`", fix)


@rule("SC623", Severity.WARNING, only_of="legacy_syntax")
def path_sent_as_prompt(part: ParsedHead | ParsedCase, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt is a path without `file://`, in a format in which that is the prompt itself.

    In lists called `assert` or `assertions`, AgentV reads a prompt file only if it is named with
    `file://`. A path alone is sent to the judge as its whole prompt, so the judge is asked nothing.
    Suitecase reads the file. If AgentV also runs the suite, write `file://` before the path: both
    then read the file.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        assertions:
          - name: tone
            type: llm_judge
            prompt: tone.md  # <- finding
    ```

    ```markdown bad file=tone.md
    Is this warm? {{ candidate_answer }}
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
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind != "assertions" or legacy_syntax.listed is None:
            continue
        for prompt in _prompts(legacy_syntax.listed):
            if not prompt.text.startswith(FILE_SCHEME) and prompt_text(prompt.text, folder)[1]:
                yield Finding(
                    prompt.span,
                    f"AgentV sends the text `{prompt.text.strip()}` to the judge; only "
                    f"`{FILE_SCHEME}{prompt.text.strip()}` makes it read the file, which Suitecase reads "
                    "either way",
                )


def _prompts(listed: AssertionList) -> Iterator[Scalar]:
    """Yield the texts that judges of a list have as their prompts."""
    for item in listed.sequence.items:
        prompt = item.get("prompt") if isinstance(item, Mapping) and is_judge(item) else None
        if isinstance(prompt, Scalar) and isinstance(prompt.value, str):
            yield prompt
