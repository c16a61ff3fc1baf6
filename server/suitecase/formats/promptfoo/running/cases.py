"""Makes a case of each row of a configuration, with its prompt and its assertions filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.rendering.prompts import render_prompt, texts_around
from suitecase.formats.promptfoo.rendering.render import refuse_composed, render_value
from suitecase.formats.promptfoo.rendering.variables import render_environment, rendered_variables
from suitecase.formats.promptfoo.running.assertion_files import (
    FileValue,
    items_from_files,
    value_from_file,
)
from suitecase.formats.promptfoo.running.graders import Graders, is_graded
from suitecase.formats.promptfoo.running.grading_prompts import GradingPrompts
from suitecase.formats.promptfoo.running.messages import messages_of, takes_messages
from suitecase.formats.promptfoo.running.prompt_functions import prompt_code
from suitecase.formats.promptfoo.running.provider_targets import ProviderTargets
from suitecase.formats.promptfoo.running.providers.models import ParsedConfig
from suitecase.formats.promptfoo.running.providers.requests import request_of_row
from suitecase.formats.promptfoo.running.refused import RefusedError, raise_all, refusing
from suitecase.formats.promptfoo.running.unresolved import references_in, unresolved_in_test
from suitecase.formats.promptfoo.running.unsupported import (
    unsupported_in_prompt,
    unsupported_in_test,
)
from suitecase.formats.promptfoo.running.yaml_values import parse_yaml
from suitecase.formats.promptfoo.suite.effective.rows import Row as ExpandedRow
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest
from suitecase.formats.promptfoo.suite.parsed import Reading
from suitecase.formats.promptfoo.suite.references.file_references import bare_reference, located
from suitecase.formats.suitecase.effective_suite import EffectiveCase, EffectiveEvaluator, Reason
from suitecase.formats.suitecase.model import Case
from suitecase.text.node import Node, Span, plain
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.row_code import transform_script
from suitecase_evaluators.promptfoo.column import assertion_of_text
from suitecase_evaluators.promptfoo.grader import Refused
from suitecase_evaluators.promptfoo.graders.factuality import SCORES
from suitecase_evaluators.promptfoo.grading import GRADER, PROMPTS, TAKES_TEXT
from suitecase_evaluators.promptfoo.reading import assertion_config
from suitecase_evaluators.system.path_kinds import FILE_SCHEME
from suitecase_evaluators.targets.config.http import HttpConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.text.json_values import show_json

#: The expected outcome of a case; its assertions define it.
EXPECTED = "Every assertion passes"
#: The most characters of a prompt in a message.
_LONGEST_SHOWN = 40


@dataclass(frozen=True)
class CaseMaker:
    """Makes the cases of a configuration.

    Attributes:
        folder: the folder of the configuration.
        environ: the variables under `env` in templates.
        targets: the targets that answer the rows.
        dialect: the name of the format.
        graders: the models that grade.
        own_environ: the variables that the configuration sets, for scripts.
        reading: how the suite is read.
    """

    folder: Folder
    environ: Mapping[str, str]
    targets: ProviderTargets
    dialect: str
    graders: Graders
    own_environ: Mapping[str, str]
    reading: Reading

    def unresolved_in(self, test: Node | None) -> Iterator[tuple[str, Span]]:
        """Yield which parts of a test cannot be read, with their places in its text."""
        yield from unresolved_in_test(test, self.reading)
        yield from references_in(test)

    def case(
        self,
        test: EffectiveTest,
        expanded: ExpandedRow,
        names: tuple[str, str, str],
        position: int,
        line: int,
    ) -> EffectiveCase:
        """Return the case of a row.

        Args:
            test: its test.
            expanded: the row.
            names: the name of the test, the id of the case, and what it has in common with those of other
                providers and prompts.
            position: its place among the cases, from 1.
            line: the line of the test.

        Raises:
            RefusedError: it cannot be run.
        """
        called, name, common = names
        row = replace(self._row(test, expanded, called), case=common)
        evaluators = self._evaluators(test, row, line)
        own = test.settings.get("provider")
        target = (
            self.targets.of_value(own) if own else self.targets.by_number[expanded.provider.number]
        )
        if isinstance(target, HttpConfig):
            if row.prompt_code is not None:
                raise RefusedError(
                    "`suitecase run` does not send prompts that code makes to HTTP APIs"
                )
            row = self._with_request(row, target)
        if isinstance(target, ParsedConfig):
            row = replace(row, grades_json=True)
        messages = self._messages(test, expanded, row, target)
        expected = self._expected(row)
        case = Case.model_construct(
            id=name,
            expected_outcome=self._outcome(test, row),
            input_messages=list(messages),
            expected_messages=list(expected) or None,
            evaluators=[evaluator.config for evaluator in evaluators],
            metadata=_metadata(test),
        )
        return EffectiveCase(
            id=name,
            position=position,
            line=line,
            text=_text(test, row),
            case=case,
            input_messages=messages,
            expected_messages=expected,
            target=target.name,
            target_line=None,
            evaluators=evaluators,
            row=row,
        )

    def _messages(
        self, test: EffectiveTest, expanded: ExpandedRow, row: Row, target: TargetConfig
    ) -> tuple[Message, ...]:
        """Return the messages that are sent."""
        return messages_of(row.prompt or "", of_chat=takes_messages(target))

    def _expected(self, row: Row) -> tuple[Message, ...]:
        """Return the expected answer."""
        return ()

    def _outcome(self, test: EffectiveTest, row: Row) -> str:
        """Return the expected outcome, in words."""
        return EXPECTED

    def _variables(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Return variables as prompts and assertions see them."""
        # promptfoo fills in the environment when it reads a configuration.
        return rendered_variables(
            render_environment(written, self.environ), self.environ, self._read
        )

    def _context(self, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the names that templates can use."""
        return variables

    def _row(self, test: EffectiveTest, expanded: ExpandedRow, called: str) -> Row:
        """Return a row with its templates filled in.

        Raises:
            RefusedError: a template cannot be filled in, or a script would have to be run.
        """
        unsupported = [
            *unsupported_in_test(test),
            *unsupported_in_prompt(expanded.prompt.text or ""),
        ]
        raise_all([RefusedError(it) for it in unsupported])
        variables = refusing(lambda: self._variables(expanded.variables))
        prompt = expanded.prompt
        code = prompt_code(prompt, self.folder.path) if prompt.text is None else None
        options = test.options
        # A function returns the whole prompt, without prefix and suffix.
        around = texts_around(options)
        text = (prompt.text or "").join(around)
        what = f"the prompt {_shown_prompt(prompt.label)}"
        if any(around):
            refusing(lambda: refuse_composed(text, (prompt.text, *around)), what)
        return Row(
            dialect=self.dialect,
            test=called,
            prompt_label=prompt.label,
            prompt=None
            if code is not None
            else refusing(
                lambda: render_prompt(text, self._context(variables), self.environ),
                what,
            ),
            prompt_code=code,
            transforms=self._transforms(test, expanded),
            provider=expanded.provider.name or "",
            provider_id=expanded.provider.id,
            variables=variables,
            settings=_settings(test),
            threshold=test.threshold,
            environment=self.own_environ,
            repeat=expanded.repeat,
        )

    def _transforms(self, test: EffectiveTest, expanded: ExpandedRow) -> tuple[str, ...]:
        """Return the code that changes the answer: that of the provider, then that of the test.

        Raises:
            RefusedError: it is code that cannot be run.
        """
        options = expanded.provider.options
        if test.settings.get("provider"):
            options = None  # another provider is called
        provider = {} if options is None else plain(options)
        own = test.options.get("transform") or test.options.get("postprocess")
        found = [it for it in (provider.get("transform"), own) if it]
        for it in found:
            if not isinstance(it, str) or (
                it.startswith(FILE_SCHEME) and transform_script(it) is None
            ):
                raise RefusedError(f"`{it}` is neither code in JavaScript nor a script")
        return tuple(refusing(lambda: render_environment(found, self.environ)))

    def _with_request(self, row: Row, target: HttpConfig) -> Row:
        """Return a row with the parts of its request to an HTTP API."""
        return replace(
            row,
            request=refusing(
                lambda: request_of_row(target, row.prompt or "", row.variables, self.environ)
            ),
        )

    def _evaluators(
        self, test: EffectiveTest, row: Row, line: int
    ) -> tuple[EffectiveEvaluator, ...]:
        """Return the evaluators of a row, one for each assertion.

        Raises:
            RefusedError: assertions cannot be graded; all of them are named.
        """
        taken = TakenNames()
        found: list[EffectiveEvaluator] = []
        refused: list[RefusedError] = []
        for number, written in enumerate(test.assertions):
            try:
                config = self._evaluator(test, written, row, taken)
            except RefusedError as error:
                for it in error.each:
                    it.assertion = number
                    refused.append(it)
                continue
            reason: Reason = "suite" if number < test.default_assertions else "case"
            found.append(EffectiveEvaluator(config, reason, line))
        raise_all(refused)
        return tuple(found)

    def _evaluator(
        self, test: EffectiveTest, written: Any, row: Row, taken: TakenNames
    ) -> EvaluatorConfig:
        # A column of a table has an assertion as a string.
        named = assertion_of_text(written) if isinstance(written, str) else written
        if not isinstance(named, dict):
            raise RefusedError(f"this is not an assertion: `{json.dumps(named, default=str)}`")
        try:
            config = self._config(test, named, row)
        except RefusedError:
            raise_all(self._refused_members(test, named, row))
            raise
        # The names of results are unique; those of one metric are numbered.
        return config.model_copy(update={"name": taken.take(config.name)})

    def _config(
        self, test: EffectiveTest, named: Mapping[str, Any], row: Row, *, is_member: bool = False
    ) -> EvaluatorConfig:
        value = refusing(lambda: self._filled(test, render_environment(named, self.environ), row))
        config = assertion_config(
            value, name=_name(value), read_yaml=parse_yaml, is_member=is_member
        )
        if isinstance(config, Refused):
            raise RefusedError(config.message)
        return config

    def _refused_members(
        self, test: EffectiveTest, named: Mapping[str, Any], row: Row
    ) -> list[RefusedError]:
        """Return why members of a set cannot be graded; empty if each of them could be."""
        members = named.get("assert")
        refused: list[RefusedError] = []
        for number, member in enumerate(members if isinstance(members, list) else ()):
            try:
                self._config(test, member, row, is_member=True)
            except RefusedError as error:
                error.member = number
                refused.append(error)
        return refused

    def _filled(self, test: EffectiveTest, written: Any, row: Row) -> Any:
        """Return an assertion with its templates filled in, and its value read if it names a file."""
        variables = self._context(row.variables)
        if not isinstance(written, dict):
            return render_value(written, variables, self.environ)
        filled = dict(written)
        if isinstance(written.get("assert"), list):
            filled["assert"] = [self._filled(test, it, row) for it in written["assert"]]
        if isinstance(filled.get("metric"), str):
            filled["metric"] = render_value(filled["metric"], variables, self.environ)
        if "value" in written:
            read = value_from_file(written, self.folder)
            # Templates in files are not filled in.
            filled["value"] = (
                read.value if read is not None else self._value(written["value"], variables)
            )
        return filled | self._grading(test, filled, row)

    def _value(self, written: Any, variables: Mapping[str, Any]) -> Any:
        """Return the value of an assertion with its templates filled in and its files read."""
        if not isinstance(written, list):
            return render_value(written, variables, self.environ)
        items = items_from_files(written, self.folder)
        filled = render_value(items, variables, self.environ)
        return [it.value if isinstance(it, FileValue) else it for it in filled]

    def _grading(self, test: EffectiveTest, assertion: dict[str, Any], row: Row) -> dict[str, Any]:
        """Return the grader and the prompts of an assertion that a model grades; empty for others."""
        if not is_graded(assertion):
            return {}
        options = render_environment(test.options, self.environ)
        written = assertion.get("rubricPrompt") or options.get("rubricPrompt")
        grader = self.graders.target(test, assertion)
        of_chat = takes_messages(grader)
        prompts = GradingPrompts(self.folder, self.environ, row, of_chat)
        return {
            GRADER: grader.name,
            TAKES_TEXT: not of_chat,
            PROMPTS: prompts.of(assertion, written),
            SCORES: options.get("factuality"),
        }

    def _read(self, path: str) -> bytes:
        places = located(bare_reference(path), self.folder)
        text = self.folder.read(places.files[0]) if places.files else None
        if isinstance(text, str):
            return text.encode("utf-8", "surrogatepass")
        why = "it was not found" if text is None else text.reason
        raise RefusedError(f"the file `{path}` cannot be read: {why}")


def _shown_prompt(label: str) -> str:
    """Return the label of a prompt, which is often its whole text, as messages show it."""
    line = " ".join(label.split())
    return show_json(line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}...")


def _name(value: Any) -> str:
    """Return the name of the result of an assertion without a metric: its type."""
    written = value.get("type") if isinstance(value, dict) else None
    return written if isinstance(written, str) and written.strip() else "assertion"


def _settings(test: EffectiveTest) -> dict[str, Any]:
    """Return the settings of a test as scripts get them, with its description."""
    described = {} if test.name.startswith("#") else {"description": test.name}
    return {**described, **test.settings}


def _metadata(test: EffectiveTest) -> dict[str, Any] | None:
    found = test.settings.get("metadata")
    return found if isinstance(found, dict) else None


def _text(test: EffectiveTest, row: Row) -> str:
    """Return the text whose hash identifies a version of a case: its whole test."""
    version = [test.variables, test.assertions, test.settings, row.prompt, row.provider]
    return json.dumps(version, sort_keys=True, ensure_ascii=False, default=str)
