"""What was found written in another way than today's, as facts about places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from suitecase.syntax.node import Mapping, Scalar, Sequence

Kind = Literal[
    # Said in another way, with the same meaning: a fix writes today's.
    "key",
    "evaluator_type",
    "range_gate",
    "min_score",
    "milliseconds",
    "any_arguments",
    "config_key",
    "target",
    "metadata",
    "messages",
    "assertions",
    "prompt_file",
    "implied_outcome",
    "gone",
    "skip_defaults",
    # Not to be said today: a person decides.
    "meaning_changed",
    "no_equal",
    "split_content",
]


@dataclass(frozen=True, slots=True)
class AssertionList:
    """A list of evaluators as `assert` and `assertions` have it.

    Attributes:
        key: what the list is called today: `rubrics`, `evaluators`, or None where it cannot be
            renamed because another list stands beside it.
        sequence: the list as it is written.
        names: the names that items without one get, by their index.
        texts: the indexes of the items that are plain texts; together they are one judge.
        group: that judge's name; empty where there is none.
        exact: the expected calls whose arguments were compared as a whole, without saying so.
        weight: how much the judge of the texts counts.
        criteria: the judges whose prompts are criteria.
    """

    key: str | None
    sequence: Sequence
    names: dict[int, str] = field(default_factory=dict)
    texts: tuple[int, ...] = ()
    group: str = ""
    exact: tuple[Mapping, ...] = ()
    weight: int = 1
    criteria: tuple[Mapping, ...] = ()


@dataclass(frozen=True, slots=True)
class LegacySyntax:
    """Something written in another way than today's.

    `node` is where it stands, most often a key; `parent` the mapping it is written in, under
    `name`. `old` and `new` are the words, or, where nothing is written in its place, `new` says
    why. `what` names the thing it belongs to, for people.
    """

    kind: Kind
    node: Scalar
    old: str
    new: str
    what: str
    parent: Mapping
    name: str = ""
    #: For `messages`: how many of them are the input.
    count: int = 0
    listed: AssertionList | None = None
    #: For `messages` and `split_content`.
    sequence: Sequence | None = None
