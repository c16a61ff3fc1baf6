"""What is left out of a bundle: restricted texts, secrets, paths, and what a model could be trained on.

A text that a source restricts is left out where the record has it (its field), and wherever a fragment
of it occurs: in answers, quotes, reasons and prompts. What graders say about a case of the source has
its shorter texts left out, too. What is not known to be harmless is withheld.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from suitecase.authoring.releasing.audience import WITHHELD, Audience
from suitecase.authoring.releasing.format_keys import KEYS
from suitecase.authoring.releasing.fragments import LENGTH, Fragments, SplitSecrets, plain_form
from suitecase.authoring.releasing.names import Names
from suitecase.authoring.releasing.paths import PATH, PathRedactor, Replacement
from suitecase.authoring.releasing.readings import readings
from suitecase.authoring.releasing.restrictions import FIELDS, Restrictions
from suitecase.evidence.sources import SOURCE_KEY
from suitecase.text.taken_names import TakenNames, kept_apart
from suitecase_evaluators.targets.redactor import REDACTED, Redactor, digits_of
from suitecase_evaluators.text.escaped_text import Reading

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
#: The fields of a record by which others tell what it is about.
_IDENTIFYING = ("eval_id", "target", "suite_path", "dataset", "group")
#: So many texts are remembered in which nothing was found.
_MOST_CLEAN = 2_000_000
#: What stands in the place of the workspace's folder.
_HERE = "."
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

    `text` is the one function that every string of a bundle goes through. What it returns is a text in
    which it finds nothing.

    Args:
        audience: who the bundle is for.
        restrictions: what sources restrict.
        metadata: the keys of `metadata` that slices use; others are withheld from model teams.
        secrets: finds secrets.
        paths: finds paths of this machine.
        names: finds names of people and of this machine.
    """

    def __init__(
        self,
        audience: Audience,
        restrictions: Restrictions,
        metadata: Collection[str],
        secrets: Redactor,
        paths: PathRedactor,
        names: Names,
    ) -> None:
        self.audience = audience
        self.made = Redactions()
        self._secrets = secrets
        self._split_secrets = SplitSecrets(secrets.distinctive())
        self._paths = paths
        self._names = names
        self._groups: dict[str, int] = {}
        self._metadata = frozenset(metadata) | {SOURCE_KEY}
        self._keys = restrictions.keys if audience.redacts_sources else {}
        texts = restrictions.texts if audience.redacts_sources else ()
        self._fragments = Fragments((text.text, text.source) for text in texts)
        short: dict[str, dict[str, str]] = {}
        for text in texts:
            if len(plain_form(text.text)) < LENGTH:
                short.setdefault(text.case, {}).setdefault(text.text, text.source)
        self._short = {case: _ShortTexts(own) for case, own in short.items()}
        #: Texts in which nothing was found, by their hashes: nearly all come again in other files.
        self._clean: set[int] = set()
        #: Names that cannot be published as they are: what stands in the place of each.
        self._published: dict[str, str] = {}
        self._taken = TakenNames()

    def text(self, text: str) -> str:
        """Return a text with nothing in it that may not be read."""
        if hash(text) in self._clean:
            return text
        published = self._published.get(text)
        if published is not None:
            return published
        return self._redacted(text)

    def of_people(self, text: str) -> str:
        """Return a text about who labels and who builds the model, without their names."""
        return self._names.without_people(self.text(text))

    def identifier(self, name: str) -> str:
        """Return the name by which something is published, such as a case or a target.

        Things with different names keep different names. An id with a restricted text in it is
        replaced by a digest.
        """
        published = self.text(name)
        if published == name or name in self._published:
            return published
        if self._fragments.hits(name):
            whole = name.encode(errors="surrogatepass")
            published = f"case-{sha256(whole).hexdigest()[:12]}"
        published = self._taken.take(published)
        self._published[name] = published
        return published

    def value(self, value: Any) -> Any:
        """Return a JSON value with nothing in it that may not be read."""
        return self._value(value, self.text)

    def found_in(self, text: str, ours: str = "") -> str | None:
        """Return what a text has in it that may not be read, in words that do not repeat it.

        Args:
            text: a text of a file.
            ours: in its plain form, what is no data wherever it occurs.
        """
        if hash(text) in self._clean:
            return None
        for read in readings(text):
            for hit in self._fragments.hits_in(read):
                if plain_form(text[hit.start : hit.end]) not in ours:
                    return f"a text that the source `{hit.name}` restricts"
            for start, end in self._spans_of_secrets(read.text):
                if plain_form(read.text[start:end]) not in ours:
                    return "a secret of the environment or the targets file"
            if any(self._paths.replacements(read.text)):
                return "a path of this machine or of somebody's home"
            if any(self._names.replacements(read.text)):
                return "the name of a person who labels, or of this machine"
        if not ours:
            self._remember(text)
        return None

    def of_graders(self, value: Any, cases: Iterable[str]) -> Any:
        """Return what graders of some cases have, also without the short texts of these."""
        short = [self._short[case] for case in cases if case in self._short]

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
        for name in _IDENTIFYING:
            if isinstance(value := left.get(name), str):
                left[name] = self.identifier(value)
        short = self._short.get(case)

        def of_grader(text: str) -> str:
            return self.text(short(text, self.made) if short is not None else text)

        published = self._names_of(left)
        return {
            published[name]: self._value(it, of_grader if name in _OF_GRADERS else self.text, name)
            for name, it in left.items()
        }

    def _value(self, value: Any, text: Callable[[str], str], name: str = "") -> Any:
        match value:
            case str() if name in _OF_PROGRAMS:
                return self._of_program(text(value))
            case str():
                return text(value)
            case Mapping():
                names = self._names_of(value)
                return {names[key]: self._value(it, text, str(key)) for key, it in value.items()}
            case list() | tuple():
                return [self._value(it, text, name) for it in value]
            case int() | float() if (digits := digits_of(value)) is not None:
                return value if (left := text(digits)) == digits else left
        return value

    def _names_of(self, fields: Mapping[str, Any]) -> dict[str, str]:
        """Return the keys of an object as they are published; those that become alike get numbers."""
        return kept_apart({it: it if it in KEYS else self.text(it) for it in fields})

    def _redacted(self, text: str) -> str:
        """Return a text without what may not be read, which is looked for in each of its readings."""
        found: list[Replacement] = []
        reads = list(readings(text))
        for read in reads:
            for hit in self._fragments.hits_in(read):
                self.made.add(hit.name)
                found.append((hit.start, hit.end, _mark(hit.name)))
            found += _placed(
                read, ((*span, REDACTED) for span in self._spans_of_secrets(read.text))
            )
            found += _placed(read, self._names.replacements(read.text))
        left = _replaced(text, found)
        # Parts of paths are kept, so they are looked at when there is nothing else in them.
        paths = [
            it
            for read in (readings(left) if found else reads)
            for it in _placed(read, self._paths.replacements(read.text))
        ]
        if not found and not paths:
            self._remember(text)
            return text
        left = _replaced(left, paths)
        # What is left on both sides may be something once more, with what stands between.
        return left if self.found_in(left) is None else REDACTED

    def _spans_of_secrets(self, text: str) -> Iterator[tuple[int, int]]:
        yield from self._secrets.spans(text)
        yield from self._split_secrets.spans(text)

    def _of_program(self, text: str) -> str:
        return _replaced(text, list(self._paths.of_program(text)))

    def _remember(self, text: str) -> None:
        if len(self._clean) < _MOST_CLEAN:
            self._clean.add(hash(text))


def _placed(read: Reading, found: Iterable[Replacement]) -> Iterator[Replacement]:
    for start, end, by in found:
        yield *read.stretch(start, end), by


def _replaced(text: str, found: list[Replacement]) -> str:
    """Return a text with stretches replaced; of those that overlap, by what replaces the first.

    The folder of the workspace goes before others that it is in.
    """
    if not found:
        return text
    parts: list[str] = []
    done = 0
    kept = ""
    for start, end, by in sorted(found, key=lambda it: (it[0], it[2] != _HERE, -it[1])):
        if start < done:
            if kept != _HERE or (by not in (_HERE, PATH) and not by.startswith(f"{PATH}/")):
                done = max(done, end)
            continue
        parts += [text[done:start], by]
        done, kept = end, by
    return "".join([*parts, text[done:]])


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
        {name: value for name, value in result.items() if name in _KEPT_OF_EVALUATOR}
        | _EMPTY_OF_EVALUATOR
        for result in (results if isinstance(results, list) else [])
        if isinstance(result, Mapping)
    ]
    return found | _EMPTY_OF_RECORD
