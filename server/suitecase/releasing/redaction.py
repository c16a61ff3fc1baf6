"""What is left out of a bundle: restricted texts, secrets, paths, and what a model could be trained on.

A text that a source restricts is left out where the record has it (its field), and wherever a fragment
of it occurs: in answers, quotes, reasons and prompts. What graders say about a case of the source has
its shorter texts left out, too. What is not known to be harmless is withheld.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from suitecase.releasing.audience import WITHHELD, Audience
from suitecase.releasing.fragments import LENGTH, Fragments, plain_form
from suitecase.releasing.paths import PathRedactor
from suitecase.releasing.restrictions import FIELDS, Restrictions
from suitecase.suite.sources import SOURCE_KEY
from suitecase_evaluators.targets.redactor import Redactor

#: The fields of a record, and of an evaluator's result, in which graders say something.
_OF_GRADERS = frozenset({"hits", "misses", "reasoning", "evaluator_results", "error"})
#: The fields that are kept for the people who build the model. Others, also those of later versions,
#: may have what answers are graded by.
_KEPT_OF_RECORD = frozenset(
    {
        *("schema_version", "timestamp", "suite_path", "dataset", "eval_id", "position"),
        *("case_hash", "effective_hash", "question_hash", "expected_hash", "grading_hash"),
        *("target", "answered_by", "repeat", "repeats", "tags", "metadata", "group"),
        *("score", "verdict"),
        *("gate_failed", "input", "candidate_answer", "output_messages", "evaluator_results"),
        *("trace_summary", "finish_reason", "refused", "seed", "sandbox", "parse_failed"),
        *("attempts", "judge_cost_usd", "planned", "reported_model", "requested_model"),
        "canary",
    }
)
_KEPT_OF_EVALUATOR = frozenset(
    {
        *("name", "type", "score", "weight", "verdict", "parse_failed", "attempts", "gate_failed"),
        *("judge_usage", "judged_by", "sandbox", "confidence", "judge_hash"),
        *("reported_model", "requested_model"),
    }
)
#: Fields that a page shows as text, so that something has to stand there.
_SHOWN: dict[str, Any] = {
    "expected_outcome": WITHHELD,
    "reasoning": WITHHELD,
    "hits": [],
    "misses": [],
}
_EMPTY_OF_RECORD: dict[str, Any] = {**_SHOWN, "expected_output": [], "details": {}, "error": None}
_EMPTY_OF_EVALUATOR: dict[str, Any] = {
    "reasoning": WITHHELD,
    "hits": [],
    "misses": [],
    "details": {},
    "evaluator_provider_request": None,
    "error": None,
}
#: Fields of programs and their messages, which name files of the machine that they ran on.
_OF_PROGRAMS = frozenset({"error", "script", "cwd", "command"})


@dataclass
class Redactions:
    """How much was left out, for the manifest."""

    restricted: dict[str, int] = field(default_factory=dict)
    cases: set[str] = field(default_factory=set)

    def add(self, source: str) -> None:
        """Count a text of a source."""
        self.restricted[source] = self.restricted.get(source, 0) + 1


class Redaction:
    """Leaves out of texts and JSON values what an audience may not read.

    Args:
        audience: who the bundle is for.
        restrictions: what sources restrict.
        metadata: the keys of `metadata` that slices use; others are withheld from model teams.
        secrets: replaces secrets.
        paths: replaces paths of this machine.
    """

    def __init__(
        self,
        audience: Audience,
        restrictions: Restrictions,
        metadata: Collection[str],
        secrets: Redactor,
        paths: PathRedactor,
    ) -> None:
        self.audience = audience
        self.made = Redactions()
        self._secrets = secrets
        self._paths = paths
        self._groups: dict[str, int] = {}
        self._metadata = frozenset(metadata) | {SOURCE_KEY}
        self._keys = restrictions.keys if audience.redacts_sources else {}
        texts = restrictions.texts if audience.redacts_sources else ()
        self._fragments = Fragments((it.text, it.source) for it in texts)
        short: dict[str, dict[str, str]] = {}
        for it in texts:
            if len(plain_form(it.text)) < LENGTH:
                short.setdefault(it.case, {}).setdefault(it.text, it.source)
        self._short = {case: _ShortTexts(own) for case, own in short.items()}

    def text(self, text: str) -> str:
        """Return a text with nothing in it that may not be read."""
        return self._paths(self._secrets(self._without_fragments(text)))

    def identifier(self, name: str) -> str:
        """Return the id of a case; one that has a restricted text in it is replaced by a digest."""
        if not self._fragments.hits(name):
            return name
        return f"case-{sha256(name.encode(errors='surrogatepass')).hexdigest()[:12]}"

    def value(self, value: Any) -> Any:
        """Return a JSON value with nothing in it that may not be read."""
        return self._value(value, self.text)

    def of_graders(self, value: Any, cases: Iterable[str]) -> Any:
        """Return what graders of some cases have, also without the short texts of these."""
        short = [self._short[it] for it in cases if it in self._short]

        def text(text: str) -> str:
            for own in short:
                text = own(text, self.made)
            return self.text(text)

        return self._value(value, text)

    def record(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a record as they are published."""
        case = str(fields.get("eval_id", ""))
        restricted = self._keys.get(case, {})
        if restricted:
            self.made.cases.add(case)
        left = dict(fields)
        if self.audience.withholds_grading:
            left = _withheld(left, self._metadata)
        for key, source in restricted.items():
            for name in FIELDS[key]:
                if left.get(name):
                    left[name] = _mark_of_field(name, left[name], source)
                    self.made.add(source)
        if "metadata" in restricted and isinstance(left.get("group"), str):
            # A value of the metadata; cases of one group still have to be known as such.
            number = self._groups.setdefault(left["group"], len(self._groups) + 1)
            left["group"] = f"group {number}"
        short = self._short.get(case)

        def of_grader(text: str) -> str:
            return self.text(short(text, self.made) if short is not None else text)

        found = {
            name: self._value(it, of_grader if name in _OF_GRADERS else self.text, name)
            for name, it in left.items()
        }
        found["eval_id"] = self.identifier(case)
        return found

    def _value(self, value: Any, text: Callable[[str], str], name: str = "") -> Any:
        match value:
            case str() if name in _OF_PROGRAMS:
                return self._paths.of_program(text(value))
            case str():
                return text(value)
            case Mapping():
                return {
                    self._without_fragments(str(key)): self._value(it, text, str(key))
                    for key, it in value.items()
                }
            case list() | tuple():
                return [self._value(it, text, name) for it in value]
        return value

    def _without_fragments(self, text: str) -> str:
        hits = self._fragments.hits(text)
        if not hits:
            return text
        parts: list[str] = []
        end = 0
        for hit in hits:
            self.made.add(hit.name)
            parts += [text[end : hit.start], _mark(hit.name)]
            end = hit.end
        return "".join([*parts, text[end:]])


class _ShortTexts:
    """Replaces short texts where they are whole words."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._sources = {" ".join(text.split()).casefold(): it for text, it in texts.items()}
        by_length = sorted(self._sources, key=len, reverse=True)
        words = (r"\s+".join(map(re.escape, it.split())) for it in by_length)
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)

    def __call__(self, text: str, made: Redactions) -> str:
        def mark(found: re.Match[str]) -> str:
            source = self._sources.get(" ".join(found[0].split()).casefold(), "")
            made.add(source)
            return _mark(source)

        return self._pattern.sub(mark, text)


def _mark(source: str) -> str:
    return f"[restricted: {source}]"


def _mark_of_field(name: str, value: Any, source: str) -> Any:
    """Return what stands in the place of a field, in its form."""
    if isinstance(value, Mapping):
        return {
            key: it if name == "metadata" and key == SOURCE_KEY else _mark(source)
            for key, it in value.items()
        }
    if not isinstance(value, list):
        return _mark(source)
    turns = []
    for turn in value:
        role = turn.get("role", "") if isinstance(turn, Mapping) else ""
        # The system prompt is the suite's, which no source restricts; fragments in it are replaced.
        own = {"role": role, "content": _mark(source)}
        turns.append(turn if name == "input" and role == "system" else own)
    return turns


def _withheld(fields: Mapping[str, Any], metadata: Collection[str]) -> dict[str, Any]:
    """Return the fields of a record without what its answer is graded by."""
    found = {name: it for name, it in fields.items() if name in _KEPT_OF_RECORD}
    own = found.get("metadata")
    if isinstance(own, Mapping):
        found["metadata"] = {name: it for name, it in own.items() if name in metadata}
    results = found.get("evaluator_results")
    found["evaluator_results"] = [
        {name: value for name, value in it.items() if name in _KEPT_OF_EVALUATOR}
        | _EMPTY_OF_EVALUATOR
        for it in (results if isinstance(results, list) else [])
        if isinstance(it, Mapping)
    ]
    return found | _EMPTY_OF_RECORD
