"""What a model says of the texts under a key, where that is more than a `FieldRole`: names, files, prompts.

A role stands in the annotation of a field, or of a part of its type. It holds for the text there, and for the texts
of a list or of a mapping there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from suitecase_evaluators.schema.field_role import FieldRole


class Kind(StrEnum):
    """The kind of thing a name refers to."""

    CASE = "case"
    TARGET = "target"
    EVALUATOR = "evaluator"
    RUBRIC = "rubric"
    METRIC = "metric"
    SLICE = "slice"
    TAG = "tag"
    ANCHOR = "anchor"
    VARIABLE = "variable"
    #: In suites of other tools: a test by its description, a variable that tests give and prompts use,
    #: a provider and a prompt by its label or id, and a name that scores are shown under.
    TEST = "test"
    TEST_VARIABLE = "test variable"
    PROVIDER = "provider"
    PROMPT_LABEL = "prompt label"
    SCORE_NAME = "score name"
    #: A prompt, which may be a file of that name, and any other file.
    PROMPT = "prompt"
    FILE = "file"

    @property
    def is_file(self) -> bool:
        return self in (Kind.PROMPT, Kind.FILE)


class KeyRole:
    """What a text under a key is.

    Attributes:
        is_filled: whether a text that is this is filled as a template, too.
        at_any_depth: whether it holds also deeper than in the items and values of what the key has.
    """

    __slots__ = ()
    is_filled: bool = True
    at_any_depth: bool = False


@dataclass(frozen=True, slots=True)
class Defines(KeyRole):
    """A text that gives something its name.

    Attributes:
        kind: the kind of thing.
        is_id: whether the text is more than a name, such as the id of a provider: it is not renamed, and a
            text that is no single word is none.
        is_filled: whether variables are filled into it.
    """

    kind: Kind
    is_id: bool = False
    is_filled: bool = False


@dataclass(frozen=True, slots=True)
class RefersTo(KeyRole):
    """A text that is the name of something; one that ends with `*` is a pattern.

    Attributes:
        kind: the kind of thing.
    """

    kind: Kind
    is_filled: bool = False


@dataclass(frozen=True, slots=True)
class FormulaOf(KeyRole):
    """A formula with names in it.

    Attributes:
        kind: the kind of things that they name.
    """

    kind: Kind
    is_filled: bool = False


@dataclass(frozen=True, slots=True)
class SentPrompt(KeyRole):
    """A prompt that targets are sent: its text, or the path of its file.

    Attributes:
        unless: the key beside which the text is none.
    """

    unless: str = ""


@dataclass(frozen=True, slots=True)
class File(KeyRole):
    """A text that may be the path of a file.

    Attributes:
        endings: how the names of the files end that are offered.
        missing: what happens without the file, to follow "so"; empty where a rule of its own says that.
        scheme: whether `file://` stands in front of the path, may stand there, or is part of the path there.
        at_any_depth: whether a value within the value may be one, too.
        holds: what the file has, where names in it are those of the suite.
        or_name: whether a text without a `/` is the name of something else.
    """

    endings: tuple[str, ...]
    missing: str = ""
    scheme: Literal["needed", "allowed", "none"] = "needed"
    at_any_depth: bool = False
    holds: Literal["", "variables", "template", "defaults"] = ""
    or_name: bool = False


#: A role of any kind.
Role = KeyRole | FieldRole


@dataclass(frozen=True, slots=True, eq=False)
class Under:
    """Says of a mapping whose keys may have any name what some of them are.

    Attributes:
        keys: their roles, by key.
    """

    keys: Mapping[str, tuple[Role, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class ReadAs:
    """Says of a value of any type as what its texts are read, though it is not validated as that.

    Attributes:
        type: the type.
    """

    type: Any


@dataclass(frozen=True, slots=True)
class Usually:
    """Says of a field of many types what nearly all files have under its key.

    Attributes:
        words: in words.
    """

    words: str


@dataclass(frozen=True, slots=True)
class SentTo:
    """Says of a field of a test who is sent the texts in its value, whatever they are called below.

    Attributes:
        who: in words; empty for each provider of the configuration.
    """

    who: str


def is_filled(roles: tuple[Role, ...]) -> bool:
    """Whether variables are filled into a text with these roles, as into one without any."""
    if not roles or any(isinstance(role, SentPrompt) for role in roles):
        return True
    return all(
        role not in _NEVER_FILLED if isinstance(role, FieldRole) else role.is_filled
        for role in roles
    )


_NEVER_FILLED = frozenset({FieldRole.TARGET, FieldRole.GRADER_TYPE, FieldRole.AS_WRITTEN})
