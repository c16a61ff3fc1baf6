"""Rules on judges' prompts."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rewriting.inserting import words_added
from suitecase.format.rule import External, Finding, Fix, Severity, rule
from suitecase.format.workspace import LEADS_OUT, Folder, Found, NotFound, Unreadable
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.prompts import PROMPTS, PromptText, prompts_of, references_of
from suitecase.formats.suitecase.scales import other_scale
from suitecase.text.node import Span
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.grade.judge.template import (
    AGGREGATOR_VARIABLES,
    COMPARISON_VARIABLES,
    find_variables,
    names_in,
    sees_answer,
)
from suitecase_evaluators.schema.field_role import FieldRole


@rule("SC301", roles=(*PROMPTS, FieldRole.REFERENCES))
def prompt_file_missing(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt file or one of its `references` cannot be read.

    The file is searched for beside the suite and in each folder above it, up to the root of the
    workspace. A file outside the workspace is not read.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: prompts/tone.md  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: |
              Is the tone of this answer warm?
              {{ candidate_answer }}
    ```
    """
    for prompt in prompts_of(evaluator, folder):
        if not isinstance(prompt.text, str):
            message = why_not(prompt.reference, prompt.text, folder, "a prompt")
            yield Finding(prompt.node.span, message)
    for reference in references_of(evaluator):
        found = folder.find(reference.text.strip())
        text = folder.read(found.path) if isinstance(found, Found) else found
        if not isinstance(text, str):
            message = why_not(reference.text.strip(), text, folder, "reference material")
            yield Finding(reference.span, message)


def why_not(reference: str, found: NotFound | Unreadable, folder: Folder, what: str) -> str:
    """Return why a file cannot be used as `what`, for people."""
    match found:
        case NotFound(tried=tried, why="missing"):
            places = ", ".join(f"`{folder.shown(path.parent)}`" for path in tried[:3])
            more = f" and {len(tried) - 3} folders above" if len(tried) > 3 else ""
            return f"file `{reference}` not found in {places}{more}"
        case NotFound(why="outside"):
            return f"`{reference}` is outside the workspace `{folder.root.name}`"
        case NotFound(why="link"):
            return f"`{reference}` cannot be used as {what}: {LEADS_OUT}"
        case NotFound():
            return f"`{reference}` is a folder; {what} must be a text file"
        case Unreadable(reason=reason):
            return f"`{reference}` cannot be used as {what}: {reason}"


def external_of(prompt: PromptText) -> External | None:
    """Return the file of findings in the text of a prompt; None for an inline prompt."""
    return External(prompt.path, prompt.node.span) if prompt.path is not None else None


def texts_of(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[tuple[PromptText, str]]:
    """Yield the prompts of an evaluator with their texts, where these can be read."""
    for prompt in prompts_of(evaluator, folder):
        if isinstance(prompt.text, str):
            yield prompt, prompt.text


@rule("SC303", roles=PROMPTS, gradable=True)
def prompt_without_answer(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt does not contain the answer.

    A custom prompt replaces the whole default prompt. Without `{{ candidate_answer }}`, `{{
    output_messages }}` or `{{ expected_messages }}` the judge grades an answer it has not seen. The
    judge that aggregates a composite needs `{{ EVALUATOR_RESULTS_JSON }}` instead, and one that
    compares two answers needs `{{ first_answer }}` and `{{ second_answer }}`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: Is the answer to {{ question }} warm?  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: Is the answer to {{ question }} warm? {{ candidate_answer }}
    ```
    """
    for prompt, text in texts_of(evaluator, folder):
        where = f"`{prompt.reference}`" if prompt.path else "this prompt"
        if not text.strip():
            continue
        if prompt.aggregates and AGGREGATOR_VARIABLES.keys().isdisjoint(names_in(text)):
            yield Finding(
                prompt.node.span,
                f"{where} does not contain `{{{{ EVALUATOR_RESULTS_JSON }}}}`, so the judge would "
                f"not see the results to aggregate",
                _naming(prompt, "EVALUATOR_RESULTS_JSON", folder),
            )
        elif prompt.role is FieldRole.COMPARISON_PROMPT:
            for name in COMPARISON_VARIABLES.keys() - names_in(text):
                yield Finding(
                    prompt.node.span,
                    f"{where} does not contain `{{{{ {name} }}}}`, so the judge would not see what it "
                    "compares",
                    _naming(prompt, name, folder),
                )
        elif prompt.role is FieldRole.PROMPT and not sees_answer(text):
            yield Finding(
                prompt.node.span,
                f"{where} contains neither `{{{{ candidate_answer }}}}` nor another form of the "
                "answer, so the judge would not see what it judges",
                _naming(prompt, "candidate_answer", folder),
            )


def _naming(prompt: PromptText, variable: str, folder: Folder) -> Fix | None:
    """Return the fix that adds a variable to the end of an inline prompt."""
    if prompt.path is not None:
        return None
    edit = words_added(folder.source, prompt.node, f"{{{{ {variable} }}}}")
    # Not safe: a person has to decide on the prompt.
    return Fix(f"Add `{{{{ {variable} }}}}`", (edit,), safe=False) if edit else None


@rule("SC304", roles=PROMPTS, gradable=True)
def prompt_without_rubrics(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge has rubrics, but its custom prompt does not contain them.

    The judge must answer each rubric by its id, so the prompt has to contain `{{ rubrics }}`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: Judge this answer. {{ candidate_answer }}  # <- finding
            rubrics:
              - Is warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: Judge this answer. {{ candidate_answer }} {{ rubrics }}
            rubrics:
              - Is warm
    ```
    """
    if not evaluator.has_rubrics:
        return
    for prompt, text in texts_of(evaluator, folder):
        if "rubrics" not in {variable.name for variable in find_variables(text)}:
            where = f"`{prompt.reference}`" if prompt.path else "this prompt"
            yield Finding(
                prompt.node.span,
                f"{where} does not contain `{{{{ rubrics }}}}`, so the judge would not see the "
                "rubrics",
                _naming(prompt, "rubrics", folder),
            )


@rule("SC327", Severity.WARNING, roles=PROMPTS)
def prompt_of_another_scale(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt speaks of another scale than the one that the judge is asked for.

    Without rubrics a judge is asked for a score from 0 (the worst) to 1 (the best), and rubrics with
    score ranges have whole numbers from 0 to 10. A judge that is told two scales mixes them up: of a 2
    nobody knows whether it is two of five. It is asked again then, and the answer counts as not graded
    if it stays with its scale. A prompt that also says how its scale is converted has no finding.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: >-
              How warm is this answer?
              Score it from 1 (cold) to 5 (warm).  # <- finding
              {{ candidate_answer }}
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: >-
              How warm is this answer? Score it from 0 (cold) to 1 (warm).
              {{ candidate_answer }}
    ```
    """
    top = TOP if evaluator.has_rubrics else 1
    for prompt, text in texts_of(evaluator, folder):
        if prompt.role is FieldRole.COMPARISON_PROMPT:
            continue
        found = other_scale(text, top=top)
        if found is not None:
            yield Finding(
                prompt.span(found.start, found.end, folder),
                f"the judge is asked for a score from 0 (the worst) to {top} (the best), but its prompt "
                f"speaks of {found.text}; write the prompt for 0 to {top}",
                external=external_of(prompt),
            )


@rule("SC305", roles=PROMPTS)
def empty_prompt(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt file is empty.

    The file replaces the default prompt, so the judge would get an empty prompt. The finding is
    reported at the start of the prompt file.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: empty.md
    ```

    ```markdown bad file=empty.md
      # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
    ```
    """
    for prompt, text in texts_of(evaluator, folder):
        if prompt.path is not None and not text.strip():
            yield Finding(
                Span(0, 0),
                "this prompt file is empty, so the judge would get an empty prompt",
                external=external_of(prompt),
            )
