"""The context of a cursor in a file of the family: in a test, or in everything else."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.editor.completion.context import Context, context_in, context_of_another
from suitecase.editor.completion.cursor import locate
from suitecase.editor.completion.parsed_range import CasesAt, Part, cases_of, stretches_of
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile
from suitecase.schema.key_roles import Role
from suitecase.schema.key_texts import roles_at
from suitecase.text.node import Mapping, Node, Scalar, Sequence, at

#: Where tests stand in the head, as promptfoo spells it: paths that lead to one.
_IN_SCENARIOS = ("config", "tests")


@dataclass(frozen=True, slots=True)
class Cursor:
    """A cursor, and the file around it."""

    context: Context
    whole: Whole

    @property
    def in_test(self) -> tuple[str | int, ...] | None:
        """The path from the test, or from `defaultTest`, around the cursor; None elsewhere."""
        path = self.context.path
        reading = self.whole.file.reading
        if self.context.model is reading.test:
            return path
        if path[:1] == (reading.key("defaultTest"),):
            return path[1:]
        if path[:1] == ("tests",) and len(path) > 1:
            return path[2:]
        if path[:1] == ("scenarios",) and len(path) > 3 and path[2] in _IN_SCENARIOS:
            return path[4:]
        return None

    @property
    def in_head(self) -> tuple[str | int, ...] | None:
        """The path from the top, outside of tests."""
        return self.context.path if self.in_test is None else None

    @property
    def is_test(self) -> bool:
        """Whether a test begins at the cursor."""
        return self.in_test == () and self.context.path[-1:] != (self._default,)

    @property
    def _default(self) -> str:
        return self.whole.file.reading.key("defaultTest")

    @property
    def roles(self) -> tuple[Role, ...]:
        """What the models say of the value at the cursor; nothing of a key."""
        if self.context.shape == "key":
            return ()
        reading, model = self.whole.file.reading, self.context.model
        kind = reading.listed_test if model is reading.test else model
        return roles_at(kind, self.context.root, self.context.path)

    @property
    def assertion(self) -> Mapping | None:
        """The assertion whose key or value is at the cursor."""
        holder = self.context.holder
        if len(holder) < 2 or not isinstance(holder[-1], int) or holder[-2] != "assert":
            return None
        node, _, taken = at(self.context.root, holder)
        return node if taken == len(holder) and isinstance(node, Mapping) else None

    @property
    def type_text(self) -> str:
        """The type of the assertion around the cursor; empty if there is none."""
        kind = self.assertion.get("type") if self.assertion is not None else None
        return kind.text if isinstance(kind, Scalar) else ""

    def with_context(self, context: Context) -> Cursor:
        return Cursor(context, self.whole)


def cursor_in(whole: Whole, offset: int) -> Cursor | None:
    """Return the cursor at an offset; None outside the tree of the file."""
    file = whole.file
    text = file.document.text
    parts = _Parts(file)
    stretches = stretches_of(text, offset, _cases(file), parts.test, parts.whole)
    context = context_in(text, offset, stretches, is_json=file.is_json)
    return Cursor(context, whole) if context is not None else None


def cursor_between_tests(whole: Whole, offset: int) -> Cursor | None:
    """Return the cursor of another test, on an empty line less indented than the tests; else None."""
    file = whole.file
    found = context_of_another(file.document.text, offset, _cases(file), _Parts(file).test)
    return Cursor(found, whole) if found is not None else None


def _cases(file: PromptfooFile) -> CasesAt | None:
    if file.document.root_list and not file.document.segmented:
        return None
    return cases_of(file.document, file.dialect.list_keys)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Finds the part of a tree that a mark is in."""

    file: PromptfooFile

    def test(self, root: Node, mark: str) -> Part | None:
        items = root.items if isinstance(root, Sequence) else []
        item = next((it for it in items if locate(it, mark)), None)
        return Part(self.file.reading.test, item) if item is not None else None

    def whole(self, root: Node, mark: str) -> Part | None:
        if isinstance(root, Sequence):
            return self.test(root, mark)
        if isinstance(root, Mapping):
            listed = root.get("tests")
            found = self.test(listed, mark) if listed is not None else None
            if found is not None:
                return found
        return Part(self.file.reading.suite, root)
