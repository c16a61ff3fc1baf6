"""Converts a configuration to a suite: a case for each test, combination of its variables, and prompt.

What a run of the configuration refuses is refused here, too. The suite gives every answer the same verdict
as promptfoo: all evaluators are required, and whatever would break this is refused. Providers are left out:
the target is chosen when the suite is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from suitecase.format.dialect import DialectFile
from suitecase.format.runnable import RunnableTest
from suitecase.format.workspace import Folder
from suitecase.formats.portable import Note, Notes, Portable, note_on_other_file
from suitecase.formats.portable import RefusedError as NotConvertible
from suitecase.formats.promptfoo.running.assertion_places import AssertionPlaces
from suitecase.formats.promptfoo.running.converting.evaluators import evaluators_of
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.running.suite import runnable_suite
from suitecase.formats.promptfoo.suite.effective.rows import Expansion, expand
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase.text.lines import Lines
from suitecase.text.node import Span
from suitecase.text.taken_names import TakenNames

#: The expected outcome of a case; its evaluators define it.
_EXPECTED: Final = "Every assertion passes"
#: What nunjucks fills in, up to the variable of the environment that it may have.
_FILLED_IN: Final = re.compile(r"\{[{%](?P<variable>[^}]*\b(?:process\.)?env\b[.\[])?[^}]*+")
#: The environment stays out of the suite: it may hold secrets. Which model grades is left to the suite, but
#: without the key of any, nothing by a model could be read.
_NO_ENVIRONMENT: Final = {"OPENAI_API_KEY": "not-used"}
#: What a test may say beside its variables and assertions, and under `options`: it has been applied to the
#: rows, or belongs to a run or to a grader.
_SETTINGS: Final = frozenset(
    {"id", "description", "metadata", "options", "prompts", "providers", "threshold"}
)
_OPTIONS: Final = frozenset(
    {
        *(
            "disableDefaultAsserts",
            "disableVarExpansion",
            "prefix",
            "suffix",
            "repeat",
            "runSerially",
        ),
        *("provider", "rubricPrompt", "factuality"),
    }
)
_TWICE: Final = (
    "`is_json` and `json_schema` take an answer that gives a key twice, or a number of 1.8e308 or more, for "
    "no JSON, which promptfoo reads"
)
_CASE: Final = (
    "without case, suites compare some letters, such as ß and İ, in another way than promptfoo"
)
_JUDGED: Final = "`llm-rubric` becomes an item of `llm_judge`, which asks by a prompt of its own"


def portable(file: DialectFile, path: Path, folder: Folder, name: str) -> Portable:
    """Return a configuration as a suite, as values.

    Args:
        file: the configuration.
        path: its path.
        folder: its folder.
        name: the name of the suite in results.

    Raises:
        NotConvertible: there is no equivalent suite.
    """
    return _Converter(file, path, folder).portable(name)


class _Converter:
    def __init__(self, file: DialectFile, path: Path, folder: Folder) -> None:
        self._file = file
        self._path = path
        self._folder = folder
        self._refused: list[Note] = []
        self._kinds: set[str] = set()

    def portable(self, name: str) -> Portable:
        runnable = runnable_suite(self._file, self._path, self._folder, _NO_ENVIRONMENT)
        linked = self._file.linked(self._folder)
        if runnable is None or not isinstance(linked, LinkedConfiguration):
            raise NotConvertible([Note(f"it is {self._file.title}, and only a part of a suite")])
        expansion = expand(linked, self._path)
        self._refuse_environment(expansion)
        for problem in runnable.problems:
            self._refuse(problem.path, problem.span, problem.message)
        made = Portable(name, {}, [], [])
        if runnable.suite.head.description:
            made.head["description"] = runnable.suite.head.description
        places = AssertionPlaces(linked, self._path)
        taken = TakenNames()
        for number, (test, rows) in enumerate(zip(runnable.tests, expansion.tests, strict=True)):
            for problem in test.problems:
                self._refuse(problem.path, problem.span, problem.message)
            where = (test.path, test.span or Span(0, 0))
            try:
                for case in self._cases_of(test, rows.test):
                    evaluators = self._evaluators(case, rows.test, number, places)
                    made.cases.append(_case(case, evaluators, taken))
                    made.places.append(self._place(*where))
            except RefusedError as error:
                if error.assertion is not None:
                    place = places.of(rows.test, number, error.assertion)
                    where = (place.path, place.span)
                self._refuse(*where, error.message)
        if not made.cases and not self._refused:
            self._refused.append(Note("it has no rows"))
        if self._refused:
            raise NotConvertible(self._refused)
        made.notes += self._notes(
            runnable.repeats, [provider.name for provider in expansion.providers if provider.name]
        )
        return made

    def _cases_of(self, test: RunnableTest, written: EffectiveTest) -> Iterator[EffectiveCase]:
        """Yield the cases of a test with its first provider, which have to be those of all providers.

        Raises:
            RefusedError: they are not, or a case of a suite would not pass by the same rule.
        """
        threshold = written.threshold
        if threshold not in (None, 1):
            raise RefusedError(
                f"`threshold: {threshold:g}` lets assertions of a test fail; cases of a suite pass by scores from 0.8 on"
            )
        unsayable = _unsayable(written)
        if unsayable is not None:
            raise RefusedError(unsayable)
        by_target: dict[str, list[EffectiveCase]] = {}
        for case in test.cases:
            by_target.setdefault(case.target or "", []).append(case)
        asked = [[(it.row and it.row.prompt) for it in cases] for cases in by_target.values()]
        if any(it != asked[0] for it in asked):
            raise RefusedError("not all providers are sent the same prompts for this test")
        every = {it.row.provider for it in test.cases if it.row is not None}
        if written.settings.get("providers") and len(every) == 1:
            raise RefusedError(
                "`providers` of a test has no equivalent; choose a target for the case"
            )
        cases = next(iter(by_target.values()), [])
        for row in (it.row for it in test.cases if it.row is not None):
            if row.transforms:
                raise RefusedError(
                    "`transform` changes the answer before it is graded, which suites do not do"
                )
            if row.prompt is None or row.prompt_code is not None:
                raise RefusedError(
                    "code returns this prompt during the run, which suites cannot do"
                )
        if cases and not cases[0].evaluators:
            raise RefusedError("this test has no assertions")
        yield from (it for it in cases if it.row is None or it.row.repeat == 1)

    def _evaluators(
        self, case: EffectiveCase, test: EffectiveTest, number: int, places: AssertionPlaces
    ) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for at, evaluator in enumerate(case.evaluators):
            try:
                found += evaluators_of(evaluator.config)
            except RefusedError as error:
                error.assertion = at
                raise
        if not any(it.get("weight", 1) for it in found):
            raise RefusedError("no assertion of this test counts: their weights are 0")
        self._kinds |= {it["type"] for it in found}
        return found

    def _refuse_environment(self, expansion: Expansion) -> None:
        """Refuse variables of the environment, whose values would be written into the suite."""
        message = (
            "a variable of the environment is filled in by promptfoo when it runs; write its value"
        )
        text = self._file.document.text
        for span in _variables_of_environment(text):
            self._refuse(self._path, span, message)
        if not self._refused:
            told = [prompt.text for prompt in expansion.prompts]
            tests = [(test.test.variables, test.test.assertions) for test in expansion.tests]
            elsewhere = json.dumps([told, tests], default=str)
            for span in islice(_variables_of_environment(elsewhere), 1):
                found = elsewhere[span.start : span.end]
                self._refused.append(Note(f"in a file that it names, `{found}`: {message}"))

    def _refuse(self, path: Path, span: Span, message: str) -> None:
        if path == self._path:
            note = Notes(self._file.document.lines).at(span, message)
        else:
            text = self._folder.read(path)
            line = Lines(text if isinstance(text, str) else "").place(span).line
            note = note_on_other_file(self._folder.shown(path), line, message)
        if note not in self._refused:
            self._refused.append(note)

    def _place(self, path: Path, span: Span) -> tuple[int, int]:
        if path != self._path:
            return 0, 0
        note = Notes(self._file.document.lines).at(span, "")
        return note.line, note.column

    def _notes(self, repeats: int, providers: list[str]) -> Iterator[Note]:
        named = ", ".join(f"`{provider}`" for provider in dict.fromkeys(providers))
        yield Note(
            f"left out: the providers ({named}); who answers is a target, as in `suitecase run --target`"
        )
        if repeats > 1:
            yield Note(
                f"left out: each row is asked {repeats} times; `suitecase run --repeat {repeats}` does that"
            )
        if self._kinds & {"is_json", "json_schema"}:
            yield Note(_TWICE)
        if any(kind.startswith("icontains") for kind in self._kinds):
            yield Note(_CASE)
        if "llm_judge" in self._kinds:
            yield Note(_JUDGED)


def _case(
    case: EffectiveCase, evaluators: list[dict[str, Any]], taken: TakenNames
) -> dict[str, Any]:
    target = case.target or ""
    name = case.id.replace(f"[{target}, ", "[", 1).removesuffix(f" [{target}]")
    messages = case.input_messages
    made: dict[str, Any] = {"id": taken.take(name), "expected_outcome": _EXPECTED}
    if len(messages) == 1 and messages[0].role == "user":
        made["input"] = messages[0].content
    else:
        made["input_messages"] = [
            {"role": message.role, "content": message.content} for message in messages
        ]
    if case.case.metadata:
        made["metadata"] = case.case.metadata
    return {**made, "evaluators": evaluators}


def _variables_of_environment(text: str) -> Iterator[Span]:
    for found in _FILLED_IN.finditer(text):
        if found["variable"] is not None:
            yield Span(found.start(), found.end("variable"))


def _unsayable(test: EffectiveTest) -> str | None:
    """Return the part of a test that has no equivalent in a case; None if there is none."""
    for key, value in test.settings.items():
        if key not in _SETTINGS and value not in (None, [], {}, ""):
            return f"`{key}` of a test has no equivalent in a case"
    for key, value in test.options.items():
        if key not in _OPTIONS and value not in (None, False, [], {}, ""):
            return f"`{key}` of `options` has no equivalent in a case"
    return None
