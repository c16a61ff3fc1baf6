"""A suite's head and its cases in the current format."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from suitecase.formats.suitecase.legacy.normalize.evaluators import (
    ASSERTION_KEYS,
    EvaluatorNormalizer,
)
from suitecase.formats.suitecase.legacy.normalize.legacy_syntax import (
    AssertionList,
    LegacySyntax,
    Notes,
)
from suitecase.formats.suitecase.legacy.normalize.messages import MessageNormalizer
from suitecase.formats.suitecase.legacy.normalize.rubrics import RubricNormalizer
from suitecase.formats.suitecase.legacy.other_keys import CASE, EXECUTION, ONLY_OF_RUNS, SUITE
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase.text.tree_changes import inside, renamed, said, text_of, with_entries, without

#: Older names of keys, and their names in the current format.
SUITE_KEYS = {"name": "dataset"}
CASE_KEYS = {"outcome": "expected_outcome", "criteria": "expected_outcome"}
#: What newer formats say about a suite at its top.
_ABOUT = ("tags", "author", "license", "requires", "category")
#: Keys of `governance` in those formats, where it is metadata; the current format has others.
_GOVERNANCE_OF_AGENTV = frozenset(
    {
        *("schema_version", "controls", "risk_tier", "owner", "mitre_atlas"),
        *("owasp_llm_top_10_2025", "owasp_agentic_top_10_2025"),
    }
)
_SCHEMAS = ("agentv-eval", "agentevo")
#: Keys that only suites older than evaluators have.
_OLD_MARKS = ("testcases", "grader", "target")


#: What a case of such a list may have in the place of criteria.
_EXPECTED = ("expected_output", "expected_messages")
_GRADED_BY = (*_EXPECTED, "rubrics", "evaluators", "execution")
#: What a case is said to achieve that does not say it itself. Judges read it.
MEETS_ASSERTIONS = "Meets what is asserted"
AGREES_WITH_EXPECTED = "Agrees with the expected output"


def is_list_of_tests(key: Scalar | None) -> bool:
    """Whether the list of cases has its name of newer formats.

    There the suite's evaluators grade beside a case's own, and a case that something grades need
    not say what a good answer achieves.
    """
    return key is not None and key.text == "tests"


class CaseSetting(NamedTuple):
    """What of its suite bears on how a case is read.

    Attributes:
        beside_evaluators: the suite lists evaluators that grade the case too.
        outcome_is_optional: see `is_list_of_tests`.
    """

    beside_evaluators: bool = False
    outcome_is_optional: bool = False


class Normalizer:
    """Rewrites the parts of a suite, noting what it did.

    Args:
        known_keys: returns the keys an evaluator of a type has, or None for an unknown type.
        setting: what of its suite bears on how a case is read.
    """

    def __init__(
        self,
        known_keys: Callable[[str], frozenset[str] | None],
        setting: CaseSetting = CaseSetting(),  # noqa: B008 - a tuple
    ) -> None:
        self._notes = Notes()
        self._setting = setting
        self._rubrics = RubricNormalizer(self._notes)
        self._evaluators = EvaluatorNormalizer(self._notes, known_keys, self._rubrics)
        self._messages = MessageNormalizer(self._notes)

    @property
    def legacy_syntax(self) -> list[LegacySyntax]:
        """The legacy syntax that was found, in order."""
        return self._notes.legacy_syntax

    def head(self, head: Mapping, *, list_key: str | None = None) -> Mapping:
        """Rewrite everything of a suite but its cases, which stand under `list_key`."""
        head = self._marks(head, list_key)
        head = self._notes.all_without_equal(head, SUITE, "a suite")
        head = self._kind(head)
        if (target := head.entries.get("target")) is not None:
            head = self._under(head, target, "target", "execution", "target")
        head = self._name(head)
        for name in (*_ABOUT, "governance"):
            entry = head.entries.get(name)
            if entry is not None and (name in _ABOUT or _is_of_agentv(entry.value)):
                head = self._under(head, entry, name, "metadata", "metadata")
        head = inside(head, "execution", self._execution)
        for name in ASSERTION_KEYS:
            entry = head.entries.get(name)
            if entry is not None and isinstance(entry.value, Sequence):
                head = self._suite_assertions(head, name, entry, entry.value)
                break
        return head

    def case(self, case: Mapping) -> Mapping:
        """Rewrite a case."""
        case = self._notes.keys(case, CASE_KEYS, "a case")
        case = self._notes.all_without_equal(case, CASE, "a case")
        case = self._implied_outcome(case)
        case = self._messages.case(case)
        case = self._kind(case)
        case = inside(case, "rubrics", self._rubrics.rubrics)
        case = inside(case, "evaluators", self._evaluators.listed)
        case = inside(case, "execution", self._execution)
        for name in ASSERTION_KEYS:
            entry = case.entries.get(name)
            if entry is not None and isinstance(entry.value, Sequence):
                case = self._case_assertions(case, name, entry, entry.value)
                break
        return self._skip_defaults(case)

    def _implied_outcome(self, case: Mapping) -> Mapping:
        """Say what a good answer achieves where a case of another format need not say it."""
        if "expected_outcome" in case:
            return case
        listed = (
            assertion_key
            for assertion_key in ASSERTION_KEYS
            if isinstance(case.get(assertion_key), Sequence)
        )
        graded = next(listed, None)
        if graded is None and self._setting.outcome_is_optional:
            graded = next((it for it in _GRADED_BY if it in case), None)
        if graded is None:
            return case
        expected = next((it for it in _EXPECTED if it in case), None)
        outcome = MEETS_ASSERTIONS if expected is None else AGREES_WITH_EXPECTED
        key = case.entries[graded].key
        self._notes.add(LegacySyntax("implied_outcome", key, "", outcome, "a case", case, graded))
        entry = Entry(said(key, "expected_outcome"), said(key, outcome))
        return with_entries(case, {**case.entries, "expected_outcome": entry})

    def _marks(self, head: Mapping, list_key: str | None) -> Mapping:
        """Take out what says nothing but which format the suite is of."""
        schema = head.get("$schema")
        old = list_key == "testcases" or any(name in head for name in _OLD_MARKS)
        if isinstance(schema, Scalar) and schema.text.startswith(_SCHEMAS):
            head = self._notes.gone(head, "$schema", f"`$schema: {schema.text}` has no effect")
            old = True
        if old and text_of(head.get("version")) == "2.0":
            head = self._notes.gone(
                head, "version", "`version: 2.0` was the version of an older format"
            )
        return head

    def _kind(self, mapping: Mapping) -> Mapping:
        """Take out the kind of evaluator that older formats name as a word."""
        for name in ("grader", "evaluator"):
            kind = mapping.get(name)
            if not isinstance(kind, Scalar):
                continue
            if kind.text.replace("-", "_") in ("llm_judge", "llm_grader"):
                why = f"`{name}: {kind.text}` is the default: without evaluators an `llm_judge` grades"
                mapping = self._notes.gone(mapping, name, why)
            elif kind.value is not None:
                mapping = self._notes.no_equal(
                    mapping,
                    name,
                    f"`{name}` named the default type of evaluator; `{kind.text}` cannot be the "
                    "default here, where an `llm_judge` grades. List the evaluators under "
                    f"`execution.evaluators` and remove `{name}`",
                )
        return mapping

    def _name(self, head: Mapping) -> Mapping:
        if "name" not in head:
            return head
        if "dataset" not in head:
            return self._notes.keys(head, SUITE_KEYS, "a suite")
        return self._notes.undecided(
            head,
            "name",
            "a suite has one name, its `dataset`, so this `name` is not used; remove one of them",
        )

    def _under(self, head: Mapping, entry: Entry, name: str, parent: str, kind: str) -> Mapping:
        """Nest an entry of the top under another key."""
        into = head.get(parent)
        if not (into is None or isinstance(into, Mapping)):
            return head
        self._notes.add(
            LegacySyntax(
                "target" if kind == "target" else "metadata",
                entry.key,
                name,
                f"{parent}.{name}",
                "a suite",
                head,
                name,
            )
        )
        entries = {key: it for key, it in head if key != name}
        inner = dict(into.entries) if into else {}
        inner.setdefault(name, entry)
        start, end = into.span if into else (entry.key.start, entry.value.end)
        place = head.key(parent) or entry.key
        entries[parent] = Entry(place, Mapping(start, end, inner, flow=False))
        return with_entries(head, entries)

    def _suite_assertions(
        self, head: Mapping, name: str, entry: Entry, written: Sequence
    ) -> Mapping:
        execution = head.get("execution")
        if not (execution is None or isinstance(execution, Mapping)):
            return head
        beside = execution is not None and "evaluators" in execution
        changed, listed = self._evaluators.assertions(
            written, key=None if beside else "evaluators", may_be_rubrics=False
        )
        self._assertions(head, name, entry, listed, "a suite")
        if beside:
            self._two_lists(head, name, "execution.evaluators")
        inner = dict(execution.entries) if execution else {}
        inner["evaluators"] = Entry(entry.key, changed)
        start, end = execution.span if execution else (entry.key.start, written.end)
        place = head.key("execution") or entry.key
        entries = {key: it for key, it in head if key != name}
        entries["execution"] = Entry(place, Mapping(start, end, inner, flow=False))
        return with_entries(head, entries)

    def _case_assertions(
        self, case: Mapping, name: str, entry: Entry, written: Sequence
    ) -> Mapping:
        execution = case.get("execution")
        inner = execution if isinstance(execution, Mapping) else None
        beside = "evaluators" if "evaluators" in case else None
        if inner is not None and "evaluators" in inner:
            beside = "execution.evaluators"
        changed, listed = self._evaluators.assertions(
            written,
            key=None if beside else "evaluators",
            may_be_rubrics="rubrics" not in case
            and not beside
            and not (self._setting.beside_evaluators and len(written.items) > 1),
        )
        self._assertions(case, name, entry, listed, "a case")
        if beside is not None:
            self._two_lists(case, name, beside)
            if inner is not None and "evaluators" in inner:
                case = inside(case, "execution", lambda _: without(inner, "evaluators"))
            case = without(case, "evaluators")
        case = renamed(case, name, listed.key or "evaluators")
        return inside(case, listed.key or "evaluators", lambda _: changed)

    def _two_lists(self, mapping: Mapping, name: str, other: str) -> None:
        self._notes.entry(
            "unconvertible_setting",
            mapping,
            name,
            f"this list took precedence over `{other}`, which was ignored; keep one of them, since "
            "there is only one list of evaluators here",
        )

    def _assertions(
        self, mapping: Mapping, name: str, entry: Entry, listed: AssertionList, what: str
    ) -> None:
        new = "execution.evaluators" if what == "a suite" else listed.key or "evaluators"
        self._notes.add(
            LegacySyntax("assertions", entry.key, name, new, what, mapping, name, listed=listed)
        )

    def _execution(self, node: Node) -> Node:
        if not isinstance(node, Mapping):
            return node
        node = self._notes.all_without_equal(node, EXECUTION, "`execution`")
        for name in [entry for entry in node.entries if entry in ONLY_OF_RUNS]:
            why = f"`{name}` is no longer part of a suite: {ONLY_OF_RUNS[name]}"
            node = self._notes.gone(node, name, why)
        return inside(node, "evaluators", self._evaluators.listed)

    def _skip_defaults(self, case: Mapping) -> Mapping:
        execution = case.get("execution")
        if not isinstance(execution, Mapping) or "skip_defaults" not in execution:
            return case
        skip_defaults = execution.get("skip_defaults")
        if not isinstance(skip_defaults, Scalar) or not isinstance(skip_defaults.value, bool):
            return case
        key = execution.entries["skip_defaults"].key
        skips = skip_defaults.value
        own = "evaluators" in case or "evaluators" in execution
        new = "evaluators: []" if skips and not own else ""
        self._notes.add(
            LegacySyntax(
                "skip_defaults",
                key,
                f"skip_defaults: {skip_defaults.text}",
                new,
                "a case",
                execution,
                "skip_defaults",
                count=int(skips),
            )
        )
        entries = {name: it for name, it in execution if name != "skip_defaults"}
        if new:
            none = Sequence(skip_defaults.start, skip_defaults.end, [], flow=True)
            entries["evaluators"] = Entry(key, none)
        if not entries:
            return without(case, "execution")
        changed = with_entries(execution, entries)
        return inside(case, "execution", lambda _: changed)


def _is_of_agentv(governance: Node) -> bool:
    return isinstance(governance, Mapping) and not _GOVERNANCE_OF_AGENTV.isdisjoint(
        governance.entries
    )
