"""Rules on how judges are asked: which model, how often, with which references and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.evidence.calibration_file import Calibration
from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.judge_probes import why_not_applicable
from suitecase.evidence.rules.judge_places import JudgeEntry, judge_entries
from suitecase.format.rule import Edit, Finding, Fix, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.prompts import prompt_text
from suitecase.text.node import Scalar, Sequence
from suitecase_evaluators.grade.judge.template import names_in

#: Names of models whose providers give dated ones beside them, without a date.
_ALIAS = re.compile(
    r"(?:openai/|anthropic/)?(?:(?:gpt-|chatgpt-|o\d)(?!.*(?:\d{4}-\d{2}-\d{2}|-\d{4}(?:-|$)))"
    r"|claude-(?!.*\d{8})).*|.*[-:@]latest"
)


@rule("SC852", Severity.WARNING)
def judge_not_pinned(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """The name of a judge's model stands for different models over time.

    Names such as `gpt-4.1` stand for the version that the provider serves at the moment. When it
    moves on, the judge is another one, and neither its calibration nor earlier scores apply. Name
    the version. If the judge is calibrated, the fix writes the version that answered then.

    ```yaml bad
    judges:
      rubric:
        model: openai/gpt-4.1  # <- finding
        calibration: rubric.calibration.json
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```json bad file=rubric.calibration.json
    {
     "calibration": 1,
     "judge": "rubric",
     "at": "2026-02-03T10:12:00Z",
     "judge_hash": "sha256:6d7e",
     "judge_parts": {"model": "openai/gpt-4.1"},
     "reported_model": "gpt-4.1-2025-04-14",
     "answers": []
    }
    ```

    ```yaml fixed
    judges:
      rubric:
        model: openai/gpt-4.1-2025-04-14
        calibration: rubric.calibration.json
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```
    """
    for entry in judge_entries(suite, folder):
        node, model = entry.value("model"), entry.protocol.model
        if model is None or not isinstance(node, Scalar):
            continue
        name = model.rpartition("/")[2]
        reported = _reported(entry, model)
        moves = reported is not None and reported != name and reported.startswith(name)
        if not moves and not _ALIAS.fullmatch(model.strip()):
            continue
        span = entry.span("model")
        message = f"the provider may move `{name}` to another version; name the version"
        fix = None
        if moves and reported is not None:
            message += f", which was `{reported}` when the judge was calibrated"
            pinned = f"{model[: -len(name)]}{reported}"
            fix = Fix(f"Pin the model to `{pinned}`", (Edit(span, pinned),), safe=False)
        yield Finding(span, message, fix=fix)


def _reported(entry: JudgeEntry, model: str) -> str | None:
    """Return the version that answered when the judge was calibrated with the same model."""
    found = entry.calibration
    if not isinstance(found, Calibration) or found.judge_parts.get("model") != model:
        return None
    return found.reported_model


@rule("SC857", gradable=True, affects="run")
def references_not_shown(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A judge has references, and its own prompt does not show them.

    A prompt of your own replaces the whole default prompt. Without `{{ references }}` in it, the
    judge never sees the reference files.

    ```yaml bad
    judges:
      rubric:
        prompt: "Grade {{ candidate_answer }} by {{ rubrics }}"
        references: [policy.md]  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```markdown bad file=policy.md
    Refunds take 5 working days.
    ```

    ```yaml good
    judges:
      rubric:
        prompt: "Grade {{ candidate_answer }} by {{ rubrics }} and {{ references }}"
        references: [policy.md]
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```markdown good file=policy.md
    Refunds take 5 working days.
    ```
    """
    for entry in judge_entries(suite, folder):
        if not entry.protocol.references:
            continue
        prompts = {it for config in entry.configs if isinstance(it := _prompt(config), str)}
        for prompt in sorted(prompts):
            text, path = prompt_text(prompt, folder)
            if isinstance(text, str) and "references" not in names_in(text):
                where = f"`{prompt.strip()}`" if path is not None else "the prompt of the judge"
                yield Finding(
                    entry.span("references"),
                    f"{where} does not contain `{{{{ references }}}}`, so the judge does not see "
                    "these files",
                )
                break


def _prompt(config: object) -> object:
    return getattr(config, "prompt", None)


@rule("SC858", Severity.WARNING)
def quotes_of_free_form(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A judge has to quote the answer, and grades by no rubric items.

    The judge quotes the answer for each rubric item that it finds met. A judge without items gives
    a score to the answer as a whole and is not asked for quotes, so `quotes` has no effect.

    ```yaml bad
    judges:
      llm_judge:
        quotes: required  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```

    ```yaml good
    judges:
      rubric:
        quotes: required
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```
    """
    for entry in judge_entries(suite, folder):
        asked = [judge for judge in entry.judges if "quotes" in type(judge.config).model_fields]
        if entry.protocol.quotes is not None and asked and not any(it.items for it in asked):
            yield Finding(
                entry.span("quotes"),
                f"only rubric items are quoted for, and `{entry.name}` has none",
            )


@rule("SC859", gradable=True, affects="run")
def probe_not_applicable(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A probe cannot be tried on the judge it is named for.

    `order` swaps the two answers that a `preference` compares. `item_order` reverses the rubric
    items, so it takes at least two of them. The other probes change the answer and can be tried on
    every judge.

    ```yaml bad
    judges:
      rubric:
        probes: [repeat, order, item_order]  # <- finding@22  # <- finding@29
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```yaml good
    judges:
      rubric:
        probes: [repeat, item_order]
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry, Names the refund]
    ```
    """
    for entry in judge_entries(suite, folder):
        node = entry.value("probes")
        if not isinstance(node, Sequence):
            continue
        configs = entry.configs
        for item in node.items:
            why = (
                why_not_applicable(item.text, entry.name, configs)
                if isinstance(item, Scalar)
                else None
            )
            if why is not None:
                yield Finding(suite.head_span(item.span), why)


@rule("SC860", Severity.WARNING)
def votes_alike(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A judge votes several times at temperature 0.

    At temperature 0 a model gives nearly the same reply each time, so that several votes cost more
    and decide nothing. Without `temperature`, judges are asked at 0. Set a temperature above 0, or
    leave `votes` out.

    ```yaml bad
    judges:
      rubric:
        votes: 3  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```yaml good
    judges:
      rubric:
        votes: 3
        temperature: 0.7
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```
    """
    for entry in judge_entries(suite, folder):
        votes = entry.protocol.votes or 1
        temperatures = [getattr(config, "temperature", None) or 0 for config in entry.configs]
        if votes > 1 and temperatures and not any(temperatures):
            yield Finding(
                entry.span("votes"),
                f"{votes} votes at temperature 0 are nearly always the same; set a `temperature` "
                "above 0",
            )
