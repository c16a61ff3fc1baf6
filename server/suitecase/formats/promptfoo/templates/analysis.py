"""Finds in the tree of a template which variables, filters and tests it uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from suitecase.formats.promptfoo.templates import tree
from suitecase.formats.promptfoo.templates.names import DEFAULTS, FUNCTIONS
from suitecase.formats.promptfoo.templates.parsing import ParsedTemplate, parse
from suitecase.formats.promptfoo.templates.tree import Body, Node
from suitecase.formats.promptfoo.templates.uses import Name, Template, TemplateProblem, Use

#: No more filters of a variable are kept.
_MOST_FILTERS = 20
#: Operators that have a use for a variable being absent.
_LOGICAL = frozenset(("||", "&&", "!", "in", "==", "===", "!=", "!==", "<", ">", "<=", ">="))
#: A variable in the rest of a text that cannot be read.
_VARIABLE = re.compile(r"\{\{-?[ \t]*([A-Za-z_][A-Za-z0-9_]*)")


class Reading:
    """A template that was read: its tree, and what is found in that."""

    def __init__(self, text: str) -> None:
        self.parsed = parse(text)
        self._template: Template | None = None

    @property
    def template(self) -> Template:
        """What the template uses; found when it is first asked for, since rendering does not ask."""
        if self._template is None:
            self._template = _analyzed(self.parsed)
        return self._template


def _analyzed(parsed: ParsedTemplate) -> Template:
    """Return what a template uses, up to the first place that nunjucks refuses.

    Behind that place, whatever looks like a variable counts as one, so that no variable becomes
    unused while a line is being typed.
    """
    analysis = _Analysis()
    analysis.body(parsed.body)
    uses = analysis.uses()
    problem = parsed.problem
    if not parsed.is_read:
        known = {use.start for use in uses}
        uses += tuple(
            Use(match[1], *match.span(1), is_conditional=True)
            for match in _VARIABLE.finditer(parsed.text)
            if match.start(1) not in known
        )
    return Template(
        uses,
        () if problem is None else (TemplateProblem(*problem[1:]),),
        tuple(analysis.filters),
        tuple(analysis.tests),
        parsed.keywords,
        analysis.includes,
    )


@dataclass(slots=True)
class _Found:
    """A use that is being looked at."""

    name: str
    start: int
    end: int
    is_conditional: bool
    members: list[str] = field(default_factory=list)
    filters: tuple[str, ...] = ()
    is_iterated: bool = False
    #: A test of another name, a keyword argument or a key: not a variable.
    is_dropped: bool = False


class _Analysis:
    """Walks a tree in the order of its text."""

    def __init__(self) -> None:
        self.filters: list[Name] = []
        self.tests: list[Name] = []
        self.includes = False
        self._uses: list[_Found] = []
        #: Names that the template sets, by scope, the outermost first.
        self._scopes: list[set[str]] = [set()]
        #: Names that a branch sets, which may not have been taken.
        self._perhaps: set[str] = set()
        self._conditions = 0

    def uses(self) -> tuple[Use, ...]:
        """Return the uses found so far."""
        return tuple(
            Use(
                use.name,
                use.start,
                use.end,
                tuple(use.members),
                use.is_conditional,
                use.filters,
                use.is_iterated,
            )
            for use in self._uses
            if not use.is_dropped
        )

    # Scopes

    @contextmanager
    def _conditional(self) -> Iterator[None]:
        """Look at what may do without its variables."""
        self._conditions += 1
        yield
        self._conditions -= 1

    @contextmanager
    def _scope(self, names: Iterable[str]) -> Iterator[None]:
        """Look at what may not be reached, and has names of its own."""
        self._scopes.append(set(names))
        self._conditions += 1
        yield
        self._conditions -= 1
        self._scopes.pop()

    def _branch(self, body: Body) -> None:
        """Look at what may not be reached, and sets names of what is around it."""
        with self._scope(()):
            self.body(body)
            self._perhaps |= self._scopes[-1]

    # Statements

    def body(self, body: Body) -> None:
        """Look at the nodes of a body."""
        for node in body:
            match node:
                case tree.Text():
                    pass
                case tree.Output():
                    self._expression(node.value)
                case tree.If():
                    for condition, branch in node.branches:
                        with self._conditional():
                            self._expression(condition)
                        self._branch(branch)
                    self._branch(node.otherwise)
                case tree.For():
                    self._for(node)
                case tree.Set():
                    if isinstance(node.value, tree.Capture):
                        self.body(node.value.body)
                    else:
                        self._expression(node.value)
                    self._scopes[-1].update(node.names)
                case tree.Switch():
                    self._switch(node)
                case tree.FilterBlock():
                    captured = self._links(node.filter)
                    if isinstance(captured, tree.Capture):
                        self.body(captured.body)
                case tree.Asynchronous():
                    self.body((node.statement,))
                case tree.Macro():
                    self._macro(node)
                case tree.CallBlock():
                    self._call_block(node)
                case tree.NamedBlock():
                    with self._scope(("super",)):
                        self.body(node.body)
                case tree.Include():
                    self.includes = True
                    self._expression(node.template)
                    self._scopes[-1].update(node.names)
                case _:
                    self._expression(node)

    def _for(self, node: tree.For) -> None:
        first = len(self._uses)
        with self._conditional():
            self._expression(node.items)
        for use in self._uses[first:]:
            use.is_iterated = not use.members
        with self._scope((*node.names, "loop")):
            self.body(node.body)
        with self._scope(node.names):
            self.body(node.otherwise)

    def _switch(self, node: tree.Switch) -> None:
        self._expression(node.value)
        self.body(node.dropped)
        for condition, body in node.cases:
            self._expression(condition)
            self._branch(body)
        self._branch(node.default)

    def _parameters(self, parameters: tuple[tree.Parameter, ...]) -> None:
        for parameter in parameters:
            self._scopes[-1].add(parameter.name)
            if parameter.default is not None:
                self._expression(parameter.default)

    def _macro(self, node: tree.Macro) -> None:
        # It sees only the names of the outermost scope.
        scopes = self._scopes
        self._scopes = scopes[:1]
        with self._scope(()):
            self._parameters(node.parameters)
            self._scopes[-1].add("caller")
            self.body(node.body)
        self._scopes = scopes
        self._scopes[-1].add(node.name)

    def _call_block(self, node: tree.CallBlock) -> None:
        with self._scope(()):
            self._parameters(node.parameters)
            own = self._scopes.pop()
            self._expression(node.call)
            self._scopes.append(own)
            self.body(node.body)

    # Expressions

    def _mark(self, first: int) -> None:
        for use in self._uses[first:]:
            use.is_conditional = True

    def _expression(self, node: Node) -> None:
        match node:
            case tree.Symbol():
                self._use(node)
            case tree.Lookup() | tree.Call() | tree.Filter():
                self._links(node)
            case tree.Binary() | tree.Unary() | tree.Test():
                self._operators(node)
            case tree.Choice():
                first = len(self._uses)
                self._expression(node.body)
                self._expression(node.condition)
                self._expression(node.otherwise)
                self._mark(first)
            case tree.Group() | tree.Array():
                for item in node.items:
                    self._expression(item)
            case tree.Dict():
                for _, value in node.entries:
                    self._expression(value)
            case _:
                pass

    def _use(self, node: tree.Symbol) -> _Found | None:
        name = node.name
        for scope in self._scopes:
            if name in scope:
                return None
        is_conditional = self._conditions > 0 or name in self._perhaps
        use = _Found(name, node.start, node.end, is_conditional)
        self._uses.append(use)
        return use

    def _operators(self, node: Node) -> None:
        """Look at operators and their operands; chains of them are long, so without recursion."""
        first = len(self._uses)
        is_logical = False
        pending: list[Node | tuple[tree.Test]] = [node]
        while pending:
            match pending.pop():
                case tree.Binary() as part:
                    is_logical = is_logical or part.operator in _LOGICAL
                    pending += (part.right, part.left)
                case tree.Unary() as part:
                    is_logical = is_logical or part.operator in _LOGICAL
                    pending.append(part.operand)
                case tree.Test() as part:
                    is_logical = True
                    pending += ((part,), part.value)
                case (tree.Test() as part,):
                    self._test(part)
                case tree.Node() as part:
                    self._expression(part)
        if is_logical:
            self._mark(first)

    def _test(self, test: tree.Test) -> None:
        """Look at what stands behind `is`."""
        first = len(self._uses)
        self._expression(test.asked)
        if test.name:
            self.tests.append(Name(test.name, test.start, test.end))
        self._drop(first, test.start)

    def _drop(self, first: int, start: int) -> None:
        """Take back a use if it starts at a place: it is the name of something else."""
        if first < len(self._uses) and self._uses[first].start == start:
            self._uses[first].is_dropped = True

    def _links(self, node: Node) -> Node:
        """Look at a chain of members, calls and filters, and at its start; return its start."""
        links: list[tree.Lookup | tree.Call | tree.Filter] = []
        while True:
            match node:
                case tree.Lookup():
                    links.append(node)
                    node = node.target
                case tree.Call():
                    links.append(node)
                    node = node.function
                case tree.Filter():
                    links.append(node)
                    node = node.arguments[0]
                case _:
                    break
        # What a block is filled with is looked at later, and its variables have no filter of their own.
        first = None if isinstance(node, tree.Capture) else len(self._uses)
        use: _Found | None = None
        if isinstance(node, tree.Symbol):
            use = self._use(node)
        else:
            self._expression(node)
        for link in reversed(links):
            match link:
                case tree.Lookup(key=tree.Literal(value=str(member))) if use is not None:
                    use.members.append(member)
                case tree.Lookup():
                    self._expression(link.key)
                    use = None
                case tree.Call():
                    if use is not None and not use.members and use.name in FUNCTIONS:
                        use.is_dropped = True
                    self._arguments(link.arguments, link.named)
                    use = None
                case tree.Filter():
                    self._filter(link, first)
                    use = None
        return node

    def _filter(self, node: tree.Filter, first: int | None) -> None:
        """Look at a filter that is applied to the uses from `first` on."""
        self.filters.append(Name(node.name, node.start, node.end))
        if first is not None:
            for use in self._uses[first:]:
                if len(use.filters) < _MOST_FILTERS:
                    use.filters += (node.name,)
        self._arguments(node.arguments[1:], node.named)
        if first is not None and node.name in DEFAULTS:
            self._mark(first)

    def _arguments(self, arguments: Body, named: tuple[tree.NamedArgument, ...]) -> None:
        """Look at arguments, in the order of their places."""
        for argument in sorted((*arguments, *named), key=_start) if named else arguments:
            if isinstance(argument, tree.NamedArgument):
                first = len(self._uses)
                self._expression(argument.key)
                self._drop(first, argument.start)
                self._expression(argument.value)
            else:
                self._expression(argument)


def _start(node: Node) -> int:
    return node.start
