"""Rules on templates: what nunjucks refuses, and what promptfoo does not fill."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.rules.places_in_prompts import in_prompt
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooHead, PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.parts import PromptPart
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.test_cases.uses import TestUses, uses_of
from suitecase.formats.promptfoo.suite.variables import (
    BUILT_IN,
    default_uses,
    own_uses,
    variables,
)
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.formats.promptfoo.templates.names import FILTERS, TESTS
from suitecase.formats.promptfoo.templates.template import open_tag, read_template
from suitecase.formats.promptfoo.templates.uses import Name, TemplateProblem
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Span

#: A variable that lacks the second of its closing braces.
_HALF_CLOSED = re.compile(r"\{\{[^{}]*\}")
#: A variable of a text, as promptfoo looks for those that are undefined.
_FILLED = re.compile(r"\{\{\s*([A-Za-z_]\w*)")


@rule("PF406", gradable=True)
def invalid_template(part: PromptfooTest | PromptfooHead) -> Iterator[Finding]:
    """The value of an assertion is a template that nunjucks refuses.

    promptfoo fills the values of assertions, code included, with nunjucks after the model has
    answered. If nunjucks refuses the text, the test ends with an error, whatever the answer is.
    Text that is not a template goes between `{% raw %}` and `{% endraw %}`, or into a file.

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
            value: "{{ expected }"  # <- finding
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
    if part.reading.vocabulary is not PROMPTFOO:
        return  # what other tools of the family make of such a text is not known
    for filled in _uses(part).values:
        for problem in filled.template.problems:
            yield Finding(
                span := filled.span(part.source, problem.start, problem.end),
                f"nunjucks refuses this: {problem.message}; the test ends with an error once the model has answered",
                _closing(filled.scalar.text, problem, span),
            )


def _uses(part: PromptfooTest | PromptfooHead) -> TestUses:
    if isinstance(part, PromptfooTest):
        return uses_of(part.content, part.reading)
    body = part.default_test
    return default_uses(part, body.node) if body is not None else TestUses({})


def _closing(text: str, problem: TemplateProblem, span: Span) -> Fix | None:
    """Return the fix of a variable that lacks the second of its closing braces."""
    written = text[problem.start : problem.end]
    if not _HALF_CLOSED.fullmatch(written):
        return None
    return replace(span, f"{written}}}", "Add the missing `}`", safe=False)


@rule("PF407", gradable=True)
def invalid_prompt_template(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt is a template that nunjucks refuses.

    Each test with this prompt ends with an error before a model is asked. Text that is not a
    template, as an example in another language of templates, goes between `{% raw %}` and
    `{% endraw %}`.

    ```yaml bad
    prompts:
      - "Translate to French: {{ the sentence }}"  # <- finding
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          sentence: Good morning
    ```

    ```yaml good
    prompts:
      - "Translate to French: {{ sentence }}"
      - "Explain {% raw %}{{#if x}}{% endraw %} in French: {{ sentence }}"
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          sentence: Good morning
    ```
    """
    for prompt, part, problem in _prompt_problems(configuration):
        span = part.span(problem.start, problem.end)
        yield in_prompt(
            configuration,
            part,
            prompt,
            span,
            f"nunjucks refuses this: {problem.message}; each test with this prompt ends with an error",
            _closing(part.text, problem, span),
        )


def _filled_prompts(configuration: LinkedConfiguration) -> tuple[Prompt, ...]:
    """Return the prompts; none if the configuration keeps promptfoo from filling any."""
    return configuration.prompts if variables(configuration).fills_prompts else ()


def _prompt_problems(
    configuration: LinkedConfiguration,
) -> Iterator[tuple[Prompt, PromptPart, TemplateProblem]]:
    """Yield what nunjucks refuses in prompts that promptfoo gives it."""
    seen: set[tuple[object, int]] = set()
    for prompt in _filled_prompts(configuration):
        if prompt.text is None or not prompt.written or open_tag(prompt.text) is not None:
            continue
        for part in prompt.parts:
            for problem in read_template(part.text).problems:
                # A chat that nunjucks refuses in parts is filled as a text, once more.
                if len(prompt.parts) > 1 and not read_template(prompt.text).problems:
                    continue
                place = (part.path, part.span(problem.start, problem.end).start)
                if place not in seen:
                    seen.add(place)
                    yield prompt, part, problem


@rule("PF408", Severity.WARNING)
def unfilled_prompt(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A tag that is open at the end of its line keeps a whole prompt from being filled.

    Where a line ends between `{{` and `}}`, or in `{% ... %}` or `{# ... #}`, promptfoo takes the
    prompt for a text with braces, and sends it as it is. No variable of it is filled in, those of
    other lines included. Write each tag on one line.

    ```yaml bad
    prompts:
      - |
        Answer in {{ language }}:
        {{  # <- finding
          question
        }}
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          language: French
          question: How are you?
    ```

    ```yaml good
    prompts:
      - |
        Answer in {{ language }}:
        {{ question }}
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          language: French
          question: How are you?
    ```
    """
    known = variables(configuration)
    names = known.names | BUILT_IN
    seen: set[tuple[object, int]] = set()
    for prompt in _filled_prompts(configuration):
        if prompt.text is None or not prompt.written or len(prompt.parts) != 1:
            continue
        (part,) = prompt.parts
        place = open_tag(part.text)
        used = next((use for use in read_template(part.text).uses if use.name in names), None)
        if place is None or used is None:
            continue
        span = part.span(*place)
        if (part.path, span.start) not in seen:
            seen.add((part.path, span.start))
            yield in_prompt(
                configuration,
                part,
                prompt,
                span,
                "this tag is open at the end of its line, so promptfoo sends the whole prompt as it "
                f"is, without the value of `{used.name}`",
            )


@rule("PF412", gradable=True)
def unknown_filter(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A template uses a filter or a test that nunjucks does not know.

    The test then ends with an error. Filters of Jinja that nunjucks does not have, such as `tojson`,
    are reported, too; `dump` writes JSON. More filters can be given under `nunjucksFilters`.

    ```yaml bad
    prompts:
      - "Translate to French: {{ sentence | uper }}"  # <- finding
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          sentence: Good morning
    ```

    ```yaml fixed
    prompts:
      - "Translate to French: {{ sentence | upper }}"
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          sentence: Good morning
    ```
    """
    added = configuration.head.get("nunjucksFilters")
    filters = FILTERS | set(added.entries) if isinstance(added, Mapping) else FILTERS
    if added is not None and not isinstance(added, Mapping):
        return
    seen: set[tuple[object, int]] = set()
    for prompt in _filled_prompts(configuration):
        is_sent_as_it_is = prompt.text is None or open_tag(prompt.text) is not None
        for part in () if is_sent_as_it_is else prompt.parts:
            template = read_template(part.text)
            for name, what, known in _unknown(template.filters, template.tests, filters):
                span = part.span(name.start, name.end)
                if (part.path, span.start) in seen:
                    continue
                seen.add((part.path, span.start))
                message, fix = _advice(name, what, known, span)
                yield in_prompt(configuration, part, prompt, span, message, fix)
    known_variables = variables(configuration)
    for number, uses in configuration.file.case_index.where(_with_filters):
        source = configuration.file.tests[number].source
        for name, what, known, own in _in_values(uses, source, filters):
            span = configuration.test_span(number, own)
            yield Finding(span, *_advice(name, what, known, span))
    if known_variables.default is not None:
        source = configuration.head.source
        for name, what, known, own in _in_values(known_variables.default, source, filters):
            span = configuration.head_span(own)
            yield Finding(span, *_advice(name, what, known, span))


def _with_filters(test: PromptfooTest) -> TestUses | None:
    """Return what a test uses if its assertions have filters or tests."""
    uses = own_uses(test)
    has_any = uses and any(value.template.filters or value.template.tests for value in uses.values)
    return uses if has_any else None


def _in_values(
    uses: TestUses, source: str, filters: frozenset[str]
) -> Iterator[tuple[Name, str, frozenset[str], Span]]:
    """Yield what is not known in the values of assertions, with its place in the test."""
    for filled in uses.values:
        template = filled.template
        for name, what, known in _unknown(template.filters, template.tests, filters):
            yield name, what, known, filled.span(source, name.start, name.end)


def _unknown(
    used: tuple[Name, ...], tests: tuple[Name, ...], filters: frozenset[str]
) -> Iterator[tuple[Name, str, frozenset[str]]]:
    for name in used:
        if name.name not in filters:
            yield name, "filter", filters
    for name in tests:
        if name.name not in TESTS:
            yield name, "test", TESTS


#: Filters of Jinja, and those of nunjucks that do the same.
_OF_JINJA = {
    "tojson": "dump",
    "to_json": "dump",
    "json": "dump",
    "count": "length",
    "stringify": "dump",
}


def _advice(name: Name, what: str, known: frozenset[str], span: Span) -> tuple[str, Fix | None]:
    suggestion = _OF_JINJA.get(name.name) if what == "filter" else None
    suggestion = suggestion or nearest(name.name, sorted(known))
    hint = f"; did you mean `{suggestion}`?" if suggestion else ""
    fix = replace(span, suggestion, f"Change to `{suggestion}`", safe=False) if suggestion else None
    return f"`{name.name}` is not a {what} of nunjucks, so the test ends with an error{hint}", fix


@rule("PF413", Severity.WARNING)
def variable_refused_as_template(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The value of a variable is a template that nunjucks refuses.

    promptfoo fills variables in the values of variables, too, before it fills a prompt that is a
    text. A value with `{% ... %}` of another language, or with `#}`, ends the test with an error
    before a model is asked. Between `{% raw %}` and `{% endraw %}` it is taken as it is.

    ```yaml bad
    prompts:
      - "Explain this code: {{ code }}"
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          code: "{% load static %}"  # <- finding
    ```

    ```yaml good
    prompts:
      - "Explain this code: {{ code }}"
    providers: [openai:gpt-4.1-mini]
    defaultTest: {assert: [{type: not-is-refusal}]}
    tests:
      - vars:
          code: "{% raw %}{% load static %}{% endraw %}"
    ```
    """
    known = variables(configuration)
    is_text = any(
        filled_prompt.text is not None and len(filled_prompt.parts) == 1
        for filled_prompt in _filled_prompts(configuration)
    )
    if not is_text or known.default is None:
        return
    for number, uses in configuration.file.case_index.where(_with_refused_texts):
        source = configuration.file.tests[number].source
        for filled in uses.texts:
            text = filled.scalar.text
            if not filled.template.problems or open_tag(text) is not None:
                continue
            if any(
                name not in uses.variables and name not in known.given
                for name in _FILLED.findall(text)
            ):
                continue  # promptfoo leaves a value with undefined variables as it is
            for problem in filled.template.problems:
                span = filled.span(source, problem.start, problem.end)
                yield Finding(
                    configuration.test_span(number, span),
                    f"nunjucks refuses this: {problem.message}; promptfoo fills in the values of "
                    "variables, too, so the test ends with an error",
                )


def _with_refused_texts(test: PromptfooTest) -> TestUses | None:
    """Return what a test uses if nunjucks refuses the value of a variable."""
    uses = own_uses(test)
    return uses if uses and any(text.template.problems for text in uses.texts) else None
