"""What makes a recorded grade doubtful: a score on another scale, verdicts that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

#: The detail of a score that lay outside 0..1, as it was given, and was taken to the nearest.
GIVEN_SCORE = "given_score"
#: The detail that says that the judge's reply holds another verdict, which differs.
AMBIGUOUS_REPLY = "ambiguous_reply"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why somebody should look at a grade; `text` says it to people, as a sentence without its end."""

    kind: Literal["clamped_score", "ambiguous_reply"]
    text: str
    #: The evaluator, after the composites that it is a member of.
    where: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """Say where it is, too."""
        return f"{' / '.join(self.where)}: {self.text}" if self.where else self.text


def doubts_of(result: Mapping[str, Any]) -> list[Doubt]:
    """Return what is doubtful in what one evaluator says, without the members of composites."""
    details = result.get("details")
    if not isinstance(details, Mapping):
        return []
    found: list[Doubt] = []
    given = details.get(GIVEN_SCORE)
    if isinstance(given, int | float) and not isinstance(given, bool) and not 0 <= given <= 1:
        taken = 1 if given > 1 else 0
        text = f"the score {_shown(given)} lies outside 0 to 1 and counts as {taken}"
        found.append(Doubt("clamped_score", text))
    if details.get(AMBIGUOUS_REPLY) is True:
        text = "the judge's reply holds verdicts that differ; the first one counts"
        found.append(Doubt("ambiguous_reply", text))
    return found


def doubts_in(record: Mapping[str, Any]) -> Iterator[Doubt]:
    """Yield what is doubtful in the grades of a record, the members of composites included."""
    yield from _in(record.get("evaluator_results"), ())


def _in(results: object, above: tuple[str, ...]) -> Iterator[Doubt]:
    for it in results if isinstance(results, list | tuple) else ():
        if not isinstance(it, Mapping):
            continue
        where = (*above, str(it.get("name") or it.get("type") or "evaluator"))
        yield from (Doubt(found.kind, found.text, where) for found in doubts_of(it))
        details = it.get("details")
        # A script may call what it likes `members`.
        if it.get("type") == "composite" and isinstance(details, Mapping):
            yield from _in(details.get("members"), where)


def _shown(number: float) -> str:
    try:
        return f"{number:g}"
    except OverflowError:  # a whole number of hundreds of digits
        return "with hundreds of digits"
