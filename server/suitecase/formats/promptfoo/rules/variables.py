"""Rules on the variables of prompts and tests: what has no value, what is never used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.format.rule import Finding, Related, Severity, Tag, replace, rule
from suitecase.formats.promptfoo.rules.assertion_lists import is_like_assert
from suitecase.formats.promptfoo.rules.places_in_prompts import in_prompt
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.test_cases.uses import Shape, TestUses
from suitecase.formats.promptfoo.suite.variables import (
    ConfigurationVariables,
    PromptUse,
    own_uses,
    variables,
)
from suitecase.formats.promptfoo.templates.template import (
    open_tag,
    read_template,
    single_braces,
)
from suitecase.text.near_names import nearest
from suitecase.text.node import Span


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
            count, total = found.count, found.total
            name = found.use.use.name
            finding = _in_prompt(
                configuration,
                found.use,
                f"`{name}` has no value in {count} of {total} tests, so the model gets the prompt "
                "without it there",
                None,
            )
            yield _related(known, finding, found.lacking, f"has no `{name}`")


@dataclass(slots=True)
class _Without:
    """A use of a variable, and the shapes of the tests without a value for it.

    `count` and `total` are numbers of tests: of those without a value, and of all.
    """

    use: PromptUse
    lacking: list[Shape]
    count: int
    total: int

    @property
    def has_value_somewhere(self) -> bool:
        return self.count < self.total


def _without_value(known: ConfigurationVariables) -> Iterator[_Without]:
    """Yield the uses in prompts that have no value in some test; each place once."""
    if known.is_open or not known.asks_models or not known.fills_prompts:
        return
    sent = {shape: count for shape, count in known.shapes.items() if known.is_sent(shape)}
    if not sent:
        return
    every = sum(sent.values())
    seen: set[tuple[object, int]] = set()
    lacking: dict[str, list[Shape]] = {}
    unfilled: dict[int, bool] = {}
    for use in known.prompt_uses:
        name, prompt = use.use.name, use.prompt
        if use.use.is_conditional or name in known.given or not prompt.written:
            continue
        if name not in lacking:
            lacking[name] = [shape for shape in sent if name not in shape.names]
        if not lacking[name]:
            continue
        if prompt.number not in unfilled:
            unfilled[prompt.number] = open_tag(prompt.text or "") is not None
        if unfilled[prompt.number] or read_template(use.part.text).problems:
            continue  # it is not filled at all, which other rules report
        place = (use.part.path, use.part.span(use.use.start, use.use.end).start)
        if place not in seen:
            seen.add(place)
            count = sum(sent[shape] for shape in lacking[name])
            is_elsewhere = count == every and name in known.names
            yield _Without(use, lacking[name], count, every + is_elsewhere)


def _in_prompt(
    configuration: LinkedConfiguration, found: PromptUse, message: str, suggestion: str | None
) -> Finding:
    """Return a finding at the use of a variable in a prompt."""
    span = found.part.span(found.use.start, found.use.end)
    fix = replace(span, suggestion, f"Change to `{suggestion}`", safe=False) if suggestion else None
    return in_prompt(configuration, found.part, found.prompt, span, message, fix)


def _related(
    known: ConfigurationVariables, finding: Finding, shapes: list[Shape], message: str
) -> Finding:
    """Return a finding that also shows the first test of the configuration it is about."""
    file = known.configuration.file
    number = known.own_test_of(shapes)
    node = file.tests[number].node if number is not None else None
    if number is None or node is None:
        return finding
    first = next((entry.key.span for entry in node.entries.values()), node.span)
    place = known.configuration.test_span(number, first)
    path = file.path if finding.external is not None else None
    related = Related(f"test {number + 1} {message}", place, path)
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
    if not known.asks_models or not known.fills_prompts:
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
    for number, uses in configuration.file.case_index.where(_with_names_of_others):
        source = configuration.file.tests[number].source
        for found in uses.asserted:
            name = found.use.name
            if found.use.is_conditional or name in known.given or name in uses.variables:
                continue
            span = configuration.test_span(number, found.span(source))
            suggestion = nearest(name, (*uses.variables, *known.default.variables))
            yield _in_assertion(span, name, "its test has no such variable", suggestion)
    for found in known.default.asserted:
        name = found.use.name
        if found.use.is_conditional or name in known.given:
            continue
        lacking = [shape for shape in known.shapes if name not in shape.names and not shape.is_open]
        if not lacking:
            continue
        span = configuration.head_span(found.span(configuration.head.source))
        where = "no test has" if name not in known.names else _number(lacking, known)
        suggestion = None if name in known.names else nearest(name, known.names)
        finding = _in_assertion(span, name, f"{where} such a variable", suggestion)
        yield _related(known, finding, lacking, f"has no `{name}`")


def _with_names_of_others(test: PromptfooTest) -> TestUses | None:
    """Return what a test uses if a value of an assertion has a variable that is not its own."""
    uses = own_uses(test)
    if uses is None or uses.is_open:
        return None
    return uses if any(it.use.name not in uses.variables for it in uses.asserted) else None


def _number(lacking: list[Shape], known: ConfigurationVariables) -> str:
    count = sum(known.shapes[it] for it in lacking)
    return f"{count} of {known.count} tests {'do' if count > 1 else 'does'} not have"


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
    if not all(map(known.is_answered_by_text, known.shapes)):
        return
    used = known.used
    braced = {
        single_brace.name
        for prompt in configuration.prompts
        for single_brace in single_braces(prompt.text or "")
    }
    seen: set[str] = set()
    for name, span in default.variables.items():
        if name not in used and name not in braced and not is_like_assert(name):
            seen.add(name)
            yield Finding(configuration.head_span(span), _unused(name, 0))
    left = known.names - used - braced - seen
    # Assertions among variables are reported as such.
    left = frozenset(it for it in left if not is_like_assert(it))
    if not left:
        return
    counts: dict[str, int] = {}
    first: dict[str, Span] = {}
    for number, uses in configuration.file.case_index.where(own_uses):
        for name in uses.variables.keys() & left:
            counts[name] = counts.get(name, 0) + 1
            first.setdefault(name, configuration.test_span(number, uses.variables[name]))
    for name, span in sorted(first.items(), key=lambda it: it[1]):
        yield Finding(span, _unused(name, counts[name]))


def _unused(name: str, count: int) -> str:
    where = f" in {count} tests" if count > 1 else ""
    return f"`{name}` is used by no prompt, assertion or provider{where}"
