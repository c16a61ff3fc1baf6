"""What is known of a type of assertion before anything is graded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

#: The kinds of values; `texts` is a list of texts, `numeral` a text that is a number.
ValueKind = Literal["text", "numeral", "number", "switch", "list", "texts", "mapping"]
GradedBy = Literal["text", "code", "model", "embedding", "classifier", "measure", "trace", "set"]
#: What the text of a value is.
Content = Literal["javascript", "python", "ruby", "regex", "rubric", "schema", "tools"]

#: In front of a type it inverts the result.
NEGATION: Final = "not-"
#: What grades, in the order in which types are offered.
GRADED_BY: Final[tuple[GradedBy, ...]] = get_args(GradedBy)
#: The contents that are code.
LANGUAGES: Final = frozenset({"javascript", "python", "ruby"})
#: The kinds of values in words.
KINDS_IN_WORDS: Final[Mapping[ValueKind, str]] = MappingProxyType(
    {
        "text": "text",
        "numeral": "text",
        "number": "a number",
        "switch": "`true` or `false`",
        "list": "a list",
        "texts": "a list",
        "mapping": "a mapping",
    }
)

#: The kinds that are special forms of others.
_SPECIAL_KINDS: Final[Mapping[str, ValueKind]] = MappingProxyType(
    {"text": "numeral", "list": "texts"}
)

#: Kinds of values that several types take.
TEXT: Final[tuple[ValueKind, ...]] = ("text",)
TEXTS: Final[tuple[ValueKind, ...]] = ("text", "texts")
ANY: Final[tuple[ValueKind, ...]] = ("text", "number", "switch", "list", "mapping")


@dataclass(frozen=True, slots=True)
class Scale:
    """What the `threshold` of a type means.

    Attributes:
        minimum: the lowest value that makes sense; None if any does.
        maximum: the highest one.
        unit: what it counts, for people.
        required: without it, the answer cannot be graded.
        default: what it is where it is not written.
        is_limit: it is the most that is allowed, not what has to be reached.
    """

    minimum: float | None = 0
    maximum: float | None = 1
    unit: str = "score, 0 to 1"
    required: bool = False
    default: float | None = None
    is_limit: bool = False

    @property
    def in_words(self) -> str:
        """What a number on it is, for people."""
        text = f"the most that is allowed, in {self.unit}" if self.is_limit else self.unit
        if self.required:
            return f"{text}, required"
        return f"{text}; default {self.default:g}" if self.default is not None else text


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionType:
    """Everything that is known about a type of assertion, written once, where the type is graded.

    Attributes:
        name: as it is written. Of a type that is graded, it is that of its configuration.
        description: what it checks, for hovers and completions. Of a type that is graded, it is the
            docstring of its configuration.
        module: the module of `graders` that has it; it is known once all of them are.
        example: of the whole assertion, as YAML in one line.
        graded_by: what grades.
        not_run: why it is not graded here; completes the message `TYPE is not supported:`. None if it is.

        values: the kinds of `value` that it takes, without templates and `file://`; empty if it
            does not use `value`.
        value_required: without `value` there is nothing to compare with or to grade by.
        takes_nothing: an empty `value` is one to compare with, too.
        criteria_elsewhere: the prompt of the author's own may have what `value` would say.
        content: what the text of `value` is; None for a text to compare with, or of no form.
        finds: the answer is searched for the texts of `value`: for one of them, or for all. A cell of
            a table has them with commas between them.
        needed_keys: if `value` is a mapping, it needs one of these.
        for_lists: the types that take a list of what this one takes.

        threshold: what `threshold` means; None if it is not used.
        threshold_in_tables: what it is in a cell of a table that does not say it; None if it is not
            used there.
        own_keys: keys of assertions that only this type and some others have.
        cell_starts: how the cell of a table starts whose rest is the `value`, besides the name.

        negatable: `not-` in front of it inverts the result. Of the others, promptfoo ignores it or
            does not know the type.
        special: promptfoo lists it apart from others: `not-` and the cells of a table do not know it.
        newer_name: the name that replaces this one.
        also_called: what other tools and people call it.
        negated_also_called: what they call it with `not-`.
        unmistakable: its name is no ordinary word, so that nobody writes it in front of an answer. So
            are names with a hyphen.

        reads: the variables that it reads without a template.
        sends_variables: it sends all variables elsewhere.
        rank: where completion offers it: the frequent types have the lowest ranks.
    """

    name: str = ""
    description: str = ""
    module: str = ""
    example: str = ""
    graded_by: GradedBy = "text"
    not_run: str | None = None

    values: tuple[ValueKind, ...] = ()
    value_required: bool = False
    takes_nothing: bool = False
    criteria_elsewhere: bool = False
    content: Content | None = None
    finds: Literal["any", "all"] | None = None
    needed_keys: tuple[str, ...] = ()
    for_lists: tuple[str, ...] = ()

    threshold: Scale | None = None
    threshold_in_tables: float | None = None
    own_keys: tuple[str, ...] = ()
    cell_starts: tuple[str, ...] = ()

    negatable: bool = True
    special: bool = False
    newer_name: str | None = None
    also_called: tuple[str, ...] = ()
    negated_also_called: tuple[str, ...] = ()
    unmistakable: bool = False

    reads: tuple[str, ...] = ()
    sends_variables: bool = False
    rank: int = 1000

    @property
    def is_code(self) -> bool:
        """Whether its value is code."""
        return self.content in LANGUAGES

    def takes(self, kind: str) -> bool:
        """Whether it takes a value of a kind: of `text`, `number`, `switch`, `list` or `mapping`."""
        return kind in self.values or _SPECIAL_KINDS.get(kind) in self.values

    @property
    def values_in_words(self) -> str:
        """The kinds of `value` that it takes, for people."""
        if not self.values:
            return "not used"
        *others, last = (KINDS_IN_WORDS[kind] for kind in self.values)
        return f"{', '.join(others)} or {last}" if others else last
