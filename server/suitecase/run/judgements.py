"""How often a record's evaluators asked a judge, and what came of it, at any depth of composites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Judgement:
    """One evaluator, or one aggregator of a composite, that asked a judge."""

    #: None of its replies could be read in full.
    unreadable: bool
    #: It could not be asked.
    broken: bool
    #: Of the unreadable ones: some rubric items were answered, and others left out.
    partly: bool = False


def judgements(result: Mapping[str, Any]) -> Iterator[Judgement]:
    """Yield the judgements behind what an evaluator of a record says.

    Of a composite these are those of its members and of its aggregator; one of a version that did
    not tell them apart is a single judgement.
    """
    told = result.get("details")
    details: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    own: Mapping[str, Any] | None = result
    match result.get("type"):
        case "composite":
            members = details.get("members")
            listed = members if isinstance(members, list) else []
            if all(isinstance(it, Mapping) and "attempts" in it for it in listed):
                for member in listed:
                    yield from judgements(member)
                aggregator = details.get("aggregator")
                own = aggregator if isinstance(aggregator, Mapping) else None
        case "code_judge" if details.get("target_calls"):
            # The script asked; whether it could use the replies is its own business.
            yield Judgement(unreadable=False, broken=bool(details.get("target_calls_failed")))
    if own and own.get("attempts"):
        unreadable = own.get("parse_failed") is True
        partly = unreadable and own is result and bool(details.get("missing_items"))
        yield Judgement(unreadable, own.get("error") is not None, partly)
