"""Rules on variables of the environment in templates, those among them that are only there once filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from suitecase.format.rule import External, Finding, Severity, rule
from suitecase.formats.promptfoo.rendering.environment_uses import (
    EnvironmentUse,
    environment_uses,
    host_of,
    names_variables,
)
from suitecase.formats.promptfoo.rendering.errors import ComposedEnvironmentError, TemplateError
from suitecase.formats.promptfoo.rendering.prompts import texts_around
from suitecase.formats.promptfoo.rendering.render import refuse_composed
from suitecase.formats.promptfoo.rendering.variables import (
    REFERENCE,
    render_environment,
    resolved_variables,
)
from suitecase.formats.promptfoo.suite.effective.rows import combinations
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest, effective_tests
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.providers.placed import placed_providers
from suitecase.formats.promptfoo.templates.names import ENVIRONMENT, UNNAMED_ENVIRONMENT
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.text.node import Mapping, Node, Span, plain
from suitecase_evaluators.targets.secret_variables import is_secret_name

#: No more providers are named.
_MOST_NAMED = 3


@rule("PF414", gradable=True)
def whole_environment(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A template uses the environment without naming a variable.

    `env` has all variables of the machine, keys and passwords included. `{{ env | dump }}`, a loop
    over `env`, another name for it and `env[name]` put any of them into prompts, which go to
    providers and scripts. `suitecase run` fills in only variables that are written out, such as
    `env.REGION` and `env['REGION']`, and refuses all other uses, also those that are only there once
    variables are filled in, as in `{{ {{where}}.REGION }}`.

    ```yaml bad
    prompts:
      - "Where am I? {{ env | dump }}"  # <- finding
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    ```

    ```yaml good
    prompts:
      - "Where is {{ city }}?"
    providers:
      - id: openai:gpt-4.1-mini
        config:
          organization: "{{ env.OPENAI_ORGANIZATION }}"
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars: {city: Rome}
    ```
    """
    for use in environment_uses(configuration):
        if use.name is None:
            yield Finding(use.span, UNNAMED_ENVIRONMENT, external=use.external)
    yield from composed_uses(configuration)


@rule("PF415", Severity.WARNING)
def secret_in_prompt(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A prompt or a test contains a variable of the environment that holds a secret.

    Its value becomes part of a text that is sent to providers and graders. By its name, it is a key,
    a token or a password. Settings of a provider, such as `apiKey` and `headers`, are the place for
    it: they are sent to that provider only, and stay out of records.

    ```yaml bad
    prompts:
      - "Summarize {{ url }} and sign in with {{ env.WIKI_TOKEN }}"  # <- finding
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars: {url: https://example.com}
    ```

    ```yaml good
    prompts:
      - "Summarize {{ url }}"
    providers:
      - id: openai:gpt-4.1-mini
        config:
          apiKey: "{{ env.OPENAI_API_KEY }}"
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars: {url: https://example.com}
    ```
    """
    for use in _sent(configuration):
        if is_secret_name(use.name or ""):
            yield Finding(
                use.span,
                f"`{use.name}` is a secret by its name, and becomes part of a text that is sent"
                f"{_recipients(use, configuration)}; give it to a provider under `config`",
                external=use.external,
            )


@rule("PF416", Severity.INFO)
def variable_leaves_machine(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A variable of the environment leaves the machine.

    In a prompt or a test, its value becomes part of a text that is sent to providers and graders. In
    the settings of a provider, be it one of a test or one that grades, and in the files that these
    name, it is sent to that provider; the key that a service expects at its own address is not reported. A program or script that a
    provider names gets those in its command and its settings, and may send them on. `suitecase run --dry-run` lists
    all variables that leave the machine, such keys included.

    ```yaml bad
    prompts:
      - "Answer in the language of {{ env.REGION }}: {{ question }}"  # <- finding
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars: {question: Hello}
    ```

    ```yaml good
    prompts:
      - "Answer in the language of {{ region }}: {{ question }}"
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars: {question: Hello, region: Italy}
    ```
    """
    named: set[tuple[str, str]] = set()
    for use in (*_in_settings(configuration), *_sent(configuration)):
        name = use.name
        if name is None or (use.is_sent and is_secret_name(name)):
            continue
        recipients = _recipients(use, configuration)
        if (name, recipients) not in named:
            named.add((name, recipients))
            message = f"the value of `{name}` is sent{recipients}"
            yield Finding(use.span, message, external=use.external)


def _in_settings(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the variables in settings that are sent."""
    naming = [
        placed
        for placed in placed_providers(configuration)
        if names_variables(placed, configuration)
    ]
    if not naming:
        return
    # What makes the targets of runs is only loaded where it has something to say.
    from suitecase.formats.promptfoo.running.setting_uses import setting_uses

    for placed in naming:
        yield from setting_uses(placed, configuration)


def _sent(configuration: LinkedConfiguration) -> Iterator[EnvironmentUse]:
    """Yield the variables in texts that are sent."""
    for use in environment_uses(configuration):
        if use.is_sent and use.name is not None:
            yield use


def _recipients(use: EnvironmentUse, configuration: LinkedConfiguration) -> str:
    if use.recipient is not None:
        return f" to {use.recipient}"
    ids = list(dict.fromkeys(provider.id for provider in configuration.providers if provider.id))
    if not ids:
        return ""
    shown = ", ".join(f"`{host_of(it) or it}`" for it in ids[:_MOST_NAMED])
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f" to {shown}{more}"


#: No more rows of a test are looked at: its lists may multiply.
_MOST_ROWS = 1_000
#: What joins texts: a reference to a variable, or text around a prompt.
_JOINS = re.compile(rf"{REFERENCE.pattern}|\b(?:prefix|suffix)\b")


def composed_uses(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """Yield a finding for each test in which a use of the environment is put together."""
    own = _own_environment(configuration.head.get("env"))
    if not own and not _joins_texts(configuration):
        return
    here = configuration.folder.path
    places = {file.path: placed.span for placed, file in files_of_tests(configuration)}
    for test in effective_tests(configuration, here):
        problem = _problem(test, configuration, own)
        if problem is None:
            continue
        external = None if test.path == here else External(test.path, places[test.path])
        span = test.span
        if span is None:  # the test that promptfoo makes of the default alone
            default = configuration.head.get("defaultTest")
            span = configuration.head_span(default.span if default is not None else Span(0, 0))
        yield Finding(span, problem, external=external)


def _joins_texts(configuration: LinkedConfiguration) -> bool:
    default = configuration.head.get("defaultTest")
    if default is not None and _joins(configuration.head.source):
        return True
    if any(_joins(file.text) for _, file in files_of_tests(configuration)):
        return True
    return any(True for _ in configuration.file.case_index.where(_test_joins))


def _test_joins(test: PromptfooTest) -> bool:
    return _joins(test.content.text)


def _joins(text: str) -> bool:
    return _JOINS.search(text) is not None


def _own_environment(node: Node | None) -> dict[str, str]:
    """Return what a configuration sets itself, but for what it takes from the environment."""
    written = plain(node) if isinstance(node, Mapping) else {}
    return {
        name: value
        for name, value in written.items()
        if isinstance(value, str)
        and not any(use.is_environment for use in read_template(value).uses)
    }


def _problem(
    test: EffectiveTest, configuration: LinkedConfiguration, own: dict[str, str]
) -> str | None:
    if ENVIRONMENT in test.variables:
        return None
    for given in islice(combinations(test, configuration.folder), _MOST_ROWS):
        found = _message(partial(_fill_in, given, own))
        if found is not None:
            return found
    around = texts_around(test.options)
    for prompt in configuration.prompts if any(around) else ():
        text = prompt.text or ""
        found = _message(partial(refuse_composed, text.join(around), (text, *around)))
        if found is not None:
            return found
    if own:
        return _message(partial(render_environment, [test.assertions, test.settings], own))
    return None


def _fill_in(given: dict[str, Any], own: dict[str, str]) -> None:
    resolved_variables(render_environment(given, own))


def _message(fill_in: Callable[[], Any]) -> str | None:
    try:
        fill_in()
    except ComposedEnvironmentError as error:
        return error.message
    except TemplateError:
        pass  # of which other rules and the run tell
    return None
