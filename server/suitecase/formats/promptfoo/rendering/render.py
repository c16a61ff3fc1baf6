"""Fills in templates.

nunjucks compiles a template to JavaScript. Here its tree is walked: no part of a template is ever
executed as code, or reaches an attribute of a Python object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import Any

from suitecase.formats.promptfoo.rendering import operators
from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import (
    ComposedEnvironmentError,
    TemplateError,
    UnsupportedTemplateError,
)
from suitecase.formats.promptfoo.rendering.expressions import Expressions
from suitecase.formats.promptfoo.rendering.frames import Context, Scope
from suitecase.formats.promptfoo.rendering.supported import supported_body
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    Function,
    SafeString,
    Undefined,
    from_units,
    has_lone_surrogate,
    is_number,
    is_true,
    output_string,
    to_javascript,
    to_number,
    units,
)
from suitecase.formats.promptfoo.templates import tree
from suitecase.formats.promptfoo.templates.javascript import narrowed
from suitecase.formats.promptfoo.templates.names import (
    COMPOSED_ENVIRONMENT,
    ENVIRONMENT,
    UNNAMED_ENVIRONMENT,
)
from suitecase.formats.promptfoo.templates.template import is_template, read_template
from suitecase.formats.promptfoo.templates.tree import Body
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


def render_text(
    text: str,
    variables: Mapping[str, Any],
    environment: Mapping[str, str],
    budget: Budget | None = None,
) -> str:
    """Return a template with its variables filled in, as promptfoo does with nunjucks.

    Args:
        text: the template.
        variables: the values of variables, as in YAML or JSON.
        environment: the value of `env`.
        budget: what the template may compute; by default its own.

    Raises:
        TemplateError: nunjucks refuses the template, or Suitecase does not support it
            (`UnsupportedTemplateError`).
    """
    if not is_template(text):
        return text
    budget = budget or Budget()
    body = supported_body(text)
    named = {} if ENVIRONMENT in variables else written_environment(text, environment)
    globals_ = {
        ENVIRONMENT: lambda: to_javascript(named),
        "range": lambda: range_function(budget),
        "joiner": joiner_function,
        "cycler": refuse_cycler,
    }
    renderer = _Renderer(text, Context(variables, globals_), budget)
    try:
        found = from_units(renderer.filled(body))
    except RecursionError:
        raise UnsupportedTemplateError("the template is nested too deeply") from None
    if has_lone_surrogate(found):
        raise UnsupportedTemplateError("the template cuts a character in half")
    return found


def written_environment(text: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the environment that a template names, and no other ones.

    Raises:
        UnsupportedTemplateError: it uses the environment in another way.
    """
    if ENVIRONMENT not in text:
        return {}
    for use in read_template(text).uses:
        if use.is_environment and not use.members:
            raise UnsupportedTemplateError(UNNAMED_ENVIRONMENT, use.start)
    names = named_environment(text)
    return {name: environment[name] for name in sorted(names & environment.keys())}


def named_environment(text: str) -> set[str]:
    """Return the variables of the environment that a template names."""
    uses = read_template(text).uses
    return {use.members[0] for use in uses if use.is_environment and use.members}


def refuse_composed(made: str, written: Iterable[Any]) -> None:
    """Refuse a template that names a variable of the environment only since it was put together.

    Args:
        made: the template.
        written: what it was made of, as it stands in files: texts, or values with texts in them.

    Raises:
        ComposedEnvironmentError: no text of these names the variable.
    """
    if ENVIRONMENT not in made:
        return
    uses = [use for use in read_template(made).uses if use.is_environment]
    if not uses:
        return
    named = {
        use.members[:1]
        for text in _texts(written)
        for use in read_template(text).uses
        if use.is_environment
    }
    for use in uses:
        if use.members[:1] not in named:
            name = ".".join((ENVIRONMENT, *use.members[:1]))
            raise ComposedEnvironmentError(COMPOSED_ENVIRONMENT.format(use=name))


def _texts(values: Iterable[Any]) -> Iterator[str]:
    pending = list(values)
    while pending:
        match pending.pop():
            case str() as text:
                yield text
            case list() | tuple() as items:
                pending += items
            case dict() as mapping:
                pending += mapping.values()


def render_value(value: Any, variables: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    """Return the value of an assertion with a string, or the strings of a list, filled in.

    As in promptfoo, mappings, nested lists and strings that start with `file://` stay as they are.
    """
    if isinstance(value, list):
        return [
            render_value(it, variables, environment) if isinstance(it, str) else it for it in value
        ]
    if isinstance(value, str) and not value.startswith(FILE_SCHEME):
        return render_text(value, variables, environment)
    return value


def render_nested(value: Any, variables: Mapping[str, Any], environment: Mapping[str, str]) -> Any:
    """Return a value with all strings in it filled in; keys of mappings stay as they are."""
    budget = Budget()

    def rendered(value: Any) -> Any:
        match value:
            case str():
                return render_text(value, variables, environment, budget)
            case list():
                return [rendered(it) for it in value]
            case dict():
                return {key: rendered(it) for key, it in value.items()}
            case _:
                return value

    return rendered(value)


class _Renderer:
    """Fills in one template."""

    def __init__(self, text: str, context: Context, budget: Budget) -> None:
        self._text = text
        self._budget = budget
        self._scope = Scope(context)
        self._expressions = Expressions(self._scope, budget, self.filled)

    def filled(self, body: Body) -> str:
        """Return the text that a body is filled in to."""
        parts: list[str] = []
        self._fill(body, parts)
        self._budget.spend_on_characters(sum(map(len, parts)))
        return "".join(parts)

    def _fill(self, body: Body, parts: list[str]) -> None:
        for node in body:
            self._budget.spend()
            match node:
                case tree.Text():
                    self._put(self._text[node.start : node.end], parts)
                case tree.Output(value=written) | tree.FilterBlock(filter=written):
                    value = self._expressions.value(written)
                    try:
                        self._budget.spend_on(value)
                        self._put(output_string(value), parts)
                    except TemplateError as error:
                        error.offset = node.start if error.offset is None else error.offset
                        raise
                case tree.If():
                    self._fill(self._chosen(node), parts)
                case tree.For():
                    self._for(node, parts)
                case tree.Set():
                    self._set(node)
                case tree.Switch():
                    self._switch(node, parts)
                case _:
                    raise UnsupportedTemplateError("this is not supported", node.start)

    def _chosen(self, node: tree.If) -> Body:
        for condition, body in node.branches:
            if is_true(self._expressions.value(condition)):
                return body
        return node.otherwise

    def _put(self, text: str, parts: list[str]) -> None:
        self._budget.spend_on_characters(len(text))
        parts.append(text)

    def _set(self, node: tree.Set) -> None:
        value = self._expressions.value(node.value)
        for name in node.names:
            self._scope.set(name, value)

    def _switch(self, node: tree.Switch, parts: list[str]) -> None:
        value = self._expressions.value(node.value)
        is_met = False
        for condition, body in node.cases:
            is_met = is_met or operators.is_same(value, self._expressions.value(condition))
            # A case without a body falls through to the next.
            if is_met and body:
                self._fill(body, parts)
                return
        self._fill(node.default, parts)

    def _for(self, node: tree.For, parts: list[str]) -> None:
        items = self._expressions.value(node.items)
        if isinstance(items, str | list | dict):
            self._budget.spend(len(items))
        iterations = self._iterations(node, items)
        # All iterations share one scope, as in nunjucks.
        with self._scope.loop(node.names) as variables:
            for number, values in enumerate(iterations):
                variables.update(zip(node.names, chain(values, repeat(UNDEFINED)), strict=False))
                variables["loop"] = _loop(number, len(iterations))
                self._fill(node.body, parts)
            if not iterations:
                self._fill(node.otherwise, parts)

    def _iterations(self, node: tree.For, items: Any) -> list[tuple[Any, ...]]:
        """Return the values of the names in each iteration of a loop."""
        if isinstance(items, str):
            items = list(units(items))
            if len(node.names) > 1:
                return [(str(number), it) for number, it in enumerate(items)]
        is_alone = len(node.names) == 1
        match items:
            case list():
                return [(item,) if is_alone else self._unpacked(item, node) for item in items]
            case SafeString():
                message = "a loop over the result of `safe` or `escape` is not supported"
                raise UnsupportedTemplateError(message, node.start)
            case dict() if not is_alone:
                return list(items.items())
            case dict() if "length" in items:
                raise UnsupportedTemplateError(
                    "a loop over a mapping with the key `length` is not supported", node.start
                )
            case _:
                return []

    def _unpacked(self, item: Any, node: tree.For) -> tuple[Any, ...]:
        count = len(node.names)
        match item:
            case list():
                return tuple(item[:count])
            case str():
                return tuple(units(item[:count])[:count])
            case dict():
                return tuple(item.get(str(number), UNDEFINED) for number in range(count))
            case bool() | int() | float():
                return ()
            case SafeString():
                message = "a loop over results of `safe` or `escape` is not supported"
                raise UnsupportedTemplateError(message, node.items.start)
            case _:
                raise TemplateError("an item of the loop is not a list", node.items.start)


def _loop(number: int, count: int) -> dict[str, Any]:
    return {
        "index": number + 1,
        "index0": number,
        "revindex": count - number,
        "revindex0": count - number - 1,
        "first": number == 0,
        "last": number == count - 1,
        "length": count,
    }


def range_function(budget: Budget) -> Function:
    """Return `range(stop)`, `range(start, stop)` and `range(start, stop, step)`."""

    def call(arguments: list[Any]) -> list[float]:
        start, stop, step = (*arguments, UNDEFINED, UNDEFINED, UNDEFINED)[:3]
        if isinstance(stop, Undefined):
            start, stop, step = 0, start, 1
        if not is_true(step) or step is True:
            step = 1
        if not is_number(step) or not (is_number(start) or isinstance(start, Undefined)):
            raise UnsupportedTemplateError("`range` takes numbers")
        value, end, increment = to_number(start), to_number(stop), to_number(step)
        found: list[float] = []
        # Steps are added one by one, because sums of fractions are not exact.
        while value < end if increment > 0 else value > end:
            budget.spend()
            found.append(value)
            value = narrowed(value + increment)
        return found

    return Function(call)


def joiner_function() -> Function:
    """Return `joiner(separator)`, which returns a function that returns "" on its first call."""

    def call(arguments: list[Any]) -> Function:
        separator = arguments[0] if arguments and is_true(arguments[0]) else ","
        is_first = True

        def join(_: list[Any]) -> Any:
            nonlocal is_first
            text = "" if is_first else separator
            is_first = False
            return text

        return Function(join)

    return Function(call)


def refuse_cycler() -> Function:
    """Raise the error for `cycler`, which is not supported."""
    raise UnsupportedTemplateError("`cycler` is not supported")
