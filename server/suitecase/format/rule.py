"""What a rule is: one function, whose docstring is its documentation and its test.

A rule's first parameter says what it looks at: a `Document`, a `ParsedSuite`, a `ParsedHead`, a
`ParsedCase` or one of a case's elements. A second parameter, a `Folder`, says that it also
looks at other files. It yields findings with places in what it looks at.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from suitecase.text.addresses import rule_page
from suitecase.text.cache import Cache
from suitecase.text.node import Span
from suitecase_evaluators.schema.field_role import FieldRole

if TYPE_CHECKING:
    from suitecase.schema.validation import IssueKind
    from suitecase.text.document import Content

#: Which cases of a suite an error is about; see `rule`.
Affects = Literal["place", "related", "suite", "run", "release"]
#: Behind a key that a rule is about: only where a list stands under it.
LISTED = "[]"
#: Marks, in a bad example, the lines on which the rule finds something.
MARK = "# <- finding"
_EXAMPLE = re.compile(
    r"```(?P<language>\w+) (?P<kind>bad|good|fixed)(?: file=(?P<file>\S+))?\n(?P<text>.*?)```",
    re.DOTALL,
)


class Severity(StrEnum):
    """How bad a finding is.

    `ERROR`: the suite cannot be graded as it says, and the run refuses it.
    `WARNING`: it can be graded, but surely not as its author means, or not for long.
    `INFO`: worth knowing; nothing has to be done.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Tag(StrEnum):
    """What is true of the very place a finding lies at, which editors show by how the text looks.

    `UNNECESSARY`: what stands there has no effect: without it the suite is graded the same. Editors
    fade it.
    `DEPRECATED`: it is an older or another way to say it. Editors strike it through.
    """

    UNNECESSARY = "unnecessary"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of text and what to put in its place."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that fix a finding, with the verb phrase an editor shows.

    A safe fix keeps the suite's meaning, or gives it the only one it can have.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True

    def moved(self, move: Move) -> Fix:
        """Return the fix with its edits moved."""
        return Fix(
            self.title, tuple(Edit(move(edit.span), edit.text) for edit in self.edits), self.safe
        )

    def apply(self, text: str) -> str:
        """Return the text with the edits made."""
        for edit in sorted(self.edits, key=lambda it: it.span, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        return text


#: Returns where a place lies in something larger.
Move = Callable[[Span], Span]

#: Computes a fix from the content of the part that a finding is in. For rules that check an element
#: of a part, which has positions and no text. Returns None if the way it is written allows no fix.
DeferredFix = Callable[["Content"], Fix | None]


@dataclass(frozen=True, slots=True)
class Related:
    """Another place a finding has to do with; in the same file where `path` is None."""

    message: str
    span: Span
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """An example in a rule's documentation. `file` names what it is where it is not the suite."""

    kind: str
    language: str
    text: str
    file: str | None


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule: its code, how bad what it finds is, and the function that finds it."""

    code: str
    severity: Severity
    check: Callable[..., Iterator[Finding]]
    #: What of a part the rule is about, if only that: nearly all cases have none of it, and the
    #: rule need not be asked.
    only_of: Literal["issues", "legacy_syntax"] | None = None
    #: The rule has nothing to say of a mapping that has none of these keys; empty if it may.
    keys: frozenset[str] = frozenset()
    #: The rule has nothing to say of an evaluator without a value of one of these roles; empty if
    #: it may.
    roles: frozenset[FieldRole] = frozenset()
    #: How editors show the places of what it finds.
    tags: tuple[Tag, ...] = ()
    #: What an error of it is about can be graded all the same.
    gradable: bool = False
    #: Which cases of a suite an error of it is about.
    affects: Affects = "place"
    #: The kinds of validation issues that it reports, and no other rule does.
    issues: frozenset[IssueKind] = frozenset()
    #: What it finds keeps a text, or a part of it, from being read.
    unreadable: bool = False
    #: What it finds only matters where targets are called, not where their answers are replayed.
    live_only: bool = False
    #: What it finds is about a file as a whole, so that no line of it is shown.
    whole_file: bool = False

    @property
    def cannot_be_silenced(self) -> bool:
        """Whether what it finds is always reported, and always an error.

        What cannot be graded is not graded because nobody wants to hear of it.
        """
        return self.severity is Severity.ERROR and not self.gradable

    @property
    def name(self) -> str:
        return self.check.__name__.replace("_", "-")

    @cached_property
    def subject(self) -> type:
        """What the rule looks at."""
        code = self.check.__code__
        first = code.co_varnames[0]
        # Each start of `check` asks this of all rules: resolving every annotation takes five times as long.
        named = self.check.__globals__.get(self.check.__annotations__[first])
        found: type = named if isinstance(named, type) else get_type_hints(self.check)[first]
        return found

    @cached_property
    def reads_files(self) -> bool:
        """Whether the rule looks at other files, so that its findings depend on them."""
        return self.check.__code__.co_argcount > 1

    @cached_property
    def documentation(self) -> str:
        return inspect.cleandoc(self.check.__doc__ or "")

    @property
    def title(self) -> str:
        return self.documentation.partition("\n")[0].rstrip(".")

    @property
    def url(self) -> str:
        return rule_page(self.name)

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        return tuple(
            Example(fence["kind"], fence["language"], fence["text"], fence["file"])
            for fence in _EXAMPLE.finditer(self.documentation)
        )

    @property
    def fixable(self) -> bool:
        """Whether the rule can fix its findings: derived from there being a fixed example."""
        return any(example.kind == "fixed" for example in self.examples)

    def markdown(self) -> str:
        """Return the rule's page; `suitecase explain` shows the same."""
        body = self.documentation.partition("\n")[2].strip()
        body = _EXAMPLE.sub(_shown_example, body)
        fix = "A quick fix is available." if self.fixable else "There is no quick fix."
        shown = "".join(f" {_SHOWN[tag]}" for tag in self.tags)
        always = f" {_ALWAYS}" if self.cannot_be_silenced else ""
        return (
            f"# {self.name} ({self.code})\n\n"
            f"{self.title}.\n\n"
            f"Severity: **{self.severity.value}**. {fix}{shown}{always}\n\n"
            f"{body}\n"
        )


def _checks_nothing(_: object) -> Iterator[Finding]:
    return iter(())


#: The rule of a finding that its rule has just yielded.
UNASSIGNED = Rule("", Severity.ERROR, _checks_nothing)


@dataclass(frozen=True, slots=True)
class External:
    """Another file that a finding lies in: its places, and those of its fix, count there.

    `reference` is where what the rule looks at names the file. A comment there silences the
    finding.
    """

    path: Path
    reference: Span


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """A finding as it is kept with a case.

    `start` is where it starts in the case's text. What others derive from it is in `derived`.
    """

    start: int
    derived: dict[Cache[Any], Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a rule found. The message names the thing, and what was expected.

    The rule yields it with places in what it looks at. Whoever runs the rule says which one it is,
    and moves the places to where that lies in the document.
    """

    span: Span
    message: str
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    external: External | None = None
    #: The numbers of the cases it concerns, where its place does not say that.
    cases: frozenset[int] | None = None
    #: Makes the fix when the rule has run; for rules that have no text.
    deferred_fix: DeferredFix | None = field(default=None, compare=False, repr=False)
    rule: Rule = UNASSIGNED
    #: How bad the configuration says it is; None where it says nothing.
    configured: Severity | None = None
    #: The rule took too long, and was ended.
    timed_out: bool = False
    #: It is not the file that is wrong: what it needs cannot be used on this machine.
    environment: bool = False
    #: As what it was found in a case, whose places move with it; None where it was not.
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def severity(self) -> Severity:
        return self.configured or self.rule.severity

    def moved(self, move: Move) -> Finding:
        """Return the finding with its places moved; those in other files stay."""
        if self.external is not None:
            external = External(self.external.path, move(self.external.reference))
            return dataclasses.replace(self, external=external)
        related = self.related and tuple(
            it if it.path is not None else Related(it.message, move(it.span)) for it in self.related
        )
        return Finding(
            move(self.span),
            self.message,
            self.fix and self.fix.moved(move),
            related,
            cases=self.cases,
            rule=self.rule,
            configured=self.configured,
            timed_out=self.timed_out,
            environment=self.environment,
            origin=self.origin,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # What is derived from it stays in its process.
        content = (self.span, self.message, self.fix, self.related, self.external, self.cases)
        state = (self.rule, self.configured, self.timed_out, self.environment)
        return Finding, (*content, None, *state)


#: How editors show a place, in words.
_SHOWN = {
    Tag.UNNECESSARY: "Editors fade the code it reports, which has no effect.",
    Tag.DEPRECATED: "Editors strike through the code it reports, which is legacy syntax.",
}
_ALWAYS = "It cannot be suppressed."
_HEADINGS = {"bad": "Found", "good": "Clean", "fixed": "After the fix"}


def _shown_example(match: re.Match[str]) -> str:
    text = re.sub(rf"[ \t]*{re.escape(MARK)}", "  # ← here", match["text"])
    file = f" (`{match['file']}`)" if match["file"] else ""
    return f"{_HEADINGS[match['kind']]}{file}:\n\n```{match['language']}\n{text}```"


def rule(
    code: str,
    severity: Severity = Severity.ERROR,
    *,
    only_of: Literal["issues", "legacy_syntax"] | None = None,
    keys: Collection[str] = (),
    roles: Collection[FieldRole] = (),
    tags: Collection[Tag] = (),
    gradable: bool = False,
    affects: Affects = "place",
    issues: Collection[IssueKind] = (),
    unreadable: bool = False,
    live_only: bool = False,
    whole_file: bool = False,
) -> Callable[[Callable[..., Iterator[Finding]]], Rule]:
    """Make a rule of a function that looks for one kind of mistake.

    Args:
        code: of the rule, in findings and comments.
        severity: how bad what it finds is.
        only_of: what it is about of a head or a case, if only that.
        keys: of which one at least has to stand in what it looks at, in the current format, for
            the rule to find anything; where none does, it is not asked. With `[]` behind it a key
            counts only where a list stands under it.
        roles: of which a value has to have one, in the evaluator that it looks at, for the rule to
            find anything.
        tags: how editors show what it finds, where that holds of all of it.
        gradable: of a rule that finds errors, whether what they are about is graded where they are
            silenced. An error of any other rule is always reported: no comment, configuration,
            option or baseline silences it or makes it less than an error.
        affects: which cases an error of it is about. `place`: the case that it lies in, all that
            inherit the part of the head it lies in, or that name the file it lies in. `related`:
            those that its related places lie in, too. `suite`: all of them, wherever it lies. `run`:
            none of them, only what is made of all results; chosen cases can be run all the same.
            `release`: nothing that is run; the suite cannot be published.
        issues: the kinds of validation issues that it reports. It owns them: no other rule may
            name them. With `only_of="issues"` it is not run on a part without one of them.
        unreadable: whether what it finds keeps a text, or a part of it, from being read.
        live_only: whether what it finds only matters where targets are called, not in a replay.
        whole_file: whether what it finds is about a file as a whole, so that no line of it is shown.
    """
    return lambda check: Rule(
        code,
        severity,
        check,
        only_of,
        frozenset(keys),
        frozenset(roles),
        tuple(tags),
        gradable,
        affects,
        frozenset(issues),
        unreadable,
        live_only,
        whole_file,
    )


def replace(span: Span, text: str, title: str, *, safe: bool = True) -> Fix:
    """Make a fix of a single edit."""
    return Fix(title, (Edit(span, text),), safe)
