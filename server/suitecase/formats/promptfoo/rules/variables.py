"""Rules on the variables of prompts and tests: what has no value, what is never used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from suitecase.formats.promptfoo.rules.places_in_prompts import in_prompt
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PromptfooConfiguration
from suitecase.formats.promptfoo.suite.templates import open_tag, read_template, single_braces
from suitecase.formats.promptfoo.suite.variables import (
    ConfigurationVariables,
    PromptUse,
    TestOfConfiguration,
    variables,
)
from suitecase.near_names import nearest
from suitecase.rule import Finding, Related, Severity, Tag, replace, rule
from suitecase.syntax.node import Span


@rule("PF401", gradable=True)
def variable_without_value(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A variable of a prompt has a value in no test.

    promptfoo fills in nothing for a variable without a value, and says nothing: each model gets the
    prompt with a hole in it. A variable that is only used under `{% if %}`, or has a default, may be
    absent. Nothing is reported where a script or a service answers, or gives tests or variables.

    ```yaml bad
    prompts:
      - "Translate to French: {{ sentense }}"  # <- finding
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          sentence: Good morning
    ```

    ```yaml fixed
    prompts:
      - "Translate to French: {{ sentence }}"
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          sentence: Good morning
    ```
    """
    known = variables(configuration)
    for found in _without_value(known):
        if not found.has_value_somewhere:
            suggestion = nearest(found.use.use.name, known.names)
            hint = f"; did you mean `{suggestion}`?" if suggestion else ""
            yield _in_prompt(
                configuration,
                found.use,
                f"`{found.use.use.name}` has no value in any test, so the model gets the prompt "
                f"without it{hint}",
                suggestion,
            )


@rule("PF402", Severity.WARNING)
def variable_missing_in_test(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A variable of a prompt has no value in some tests.

    promptfoo fills in nothing for a variable without a value, and says nothing: in these tests each
    model gets the prompt with a hole in it. A variable that may be absent can have a default:
    `{{ tone | default("polite") }}`.

    ```yaml bad
    prompts:
      - "Answer in a {{ tone }} tone: {{ question }}"  # <- finding
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          question: How are you?
          tone: polite
      - vars:
          question: Where are you?
    ```

    ```yaml good
    prompts:
      - "Answer in a {{ tone }} tone: {{ question }}"
    providers: [openai:gpt-4.1-mini]
    defaultTest:
      vars:
        tone: polite
      assert: [{type: not-is-refusal}]
    tests:
      - vars:
          question: How are you?
      - vars:
          question: Where are you?
    ```
    """
    known = variables(configuration)
    for found in _without_value(known):
        if found.has_value_somewhere:
            count, total = len(found.tests), found.total
            name = found.use.use.name
            finding = _in_prompt(
                configuration,
                found.use,
                f"`{name}` has no value in {count} of {total} tests, so the model gets the prompt "
                "without it there",
                None,
            )
            yield _related(known, finding, found.tests, f"has no `{name}`")


@dataclass(slots=True)
class _Without:
    """A use of a variable, and the tests without a value for it."""

    use: PromptUse
    total: int
    tests: list[TestOfConfiguration] = field(default_factory=list)

    @property
    def has_value_somewhere(self) -> bool:
        return len(self.tests) < self.total


def _without_value(known: ConfigurationVariables) -> Iterator[_Without]:
    """Yield the uses in prompts that have no value in some test; each place once."""
    if known.is_open or not known.asks_models or not known.tests:
        return
    sent = [it for it in known.tests if known.is_sent(it)]
    if len(sent) < len(known.tests) and not sent:
        return
    seen: set[tuple[object, int]] = set()
    lacking: dict[str, list[TestOfConfiguration]] = {}
    for use in known.prompt_uses:
        name = use.use.name
        if use.use.is_conditional or name in known.given or not use.prompt.written:
            continue
        if read_template(use.part.text).problems or open_tag(use.prompt.text or ""):
            continue  # it is not filled at all, which other rules report
        place = (use.part.path, use.part.span(use.use.start, use.use.end).start)
        if place in seen:
            continue
        seen.add(place)
        if name not in lacking:
            lacking[name] = [it for it in sent if name not in it.uses.variables]
        if lacking[name]:
            is_somewhere = name in known.names
            total = len(sent) + (is_somewhere and len(lacking[name]) == len(sent))
            yield _Without(use, total, lacking[name])


def _in_prompt(
    configuration: LinkedConfiguration, found: PromptUse, message: str, suggestion: str | None
) -> Finding:
    """Return a finding at the use of a variable in a prompt."""
    span = found.part.span(found.use.start, found.use.end)
    fix = replace(span, suggestion, f"Change to `{suggestion}`", safe=False) if suggestion else None
    return in_prompt(configuration, found.part, found.prompt, span, message, fix)


def _related(
    known: ConfigurationVariables,
    finding: Finding,
    tests: list[TestOfConfiguration],
    message: str,
) -> Finding:
    """Return a finding that also shows the first test of the configuration it is about."""
    own = next((it for it in tests if it.is_own), None)
    if own is None:
        return finding
    node = known.configuration.file.tests[own.number - 1].node
    if node is None:
        return finding
    span = Span(node.start, node.start + 1)
    first = next(iter(node.entries.values()), None)
    if first is not None:
        span = first.key.span
    place = known.span_of_test(own, span)
    path = known.configuration.file.path if finding.external is not None else None
    related = Related(f"test {own.number} {message}", place, path)
    return Finding(finding.span, finding.message, finding.fix, (related,), finding.external)


@rule("PF404", Severity.WARNING)
def variable_in_single_braces(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A prompt has a variable in single braces.

    promptfoo fills in `{{ text }}`. It leaves `{text}`, which Python's formatted strings have, as it
    is: the model gets the braces and the name, and never what the tests are about.

    ```yaml bad
    prompts:
      - "Summarize: {text}"  # <- finding
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          text: The moon is made of rock.
    ```

    ```yaml fixed
    prompts:
      - "Summarize: {{text}}"
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          text: The moon is made of rock.
    ```
    """
    known = variables(configuration)
    if not known.asks_models:
        return
    filled: dict[int, set[str]] = {}
    for found in known.prompt_uses:
        filled.setdefault(found.prompt.number, set()).add(found.use.name)
    seen: set[tuple[object, int]] = set()
    for prompt in configuration.prompts:
        for part in prompt.parts:
            for braced in single_braces(part.text):
                name = braced.name
                if name not in known.names or name in filled.get(prompt.number, ()):
                    continue
                span = part.span(braced.start, braced.end)
                if (part.path, span.start) in seen:
                    continue
                seen.add((part.path, span.start))
                new = f"{{{{{name}}}}}"
                yield in_prompt(
                    configuration,
                    part,
                    prompt,
                    span,
                    f"`{part.text[braced.start : braced.end]}` is not filled in, so the model never "
                    f"sees the value of `{name}`; write it as `{new}`",
                    replace(span, new, f"Change to `{new}`", safe=False),
                )


@rule("PF403", Severity.WARNING)
def assertion_variable_without_value(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The value of an assertion uses a variable that its test does not have.

    promptfoo fills in nothing for it. What is left is compared with the answer, or shown to the
    judge. Of a value that is empty then, some types fail, and others pass for any answer.

    ```yaml bad
    prompts:
      - "Translate to French: {{ sentence }}"
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars:
          sentence: Good morning
          expected: Bonjour
        assert:
          - type: icontains
            value: "{{ expcted }}"  # <- finding
    ```

    ```yaml fixed
    prompts:
      - "Translate to French: {{ sentence }}"
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars:
          sentence: Good morning
          expected: Bonjour
        assert:
          - type: icontains
            value: "{{ expected }}"
    ```
    """
    known = variables(configuration)
    if known.is_open or known.default is None:
        return
    for test in known.tests:
        uses = test.uses
        if not test.is_own or uses.is_open or not uses.asserted:
            continue
        for found in uses.asserted:
            name = found.use.name
            if found.use.is_conditional or name in known.given or name in uses.variables:
                continue
            source = known.configuration.file.tests[test.number - 1].source
            span = known.span_of_test(test, found.span(source))
            suggestion = nearest(name, (*uses.variables, *known.default.variables))
            yield _in_assertion(span, name, "its test has no such variable", suggestion)
    for found in known.default.asserted:
        name = found.use.name
        if found.use.is_conditional or name in known.given:
            continue
        lacking = [
            it for it in known.tests if name not in it.uses.variables and not it.uses.is_open
        ]
        if not lacking:
            continue
        span = configuration.head_span(found.span(configuration.head.source))
        where = "no test has" if name not in known.names else _number(lacking, known)
        suggestion = None if name in known.names else nearest(name, known.names)
        finding = _in_assertion(span, name, f"{where} such a variable", suggestion)
        yield _related(known, finding, lacking, f"has no `{name}`")


def _number(lacking: list[TestOfConfiguration], known: ConfigurationVariables) -> str:
    have = "do" if len(lacking) > 1 else "does"
    return f"{len(lacking)} of {len(known.tests)} tests {have} not have"


def _in_assertion(span: Span, name: str, why: str, suggestion: str | None) -> Finding:
    hint = f"; did you mean `{suggestion}`?" if suggestion else ""
    fix = replace(span, suggestion, f"Change to `{suggestion}`", safe=False) if suggestion else None
    return Finding(span, f"`{name}` is filled in with nothing, since {why}{hint}", fix)


@rule("PF405", Severity.INFO, tags=(Tag.UNNECESSARY,))
def unused_variable(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A variable is used by nothing.

    No prompt has it in double braces, and neither does an assertion, a provider or another variable;
    no code names it. It may be a note for people, which can stand under `metadata`. Nothing is
    reported where a script, which is not read here, is given all variables.

    ```yaml bad
    prompts:
      - "Translate to French: {{ sentence }}"
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars:
          sentence: Good morning
          category: greetings  # <- finding
        assert:
          - type: icontains
            value: bonjour
    ```

    ```yaml good
    prompts:
      - "Translate to French: {{ sentence }}"
    providers: [openai:gpt-4.1-mini]
    tests:
      - vars:
          sentence: Good morning
        metadata:
          category: greetings
        assert:
          - type: icontains
            value: bonjour
    ```
    """
    known = variables(configuration)
    default = known.default
    if known.sees_all or default is None or not known.are_prompts_known or not known.asks_models:
        return
    if any(configuration.head.get(it) is not None for it in ("scenarios", "redteam", "extensions")):
        return
    if not all(known.is_answered_by_text(it) for it in known.tests):
        return
    used = known.used
    braced = {
        it.name for prompt in configuration.prompts for it in single_braces(prompt.text or "")
    }
    seen: set[str] = set()
    for name, span in default.variables.items():
        if name not in used and name not in braced:
            seen.add(name)
            yield Finding(configuration.head_span(span), _unused(name, 0))
    counts: dict[str, int] = {}
    first: dict[str, Span] = {}
    for test in known.tests:
        if test.is_own:
            for name, span in test.uses.variables.items():
                if name not in used and name not in braced and name not in seen:
                    counts[name] = counts.get(name, 0) + 1
                    if name not in first:
                        first[name] = known.span_of_test(test, span)
    for name, span in first.items():
        yield Finding(span, _unused(name, counts[name]))


def _unused(name: str, count: int) -> str:
    where = f" in {count} tests" if count > 1 else ""
    return f"`{name}` is used by no prompt, assertion or provider{where}"
