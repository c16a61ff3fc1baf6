"""Rules on raters: how far they agree, and who settles differences."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.labels.coefficients import coefficient
from suitecase.evidence.labels.label import LabelFile
from suitecase.evidence.labels.people import NamedFile, PeoplesLabels
from suitecase.evidence.rules.label_places import Labeled, labeled
from suitecase.figures.gates.grammar import Figure, functions_in, sum_of
from suitecase.figures.gates.meaning import OF_PEOPLE, Meaning, Unit
from suitecase.figures.gates.names import SuiteFigures, suite_figures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.figures.gates.shown import shown_threshold
from suitecase.figures.gates.spelling import spelt
from suitecase.figures.gates.written import WrittenGate
from suitecase.figures.statistics.agreement import NoValue
from suitecase.format.rewriting.listing import listed_under
from suitecase.format.rule import Finding, Fix, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.text.plural import counted

#: From this value of alpha on, conclusions that are tentative may be drawn (Krippendorff).
TENTATIVE = "0.667"
_ALPHA = "alpha"


@rule("SC873", Severity.WARNING)
def one_rater(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """No answer is labeled by two raters.

    How far people agree can only be measured where two of them label the same answer. Without that
    nobody knows whether the rubrics mean the same to everyone, and a judge is compared with the view
    of a single person.

    ```yaml bad
    human:
      rubric:
        labels: [labels.csv]
        raters: 1  # <- finding
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv bad file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    ```

    ```yaml good
    human:
      rubric:
        labels: [labels.csv]
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv good file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,true
    ```
    """
    for entry in labeled(suite, folder):
        people = entry.people
        if people.human.raters < 2:
            message = "agreement takes two raters of an answer"
            yield Finding(suite.head_span(entry.at("raters")), message)
        elif _all_count(people) and all(len(it.ratings) < 2 for it in people.by_item.values()):
            who = people.raters
            by = f"{who[0]} labeled them all" if len(who) == 1 else "each has labels of one rater"
            number = counted(len({key[:2] for key in people.by_item}), "answer")
            yield Finding(
                suite.head_span(entry.key.span),
                f"agreement takes two raters of an answer; of {number}, {by}",
            )


def _all_count(people: PeoplesLabels) -> bool:
    """Whether there are labels, all of them count, and no sheet waits for a rater."""
    left_out = people.stale or people.unknown or people.off_scale or people.double
    return bool(people.by_item) and not left_out and all(map(_is_whole, people.files))


def _is_whole(file: NamedFile) -> bool:
    labels = file.labels
    return isinstance(labels, LabelFile) and not labels.problems and not labels.unlabeled


@rule("SC877", Severity.WARNING)
def agreement_below_gate(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """People agree less than a gate asks for.

    `suitecase publish` refuses a suite with such a gate. Look at the answers on which raters differ:
    often an item can be read in two ways, and a clearer text, or another range, settles it. This is
    reported as soon as the estimate is below the gate; `suitecase agreement` also has its interval.

    ```yaml bad
    human:
      rubric:
        labels: [labels.csv]
    gates:
      - human.rubric.alpha >= 0.667  # <- finding@5
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv bad file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,true
    refund-late,90c2e1aa4b7f3d10,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ben,false
    refund-late,90c2e1aa4b7f3d10,apology,eva,true
    ```

    ```yaml good
    human:
      rubric:
        labels: [labels.csv]
    gates:
      - human.rubric.alpha >= 0.667
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv good file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,true
    refund-late,90c2e1aa4b7f3d10,apology,ann,false
    refund-late,90c2e1aa4b7f3d10,apology,ben,false
    ```
    """
    entries = {it.people.name: it for it in labeled(suite, folder)}
    if not entries:
        return
    figures = suite_figures(suite.suite)
    for written in figures.gates:
        found = _of_people(written, figures)
        entry = entries.get(found[1].evaluator or "") if found is not None else None
        if found is None or entry is None or isinstance(written.tree, GateProblem):
            continue
        figure, meaning = found
        value = coefficient(entry.people, meaning.kind, meaning.part)
        if isinstance(value, NoValue) or written.tree.met_by(value):
            continue
        of = counted(_rated_answers(entry, meaning.part), "answer")
        share = f"{value:z.1%}" if meaning.unit is Unit.SHARE else f"{value:z.3f}"
        asked = shown_threshold(written.tree, written.node.text)
        yield Finding(
            suite.head_span(written.span(figure)),
            f"{_NAMES[meaning.kind]} is {share} of {of}, so `{asked}` does not hold; `suitecase "
            "publish` refuses this",
        )


_NAMES = {kind: name for name, kind in OF_PEOPLE.items()}


def _of_people(written: WrittenGate, figures: SuiteFigures) -> tuple[Figure, Meaning] | None:
    """Return the figure of people that a gate asks a value, or the bound that is further off, of.

    The lower bound is never above the value, and the upper one never below it.
    """
    gate = written.tree
    if isinstance(gate, GateProblem):
        return None
    functions = {function.text for function in functions_in(gate)}
    figure = sum_of(gate.expression).only_term
    if functions - {"lower" if gate.at_least else "upper"} or not isinstance(figure, Figure):
        return None
    meaning = figures.meaning(figure)
    return (figure, meaning) if meaning and meaning.kind in _NAMES else None


def _rated_answers(entry: Labeled, item: str | None) -> int:
    by_item = entry.people.by_item.items()
    return len({key[:2] for key, it in by_item if len(it.ratings) > 1 and item in (None, key[2])})


@rule("SC878", Severity.WARNING)
def human_without_gate(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """People label answers, but no gate says how far they have to agree.

    What people do not agree on, no judge can be held to. A gate on `human.NAME.alpha`, `.kappa` or
    `.agreement` makes agreement a condition of publishing. Krippendorff suggests an alpha of 0.8 to
    rely on, and of 0.667 for tentative conclusions.

    ```yaml bad
    human:
      rubric:  # <- finding
        labels: [labels.csv]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv bad file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,true
    ```

    ```yaml fixed
    gates:
      - human.rubric.alpha >= 0.667
    human:
      rubric:
        labels: [labels.csv]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```
    """
    node = suite.under("human")
    if node is None or not suite.has_head:
        return
    figures = suite_figures(suite.suite)
    asked = [figure for gate in figures.gates for figure in gate.figures()]
    meanings = [figures.meaning(it) for it in asked]
    if None in meanings or any(isinstance(it.tree, GateProblem) for it in figures.gates):
        return  # it may be the gate that is missing
    measured = {
        meaning.evaluator for meaning in meanings if meaning is not None and meaning.kind in _NAMES
    }
    for name, entry in node:
        if name in measured or name not in figures.names.evaluators:
            continue
        gate = f"human.{spelt(name) or name}.{_ALPHA} >= {TENTATIVE}"
        fix = None
        if spelt(name) == name:
            edit = listed_under(suite.head.content, "gates", "human", gate)
            if edit is not None:
                fix = Fix(f"Add the gate `{gate}`", (edit,), safe=False).moved(suite.head_span)
        yield Finding(
            suite.head_span(entry.key.span),
            f"no gate says how far people have to agree on `{name}`; add `{gate}`",
            fix,
        )
