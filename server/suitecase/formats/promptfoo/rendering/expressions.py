"""Evaluates the expressions of a template."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suitecase.formats.promptfoo.rendering import operators
from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.frames import Scope
from suitecase.formats.promptfoo.rendering.list_filters import PARAMETERS
from suitecase.formats.promptfoo.rendering.members import member
from suitecase.formats.promptfoo.rendering.string_filters import FILTERS
from suitecase.formats.promptfoo.rendering.value_tests import TESTS
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    Function,
    in_key_order,
    is_true,
    to_number,
)
from suitecase.formats.promptfoo.templates import tree
from suitecase.formats.promptfoo.templates.names import FILTERS as NUNJUCKS_FILTERS
from suitecase.formats.promptfoo.templates.tree import Body, Node

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operators.add,
    "-": operators.subtract,
    "*": operators.multiply,
    "/": operators.divide,
    "%": operators.modulo,
    "**": operators.power,
    "==": operators.is_equal,
    "!=": lambda one, two: not operators.is_equal(one, two),
    "===": operators.is_same,
    "!==": lambda one, two: not operators.is_same(one, two),
    "<": operators.is_less,
    ">": lambda one, two: operators.is_less(two, one),
    "<=": operators.is_less_or_equal,
    ">=": lambda one, two: operators.is_less_or_equal(two, one),
    "in": operators.contains,
}


class Expressions:
    """Evaluates expressions with the variables of a scope.

    Args:
        scope: the variables.
        budget: what the template may compute.
        capture: returns the text that a body is filled in to, for `{% set %}` and `{% filter %}`.
    """

    def __init__(self, scope: Scope, budget: Budget, capture: Callable[[Body], str]) -> None:
        self.scope = scope
        self.budget = budget
        self.capture = capture

    def value(self, node: Node) -> Any:
        """Return the value of an expression."""
        self.budget.spend()
        try:
            return self._value(node)
        except TemplateError as error:
            if error.offset is None:
                error.offset = node.start
            raise

    def _value(self, node: Node) -> Any:
        match node:
            case tree.Literal():
                return node.value
            case tree.Symbol():
                return self.scope.lookup(node.name)
            case tree.Lookup():
                target = self.value(node.target)
                key = self.value(node.key)
                self.budget.spend_on(key)
                return member(target, key, self.budget)
            case tree.Filter():
                return self._filter(node)
            case tree.Binary():
                return self._binary(node)
            case tree.Unary():
                return self._unary(node)
            case tree.Test():
                return self._test(node)
            case tree.Choice():
                chosen = node.body if is_true(self.value(node.condition)) else node.otherwise
                return self.value(chosen)
            case tree.Call():
                return self._call(node)
            case tree.Array():
                items = [self.value(item) for item in node.items]
                self.budget.spend_on(items)
                return items
            case tree.Dict():
                entries = in_key_order(
                    {key.value: self.value(entry) for key, entry in node.entries}
                )
                self.budget.spend_on(entries)
                return entries
            case tree.Group():
                return [self.value(item) for item in node.items][-1]
            case tree.Capture():
                return self.capture(node.body)
            case _:
                raise UnsupportedTemplateError("this is not supported in templates", node.start)

    def _binary(self, node: tree.Binary) -> Any:
        left = self.value(node.left)
        match node.operator:
            case "&&":
                return self.value(node.right) if is_true(left) else left
            case "||":
                return left if is_true(left) else self.value(node.right)
            case operator:
                right = self.value(node.right)
                self.budget.spend_on(left)
                self.budget.spend_on(right)
                found = _OPERATORS[operator](left, right)
                self.budget.spend_on(found)
                return found

    def _unary(self, node: tree.Unary) -> Any:
        value = self.value(node.operand)
        self.budget.spend_on(value)
        match node.operator:
            case "!":
                return not is_true(value)
            case "-":
                return operators.negate(value)
            case "floor":
                return operators.floor(value)
            case _:
                return to_number(value)

    def _test(self, node: tree.Test) -> bool:
        name, given = called_test(node) or (node.name, ())
        test = TESTS.get(name)
        if test is None:
            raise TemplateError(f"`{name}` is not a test", node.start)
        arguments = [self.value(argument) for argument in (node.value, *given)]
        for argument in arguments:
            self.budget.spend_on(argument)
        return test(arguments)

    def _filter(self, node: tree.Filter) -> Any:
        function = FILTERS.get(node.name)
        if function is None:
            raise unsupported_filter(node)
        arguments = [self.value(it) for it in node.arguments]
        if node.named:
            arguments = self._with_named_arguments(node, arguments)
        for argument in arguments:
            self.budget.spend_on(argument)
        found = function(self.budget, arguments)
        self.budget.spend_on(found)
        return found

    def _with_named_arguments(self, node: tree.Filter, arguments: list[Any]) -> list[Any]:
        parameters = PARAMETERS.get(node.name)
        if parameters is None:
            raise unsupported_names(node)
        named = {
            argument.key.name: self.value(argument.value)
            for argument in node.named
            if isinstance(argument.key, tree.Symbol)
        }
        if len(arguments) + len(named) > len(parameters):
            raise UnsupportedTemplateError("there are too many arguments", node.start)
        return arguments + [
            named.get(parameter, UNDEFINED) for parameter in parameters[len(arguments) :]
        ]

    def _call(self, node: tree.Call) -> Any:
        function = self.value(node.function)
        arguments = [self.value(it) for it in node.arguments]
        for argument in arguments:
            self.budget.spend_on(argument)
        if not isinstance(function, Function):
            raise TemplateError(f"{_callee_name(node.function)} cannot be called", node.start)
        return function.call(arguments)


def called_test(node: tree.Test) -> tuple[str, Body] | None:
    """Return the name of a test and its arguments; None if what stands behind `is` is no test."""
    match node.asked:
        case tree.Symbol(name=name):
            return name, ()
        case tree.Literal(value=None):
            return "null", ()
        case tree.Call(function=tree.Symbol(name=name), arguments=arguments) if len(arguments) <= 1:
            return name, arguments
        case tree.Call(function=tree.Literal(value=None), arguments=arguments) if (
            len(arguments) <= 1
        ):
            return "null", arguments
        case _:
            return None


def _callee_name(node: Node) -> str:
    match node:
        case tree.Symbol():
            return f"`{node.name}`"
        case tree.Lookup(key=tree.Literal(value=str(key))):
            return f"`{key}`"
        case _:
            return "this"


def unsupported_filter(node: tree.Filter) -> TemplateError:
    """Return the error for a filter that is not supported."""
    message = f"the filter `{node.name}` is not supported"
    kind = UnsupportedTemplateError if node.name in NUNJUCKS_FILTERS else TemplateError
    return kind(message, node.start)


def unsupported_names(node: tree.Filter) -> TemplateError:
    """Return the error for named arguments, which nunjucks passes to most filters as a mapping."""
    message = f"the filter `{node.name}` does not take named arguments in nunjucks"
    return UnsupportedTemplateError(message, node.start)
