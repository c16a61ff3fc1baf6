"""Rules on the texts that answers are compared with, as they are compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from suitecase.checking.rules.expected_by_cases import expectation_of, graded_cases, graders_of
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Scalar, Span, at
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.grade.evaluator import ComparedText
from suitecase_evaluators.grade.lost_marks import Alike, alike
from suitecase_evaluators.grade.normalize import AppliedStep
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.text.unspaced_scripts import unspaced_script


@rule("SC842", Severity.WARNING)
def lost_in_normalization(suite: ParsedSuite) -> Iterator[Finding]:
    """Normalization removes what tells an expected text from another one.

    The script of SQuAD, which `normalize: squad` follows and `token_f1` uses by default, removes all
    punctuation: -5 becomes 5, 3.14 becomes 314, 50% becomes 50, and C++ becomes C. So answers with the
    other number or name pass. The step `punctuation` keeps what belongs to a number; for names, leave it
    out.

    ```yaml bad
    evalcases:
      - id: frost
        input: How cold was it?
        expected_outcome: Names the temperature
        evaluators:
          - name: degrees
            type: equals
            value: "-5"  # <- finding
            normalize: squad
    ```

    ```yaml good
    evalcases:
      - id: frost
        input: How cold was it?
        expected_outcome: Names the temperature
        evaluators:
          - name: degrees
            type: equals
            value: "-5"
            normalize: [casefold, punctuation, spaces]
    ```
    """
    for placed in _compared(suite):
        found = next(alike(placed.of.text, placed.of.steps), None)
        if found is not None:
            yield placed.finding(
                f"`{found.part}` and `{found.other}` are the same after normalization, so "
                f"`{found.other}` passes for it; {_remedy(found, placed.of.steps)}"
            )


@rule("SC843", Severity.WARNING)
def words_without_spaces(suite: ParsedSuite) -> Iterator[Finding]:
    """The words of an expected text are compared, and no spaces separate them.

    `token_f1` compares words, which white space separates. A sentence in Chinese, Japanese or Thai is one
    word for it, so that its score is 0 for every other sentence, however similar. Ask a judge, or look
    for what the answer has to contain. A text whose words are separated by spaces beforehand can be
    compared with answers that are, too.

    ```yaml bad
    evalcases:
      - id: opening
        input: 何時に開きますか。
        expected_outcome: 開店時間を答える
        evaluators:
          - name: words
            type: token_f1
            value: 店は朝九時に開きます。  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: opening
        input: 何時に開きますか。
        expected_outcome: 開店時間を答える
        evaluators:
          - name: time
            type: contains_any
            value: [九時, 9時]
    ```
    """
    for placed in _compared(suite):
        language = unspaced_script(placed.of.text) if placed.of.by_words else None
        if language is not None:
            yield placed.finding(
                f"words are compared, and in {language} no spaces separate them: this text is one "
                "word, so other texts score 0, however similar"
            )


class _Placed(NamedTuple):
    """A compared text, and where a finding of it lies: in the document, or where a case expects it."""

    of: ComparedText
    place: Span
    related: tuple[Related, ...] = ()

    def finding(self, message: str) -> Finding:
        return Finding(self.place, message, related=self.related)


def _compared(suite: ParsedSuite) -> Iterator[_Placed]:
    """Yield the texts that evaluators compare answers with; those of the suite itself once."""
    # Of a data set, those of the head are reported in its sidecar.
    common = graders_of(suite.head, _normalizes) if suite.kind != "dataset" else []
    for evaluator in common:
        for text in _texts(evaluator, ()):
            yield _Placed(text, suite.head_place(_span(evaluator, text)))
    for graded in graded_cases(suite, _normalizes):
        expectation = suite.place(graded.number, expectation_of(graded.case))
        for evaluator in graded.own:
            for text in _texts(evaluator, graded.expected):
                span = suite.place(graded.number, _span(evaluator, text))
                yield _Placed(text, span if text.path else expectation)
        for evaluator in graded.inherited if graded.expected else ():
            place = suite.head_place(_span(evaluator, None))
            related = (Related("the evaluator", place),) if suite.sidecar is None else ()
            for text in _texts(evaluator, graded.expected):
                if not text.path:  # the others are those of the head
                    yield _Placed(text, expectation, related)


def _texts(evaluator: ParsedEvaluator, expected: tuple[Message, ...]) -> list[ComparedText]:
    config, texts = evaluator.read(), evaluator.description.compared_texts
    return list(texts(config, expected)) if config is not None and texts is not None else []


def _span(evaluator: ParsedEvaluator, text: ComparedText | None) -> Span:
    """Return where a text is in an entry, or else its name."""
    if text is not None and text.path:
        node, _, _ = at(evaluator.node, text.path)
        if isinstance(node, Scalar):
            return node.span
    return evaluator.name.span if evaluator.name is not None else evaluator.node.span


def _normalizes(evaluator: ParsedEvaluator) -> bool:
    """Whether an evaluator compares texts after normalization."""
    if evaluator.description.compared_texts is None or evaluator.config is None:
        return False
    field = evaluator.config.model_fields.get("normalize")
    by_default = field is not None and field.default is not None
    return by_default or any(True for _ in evaluator.values(FieldRole.NORMALIZE))


def _remedy(found: Alike, steps: tuple[AppliedStep, ...]) -> str:
    """Return how to keep two texts apart."""
    kept: tuple[AppliedStep, ...] = tuple(
        "punctuation" if step == "all punctuation" else step for step in steps
    )
    if kept != steps and found not in alike(found.part, kept):
        return f"`normalize: [{', '.join(kept)}]` keeps them apart"
    return "leave out the step that makes them so"
