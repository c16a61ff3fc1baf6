"""Verdicts, and the thresholds that they follow from."""

from __future__ import annotations

from suitecase.reference.models import keys_of
from suitecase.reference.topic import Section, Topic
from suitecase_evaluators.answers.rubric import HIT_AT, TOP, Rubric
from suitecase_evaluators.answers.score import BORDERLINE_AT, PASS_AT
from suitecase_evaluators.grade.evaluator import EvaluatorConfig

_VERDICTS = f"""\
| verdict | when |
|---|---|
| `pass` | the score is {PASS_AT} or more, and no requirement is missed |
| `borderline` | the score is from {BORDERLINE_AT} to below {PASS_AT}, and no requirement is missed |
| `fail` | the score is below {BORDERLINE_AT}, or a requirement is missed, whatever the score is |
| `not_evaluated` | there is nothing to grade by, such as empty criteria; there is no score |
| `error` | the answer could not be graded: a target could not be reached, a script crashed. This says nothing about the answer |

Every evaluator gives a verdict, and the case gets one from all of them. A record keeps the verdict of the score. What is shown,
counted and decided goes by the status, which is the verdict except in two cases:

| status | when |
|---|---|
| `judge_failed` | no reply of a judge could be read in full, or it kept to another scale than 0 to 1. The record has the score that the format's contract gives it, 0 or the nearest one; nobody graded the answer, so it is missing in means, figures and gates |
| `rehearsed` | the verdict would be `pass`, but no model was called, or a stand-in such as the embedded judge judged. It is not a pass |"""

_CASES = """\
The score of a case is the mean of its evaluators' scores, weighted by `weight`. Evaluators without a score do not count as 0:
they are left out. The verdict is the first of these that applies:

1. `fail`, if a requirement of any evaluator is missed, whatever its weight.
2. `error`, if an evaluator could not grade.
3. `not_evaluated`, if nothing was graded, or only evaluators with the weight 0.
4. Otherwise it follows from the score.

A case that is asked several times (`repeats`) passes if it passes each time."""

_RUBRICS = f"""\
A judge answers rubrics item by item. An item without `score_ranges` is met or not; one with them gets a whole number from 0 to
{TOP}. The score is the mean of the items, weighted by `weight`, with 1 for an item that is met and a tenth of the number for
one with ranges. An item with ranges is listed as a hit from {HIT_AT} on."""

_REQUIREMENTS = """\
A requirement fails the case whatever the score is. Evaluators have `required` and `min_score`, rubric items have `required` and
`required_min_score`."""

_RUNS = """\
A run without gates fails if a case fails or is borderline; `--fail-on failed` lets borderline cases pass. With
[gates](../gates.md), the gates decide, and not the single cases.

| exit code | `suitecase run` |
|---|---|
| 0 | every case that has something to be graded by passed or was rehearsed, or every gate holds |
| 1 | a case failed or is borderline, or a gate failed |
| 2 | the suite or a selected case has errors, or no case is selected |
| 3 | a case could not be run or graded, a judge failed, a gate is undecided, or the run ended early |
| 4 | a bug in Suitecase |
| 130, 143 | the run was interrupted (Ctrl-C, SIGTERM) |"""


def verdicts_topic() -> Topic:
    """Return the page of verdicts."""
    gates = ("required", "min_score")
    others = EvaluatorConfig.model_fields.keys() - set(gates)
    rubric_gates = ("required", "required_min_score")
    rest = Rubric.model_fields.keys() - set(rubric_gates)
    return Topic(
        name="verdicts",
        title="Verdicts and thresholds",
        summary="how scores become verdicts, and verdicts an exit code",
        sections=(
            Section(title="Verdicts", text=_VERDICTS),
            Section(title="The verdict of a case", text=_CASES),
            Section(title="Scores of rubrics", text=_RUBRICS),
            Section(title="Requirements", text=_REQUIREMENTS),
            Section(title="Of an evaluator", keys=tuple(keys_of(EvaluatorConfig, without=others))),
            Section(title="Of a rubric item", keys=tuple(keys_of(Rubric, without=rest))),
            Section(title="The exit code of a run", text=_RUNS),
        ),
    )
