"""Rubrics: what a judge is asked item by item, and the one place that says when ranges are sound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.message import kind_of
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.schema.shares import shares_of

#: Scores of a range item are whole numbers from 0 to this, both included.
TOP = 10
#: A range item is a hit from this score on, where its gate is met.
HIT_AT = 7
#: What `range_score_text` returns, with what separates it from the judge's reasoning.
RANGE_SCORE = re.compile(rf"(?<!\d)\d++ of {TOP}(?: where \d+ is needed)?(?:: |$)")


def range_score_text(score: int, gate: int | None) -> str:
    """Return the score of a range item, and what a miss lacks: `5 of 10 where 7 is needed`.

    Args:
        gate: the score below which the item fails the case, if it has one.
    """
    needed = gate if gate is not None and score < gate else HIT_AT
    summary = f"{score} of {TOP}"
    return summary if score >= needed else f"{summary} where {needed} is needed"


LowerBound = Annotated[str, Field(pattern=r"^(0|[1-9]|10)$")]
Text = Annotated[str, Field(pattern=r"\S")]


class ScoreRange(Model):
    """The scores from `min` to `max`, and what an answer must be like to get one of them."""

    score_range: list[int] = Field(
        min_length=2,
        max_length=2,
        description="`[min, max]`, whole numbers from 0 to 10, inclusive.",
        examples=[[0, 3]],
    )
    expected_outcome: Text = Field(
        description="What an answer with a score in this range is like; the judge reads it."
    )


class Rubric(Model):
    """One thing the judge looks for.

    Without `score_ranges` it is a checklist item, satisfied or not. With them the judge gives it a
    whole number from 0 to 10.
    """

    id: str | None = Field(
        default=None,
        pattern=r"\S",
        description="Identifies the item in the judge's reply and in results; unique in its list. Default: "
        "`rubric-N`, with N counted from 1.",
        examples=["tone"],
    )
    expected_outcome: Text | None = Field(
        default=None,
        description="What the answer should do. Required if there are no `score_ranges`.",
        examples=["Says how to get the return label"],
    )
    weight: float = Field(
        default=1.0, ge=0, description="How much the item counts in the score. Default 1."
    )
    required: bool | None = Field(
        default=None,
        description="Whether the case fails if the item is not met, whatever the score. Default `true` for "
        "a checklist item. For an item with ranges, use `required_min_score`; there, `required:"
        " true` means a minimum of 10.",
    )
    required_min_score: int | None = Field(
        default=None,
        ge=0,
        le=TOP,
        description="The minimum score of the item, from 0 to 10. A lower one fails the case, whatever the "
        "case's score.",
        examples=[7],
    )
    score_ranges: (
        Annotated[
            Annotated[list[ScoreRange], Tag("<list>")]
            | Annotated[dict[LowerBound, Text], Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None
    ) = Field(
        default=None,
        description="What each score from 0 to 10 means. Either a list of `{score_range: [min, max], "
        "expected_outcome}`, or a map from the lowest score of each range to its text; in a "
        "map, a range extends to the next one, and the last one to 10. Together the ranges "
        "cover every score exactly once.",
        examples=[
            {"0": "Blames the customer", "4": "Is polite", "8": "Says sorry, and offers help"}
        ],
    )

    @property
    def mode(self) -> Literal["check", "range"]:
        return "range" if self.score_ranges is not None else "check"

    @property
    def is_required(self) -> bool:
        """Whether a checklist item must be satisfied."""
        return self.mode == "check" and self.required is not False

    @property
    def gate(self) -> int | None:
        """The score below which a range item fails the case, or None."""
        if self.mode == "check":
            return None
        if self.required_min_score is not None:
            return self.required_min_score
        return TOP if self.required else None

    @property
    def ranges(self) -> tuple[tuple[int, int, str], ...]:
        """The ranges as (lowest, highest, text), lowest first; empty for a checklist item."""
        match self.score_ranges:
            case None:
                return ()
            case list():
                found = [
                    (
                        score_range.score_range[0],
                        score_range.score_range[1],
                        score_range.expected_outcome,
                    )
                    for score_range in self.score_ranges
                ]
                return tuple(sorted(found))
            case _:
                lows = [int(low) for low in self.score_ranges]
                bounds = bounds_of_map(lows)
                texts = self.score_ranges.values()
                return tuple(
                    (low, high, text)
                    for (low, high), text in sorted(zip(bounds, texts, strict=True))
                )

    @model_validator(mode="after")
    def _is_gradable(self) -> Rubric:
        if self.score_ranges is None:
            if self.expected_outcome is None:
                raise PydanticCustomError(
                    "rubric_without_text", "a rubric needs `expected_outcome` or `score_ranges`"
                )
            return self
        if isinstance(self.score_ranges, list):
            bounds = [(it.score_range[0], it.score_range[1]) for it in self.score_ranges]
            problem = next(range_problems(bounds), None)
        else:
            problem = next(map_problems([int(low) for low in self.score_ranges]), None)
        if problem:
            raise PydanticCustomError(
                "score_ranges",
                "{problem}",
                {"problem": f"score ranges: {problem.message}", "kind": problem.kind},
            )
        return self


#: A rubric list as written: a plain string is a required checklist item.
RubricItem = Annotated[
    Annotated[str, Tag("<text>"), Field(pattern=r"\S")] | Annotated[Rubric, Tag("<mapping>")],
    Discriminator(kind_of),
]


def named(items: Sequence[str | Rubric]) -> tuple[Rubric, ...]:
    """Return rubrics as the judge sees them: strings as items, and an id for each."""
    rubrics = [Rubric(expected_outcome=item) if isinstance(item, str) else item for item in items]
    return tuple(
        rubric if rubric.id is not None else rubric.model_copy(update={"id": f"rubric-{number}"})
        for number, rubric in enumerate(rubrics, 1)
    )


def written_out(items: Sequence[str | Rubric]) -> list[str | Rubric]:
    """Return rubrics with short forms expanded; they grade the same.

    Each has its id; of a checklist item it is said whether it is required, of a range item its
    minimum, if it has one, and each range with its bounds.
    """
    whole: list[str | Rubric] = []
    for rubric in named(items):
        is_check = rubric.mode == "check"
        ranges = [
            ScoreRange(score_range=[low, high], expected_outcome=text)
            for low, high, text in rubric.ranges
        ]
        fields = {
            "required": rubric.is_required if is_check else None,
            "required_min_score": rubric.gate,
            "score_ranges": ranges or None,
        }
        whole.append(rubric.model_copy(update=fields))
    return whole


@dataclass(frozen=True, slots=True)
class RangeProblem:
    """Why a list of score ranges does not give every score exactly one meaning.

    `index` is the range it is about; `other` the range it collides with; both None where it is
    about the list as a whole.
    """

    kind: Literal["bounds", "reversed", "overlap", "coverage", "start"]
    message: str
    index: int | None = None
    other: int | None = None


def range_problems(bounds: Sequence[tuple[int, int]]) -> Iterator[RangeProblem]:
    """Yield what is wrong with ranges given as (min, max), in the order they stand.

    The rules are those of the rubric-evaluator specification: bounds in 0..10, no overlap, full
    coverage. A range that is itself wrong is left out of the search for overlaps and gaps, so that
    one mistake gives one problem.
    """
    sound: list[tuple[int, int, int]] = []
    for index, (low, high) in enumerate(bounds):
        if not (0 <= low <= TOP and 0 <= high <= TOP):
            yield RangeProblem(
                "bounds", f"[{low}, {high}] is outside the scale from 0 to {TOP}", index
            )
        elif low > high:
            yield RangeProblem(
                "reversed",
                f"[{low}, {high}] starts above its end; did you mean [{high}, {low}]?",
                index,
            )
        else:
            sound.append((low, high, index))
    for place, (low, high, index) in enumerate(sound):
        for other_low, other_high, other in sound[:place]:
            shared = (max(low, other_low), min(high, other_high))
            if shared[0] <= shared[1]:
                yield RangeProblem(
                    "overlap",
                    f"[{low}, {high}] overlaps [{other_low}, {other_high}]: "
                    f"{scores(range(shared[0], shared[1] + 1))} would mean both",
                    index,
                    other,
                )
                break
    if len(sound) == len(bounds):
        covered = {score for low, high, _ in sound for score in range(low, high + 1)}
        missing = [score for score in range(TOP + 1) if score not in covered]
        if missing:
            yield RangeProblem("coverage", _no_range_for(missing))


def map_problems(lows: Sequence[int]) -> Iterator[RangeProblem]:
    """Yield what is wrong with the lower bounds of the map form, in the order they stand."""
    for index, low in enumerate(lows):
        if not 0 <= low <= TOP:
            yield RangeProblem("bounds", f"{low} is outside the scale from 0 to {TOP}", index)
    inside = [low for low in lows if 0 <= low <= TOP]
    if not inside:
        if not lows:
            yield RangeProblem("coverage", _no_range_for(range(TOP + 1)))
    elif min(inside) > 0:
        yield RangeProblem(
            "start",
            f"the lowest range starts at {min(inside)}, so {scores(range(min(inside)))} "
            "has no meaning; start at 0",
            lows.index(min(inside)),
        )


def _no_range_for(missing: Sequence[int]) -> str:
    return f"no range covers {scores(missing)}; every score from 0 to {TOP} needs one"


def bounds_of_map(lows: Sequence[int]) -> list[tuple[int, int]]:
    """Return (min, max) of each lower bound: it reaches to the next one minus 1, the last to 10."""
    ordered = sorted(lows)
    following = dict(zip(ordered, [*(low - 1 for low in ordered[1:]), TOP], strict=True))
    return [(low, following[low]) for low in lows]


def scores(values: Sequence[int] | range) -> str:
    """Name scores shortly: `3`, `4 to 6`, `0, 2 and 7 to 10`."""
    runs: list[tuple[int, int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    names: list[str] = []
    for first, last in runs:
        ends = (first, last) if last == first + 1 else (first,)
        names += [f"{first} to {last}"] if last > first + 1 else [str(end) for end in ends]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def weights_of(rubrics: Sequence[Rubric]) -> Mapping[str, float]:
    """Return the share of each rubric in the score, by id; all 0 where no item counts."""
    shares = shares_of([rubric.weight for rubric in rubrics])
    return {it.id or "": share for it, share in zip(rubrics, shares, strict=True)}
