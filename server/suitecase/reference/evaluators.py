"""The evaluators: a section for each, with its keys and an example."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.reference.evaluator_examples import EXAMPLES, Example
from suitecase.reference.models import keys_below, keys_of
from suitecase.reference.topic import Key, Section, Topic
from suitecase_evaluators.answers.rubric import Rubric, ScoreRange
from suitecase_evaluators.grade import registry
from suitecase_evaluators.grade.evaluator import Evaluator, EvaluatorConfig

_TEXT = """\
Evaluators grade answers. They are listed under `execution.evaluators` of a suite, for all cases, or under `evaluators` of a
case, which replace those of the suite. `suitecase explain TYPE` prints one of these sections; installed packages can
[add evaluators](../writing-evaluators.md). [Graders](../graders.md) says which to choose, and [verdicts](verdicts.md) how a case
gets its verdict from them."""


def evaluators_topic() -> Topic:
    """Return the page of the built-in evaluators."""
    shared = Section(
        title="Every evaluator",
        text="These keys can be set for each evaluator, whatever its type is.",
        keys=tuple(keys_of(EvaluatorConfig)),
    )
    return Topic(
        name="evaluators",
        title="Evaluators",
        summary="the evaluators, and the keys of each",
        text=_TEXT,
        sections=(shared, *(evaluator_section(evaluator) for evaluator in registry.evaluators())),
    )


def evaluator_section(evaluator: Evaluator) -> Section:
    """Return the section of a built-in evaluator, with the keys that only it has."""
    parts = [evaluator.documentation, *example_parts(EXAMPLES[evaluator.type])]
    return Section(
        title=f"`{evaluator.type}`",
        text="\n\n".join(parts),
        keys=tuple(own_keys(evaluator)),
        names=(evaluator.type,),
    )


def own_keys(evaluator: Evaluator) -> Iterator[Key]:
    """Yield the keys that not every evaluator has, and those under them."""
    shared = {it.name: it.meaning for it in keys_of(EvaluatorConfig)}
    for key in keys_of(evaluator.config, without={"type"}):
        if shared.get(key.name) != key.meaning:
            yield key
    yield from keys_below(evaluator.config, left_out=(Rubric, ScoreRange))


def example_parts(example: Example) -> Iterator[str]:
    """Yield the paragraphs of an example."""
    yield f"```yaml\n{example.case}\n```"
    for name, text in example.files.items():
        language = "python" if name.endswith(".py") else "text"
        yield f"`{name}`:\n\n```{language}\n{text.rstrip()}\n```"
    why = f" {example.why}" if example.why else ""
    yield f"With the answer `{example.answer}` the verdict is `{example.verdict}`.{why}"
