"""Rules on the labels that a classification is graded by."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.expected_by_cases import (
    GradedCase,
    expectation_of,
    graded_cases,
    graders_of,
)
from suitecase.checking.rules.synonyms import normalize_beside
from suitecase.format.rewriting.names import renamed
from suitecase.format.rule import Finding, Fix, Related, Severity, rule
from suitecase.format.synonym_files import SynonymsFile, synonyms_file
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.formats.suitecase.part_fixes import placed
from suitecase.text.near_names import nearest
from suitecase.text.node import Scalar, Sequence, Span
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Reading
from suitecase_evaluators.grade.normalize import comparable
from suitecase_evaluators.grade.synonyms import SynonymMap
from suitecase_evaluators.schema.field_role import FieldRole


@rule("SC833", roles=(FieldRole.LABELS,))
def duplicate_label(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """Two labels are the same.

    Labels are normalized as the answer is. Labels that are then equal cannot be told apart.

    ```yaml bad
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - name: topic
            type: label
            normalize: [casefold]
            labels: [exchange, Exchange]  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - name: topic
            type: label
            normalize: [casefold]
            labels: [exchange, refund]
    ```
    """
    for value in evaluator.values(FieldRole.LABELS):
        known, normalize = normalize_beside(value)
        if not known or not isinstance(value.node, Sequence):
            continue
        seen: dict[str, Scalar] = {}
        for label in value.node.items:
            if isinstance(label, Scalar) and isinstance(label.value, str):
                first = seen.setdefault(comparable(label.text, normalize), label)
                if first is not label:
                    how = "" if first.text == label.text else " after normalization"
                    yield Finding(
                        label.span,
                        f"`{label.text}` is the same label as `{first.text}`{how}",
                        related=(Related("the first label", first.span),),
                    )


@rule("SC834")
def unexpected_label(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """The expected answer of a classification is none of its labels.

    No answer could be right. Correct the expected answer, or add the label or a synonym of one.

    ```yaml bad
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchnge  # <- finding
        evaluators:
          - name: topic
            type: label
            labels: [exchange, refund]
    ```

    ```yaml fixed
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
        evaluators:
          - name: topic
            type: label
            labels: [exchange, refund]
    ```

    ```yaml good
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: swap
        evaluators:
          - name: topic
            type: label
            labels: [exchange, refund]
            synonyms: {exchange: [swap]}
    ```
    """
    common = _common_labels(suite, folder)
    # Of a data set, those of the head are reported in its sidecar.
    for labels in common.values() if suite.kind != "dataset" else ():
        for node in labels.wrong_values():
            yield Finding(suite.head_place(node.span), *labels.told(node.text, node))
    for graded in graded_cases(suite, _classifies):
        own = [_Labels(it, folder) for it in graded.own]
        for labels in own:
            for node in labels.wrong_values():
                yield _placed(suite, graded, node.span, *labels.told(node.text, node))
        if not graded.expected:
            continue
        text = graded.expected[-1].text
        for labels in (*own, *(common[it.node.start] for it in graded.inherited)):
            if labels.are_expected_by_cases and labels.of(text) is None:
                written = _expected_text(graded.case)
                span = written.span if written is not None else expectation_of(graded.case)
                yield _placed(suite, graded, span, *labels.told(text, written))


@rule("SC835", Severity.INFO)
def label_never_expected(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """A label of the suite's evaluator is expected by no case.

    How well answers of this label are recognized is then not measured. Add a case that expects it.

    ```yaml bad
    execution:
      target: mock
      evaluators:
        - name: topic
          type: label
          labels:
            - exchange
            - delivery  # <- finding
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
    ```

    ```yaml good
    execution:
      target: mock
      evaluators:
        - name: topic
          type: label
          labels: [exchange, delivery]
    evalcases:
      - id: size
        input: "Which topic is this: the shoes are too small?"
        expected_outcome: Names the topic
        expected_output: exchange
      - id: parcel
        input: "Which topic is this: where is my parcel?"
        expected_outcome: Names the topic
        expected_output: delivery
    ```
    """
    common = _common_labels(suite, folder)
    found: dict[int, set[str | None]] = {it: set() for it in common}
    for graded in graded_cases(suite, _classifies) if common else ():
        for evaluator in graded.inherited if graded.expected else ():
            start = evaluator.node.start
            found[start].add(common[start].of(graded.expected[-1].text))
    for start, labels in common.items():
        if not labels.are_expected_by_cases or not found[start] - {None}:
            continue  # no case is classified yet
        for node in labels.nodes():
            if node.text not in found[start]:
                where = ""
                if suite.sidecar is not None:
                    where = f" (line {suite.head_line(node.span)} of the sidecar)"
                yield Finding(
                    suite.head_place(node.span),
                    f"no case expects the label `{node.text}`, so its recall is not measured{where}",
                )


def _common_labels(suite: ParsedSuite, folder: Folder) -> dict[int, _Labels]:
    """Return the labels of the suite's evaluators, by the place of each evaluator."""
    return {
        grader.node.start: _Labels(grader, folder) for grader in graders_of(suite.head, _classifies)
    }


class _Labels:
    """The labels of an evaluator, and what it expects itself."""

    def __init__(self, evaluator: ParsedEvaluator, folder: Folder) -> None:
        self._evaluator = evaluator
        config = evaluator.read()
        self._description = evaluator.description
        self.config = None if config is None else self._with_synonyms(config, folder)

        self._known: dict[str, str | None] = {}
        lacks = self._description.lacks_expected
        #: Whether the expected label is the case's expected output.
        self.are_expected_by_cases = (
            self.config is not None and lacks is not None and lacks(self.config, ()) is not None
        )

    def of(self, text: str) -> str | None:
        """Return the label that a text is."""
        label_of = self._description.label_of
        if text not in self._known and self.config is not None and label_of is not None:
            self._known[text] = label_of(self.config, text)
        return self._known.get(text)

    def nodes(self) -> Iterator[Scalar]:
        """Yield the labels as they are written."""
        for value in self._evaluator.values(FieldRole.LABELS):
            nodes = value.node.items if isinstance(value.node, Sequence) else []
            yield from (node for node in nodes if isinstance(node, Scalar))

    def wrong_values(self) -> Iterator[Scalar]:
        """Yield the texts under `value` that are none of the labels."""
        for value in self._evaluator.values(FieldRole.COMPARED_TEXT) if self.config else ():
            nodes = value.node.items if isinstance(value.node, Sequence) else [value.node]
            for node in nodes:
                if isinstance(node, Scalar) and self.of(node.text) is None:
                    yield node

    def told(self, text: str, node: Scalar | None) -> tuple[str, Fix | None]:
        """Return the message for a text that is none of the labels, and a fix of where it stands."""
        labels_of = self._description.labels
        names = list(labels_of(self.config)) if labels_of is not None and self.config else []
        suggestion = nearest(text, names)
        name = self._evaluator.name
        which = f" of `{name.text}`" if name is not None else ""
        message = f"`{text}` is not one of the labels{which}"
        if suggestion is None:
            return f"{message}: {', '.join(f'`{it}`' for it in names)}", None
        fix = renamed(node, suggestion, safe=False) if node is not None else None
        return f"{message}; did you mean `{suggestion}`?", fix

    def _with_synonyms(self, config: EvaluatorConfig, folder: Folder) -> EvaluatorConfig | None:
        unreadable = False

        def synonyms(reference: str) -> SynonymMap:
            nonlocal unreadable
            found = synonyms_file(reference, folder)
            unreadable = not isinstance(found, SynonymsFile) or bool(found.problems)
            return found.synonyms if isinstance(found, SynonymsFile) else {}

        reading = Reading(str, lambda member: member, synonyms)
        read: EvaluatorConfig = self._description.as_graded(config, reading)
        return None if unreadable else read


def _classifies(evaluator: ParsedEvaluator) -> bool:
    return evaluator.description.label_of is not None


def _expected_text(case: ParsedCase) -> Scalar | None:
    node = case.node.get("expected_output") if case.node is not None else None
    return node if isinstance(node, Scalar) and isinstance(node.value, str) else None


def _placed(
    suite: ParsedSuite, graded: GradedCase, span: Span, message: str, fix: Fix | None
) -> Finding:
    fix = fix and placed(fix, suite.document.cases[graded.number])
    return Finding(suite.place(graded.number, span), message, fix)
