"""Parses a template as nunjucks 3.2.4 does.

The grammar differs from Jinja's; a script of the tests holds it against nunjucks. What is written
in a template as code that cannot run is refused here, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.formats.promptfoo.templates import tree
from suitecase.formats.promptfoo.templates.expressions import ExpressionParser
from suitecase.formats.promptfoo.templates.javascript import STRIPPED
from suitecase.formats.promptfoo.templates.names import INNER_TAGS, TAGS
from suitecase.formats.promptfoo.templates.tokens import Kind, Token
from suitecase.formats.promptfoo.templates.tree import Body, Node
from suitecase.formats.promptfoo.templates.uses import Name
from suitecase.text.near_names import nearest


@dataclass(frozen=True, slots=True, eq=False)
class ParsedTemplate:
    """A template as a tree.

    Attributes:
        text: the template.
        body: its tree, as far as it could be read.
        problem: what nunjucks refuses, as a token whose value says why: the first, since it reads no further.
        too_deep: where it is nested too deeply to be read further.
        is_read: whether it was read to its end.
        keywords: the words of tags and operators.
    """

    text: str
    body: Body
    problem: Token | None
    too_deep: int | None
    is_read: bool
    keywords: tuple[Name, ...]


def parse(text: str) -> ParsedTemplate:
    """Return the tree of a template, and what nunjucks refuses in it. Never raises."""
    parser = _Parser(text)
    body, _ = parser.body(())
    problem = parser.problem or parser.fails_later
    keywords = tuple(parser.keywords)
    return ParsedTemplate(text, body, problem, parser.too_deep, not parser.is_ended, keywords)


class _Parser(ExpressionParser):
    """Parses one template."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        #: The last tag ended with `-`, so the white space after it is dropped.
        self._drops_space = False
        self._blocks: set[str] = set()

    def body(self, ends: tuple[str, ...]) -> tuple[Body, str | None]:
        """Read up to one of some tags; return what was read and which tag, None at the end of the text.

        The name of that tag is still to be read.
        """
        found: list[Node] = []
        tokens = self.tokens
        while not self.is_ended:
            start = tokens.place
            token = tokens.in_text()
            kind = token.kind
            if token.start > start and kind is not Kind.REFUSED:
                found.append(self._text(start, token.start))
            if kind is Kind.VARIABLE_START:
                found.append(self._output(token))
            elif kind is Kind.BLOCK_START:
                self.opening = token
                self._drops_space = False
                name = self.token = tokens.in_code()
                if name.kind is not Kind.NAME:
                    self.unexpected("the name of a tag")
                elif name.value in ends:
                    return tuple(found), name.value
                elif self.deeper():
                    found += self._statement(token)
                    self.depth -= 1
            elif kind is Kind.COMMENT:
                self._drops_space = self.text[token.end - 3] == "-"
            elif kind is Kind.REFUSED:
                self.refuse(token.value, token.start, token.end)
            else:
                break
        return tuple(found), None

    def _text(self, start: int, end: int) -> Node:
        """Return a text without the white space that tags around it drop."""
        text = self.text
        is_cut = end < len(text) and text.startswith("-", end + 2)
        if self._drops_space:
            start = end - len(text[start:end].lstrip(STRIPPED))
            self._drops_space = False
        if is_cut:
            end = start + len(text[start:end].rstrip(STRIPPED))
        return tree.Text(start, end)

    def _output(self, opening: Token) -> Node:
        self.opening = opening
        self.token = self.tokens.in_code()
        value = self.expression()
        if self.token.kind is Kind.VARIABLE_END:
            self._drops_space = self.token.value.startswith("-")
            self.opening = None
        else:
            self.unexpected("`}}`")
        return tree.Output(opening.start, self.token.end, value)

    # Statements

    def _statement(self, opening: Token) -> Body:
        """Read a tag and what belongs to it."""
        tag = self.token
        name = tag.value
        if name not in TAGS:
            self._refuse_tag(tag)
            return ()
        self.keyword()
        match name:
            case "raw" | "verbatim":
                return self._raw(name)
            case "if":
                return (self._if(opening, name),)
            case "for":
                return (self._for(opening, name),)
            case "ifAsync":
                return (tree.Asynchronous(tag.start, tag.end, name, self._if(opening, name)),)
            case "asyncEach" | "asyncAll":
                return (tree.Asynchronous(tag.start, tag.end, name, self._for(opening, name)),)
            case "switch":
                return (self._switch(opening),)
            case "set":
                return (self._set(opening),)
            case "macro":
                return (self._macro(opening, tag),)
            case "call":
                return (self._call_block(opening, tag),)
            case "filter":
                return (self._filter_block(opening),)
            case "block":
                return self._block(opening, tag)
            case "import":
                return (self._import(tag),)
            case "from":
                return (self._from_import(tag),)
            case _:
                return (self._include(tag),)

    def _refuse_tag(self, tag: Token) -> None:
        outer = INNER_TAGS.get(tag.value)
        if outer:
            message = f"`{tag.value}` has no `{{% {outer} %}}` before it"
        else:
            suggestion = nearest(tag.value, (*TAGS, *INNER_TAGS))
            hint = f"; did you mean `{suggestion}`?" if suggestion else ""
            message = f"`{tag.value}` is not a tag of nunjucks{hint}"
        self.refuse(message, tag.start, tag.end)

    def _close(self, tag: str) -> None:
        """Read the end of a tag."""
        if self.token.kind is not Kind.BLOCK_END:
            self.unexpected(f"`%}}` behind `{tag}`")
            return
        if self.token.value.startswith("-"):
            self._drops_space = True
        self.opening = None

    def _close_inner(self) -> None:
        """Read the rest of a tag whose name is next."""
        self._close(self.keyword())

    def _end(self, opening: Token, tag: str, found: str | None) -> None:
        """Read the rest of the tag that ends a block."""
        if found is not None:
            self._close_inner()
        elif not self.is_ended:
            end = TAGS[tag]
            place = self.text.find(tag, opening.start) + len(tag)
            message = f"`{{% {tag} %}}` is not closed; expected `{{% {end} %}}`"
            self.refuse(message, opening.start, place)

    def _raw(self, tag: str) -> Body:
        self._close(tag)
        if self.is_ended:
            return ()
        token = self.tokens.raw(tag)
        if token.kind is Kind.REFUSED:
            self.refuse(token.value, token.start, token.end)
            return ()
        return (tree.Text(token.start, token.end),)

    def _if(self, opening: Token, tag: str) -> Node:
        condition = self.expression()
        self._close(tag)
        ends: tuple[str, ...] = ("elif", "elseif", "else", "endif")
        branches: list[tuple[Node, Body]] = []
        while True:
            body, found = self.body(ends)
            branches.append((condition, body))
            if found not in ("elif", "elseif"):
                break
            self.keyword()
            condition = self.expression()
            self._close(found)
        otherwise: Body = ()
        if found == "else":
            self._close_inner()
            otherwise, found = self.body(("endif",))
        self._end(opening, tag, found)
        return tree.If(*self._place(opening), tuple(branches), otherwise)

    def _place(self, opening: Token) -> tuple[int, int]:
        return opening.start, self.token.end

    def _for(self, opening: Token, tag: str) -> Node:
        names = self._names("a name for the items")
        self.expect_word("in")
        items = self.expression()
        self._close(tag)
        end = str(TAGS[tag])
        body, found = self.body((end, "else"))
        otherwise: Body = ()
        if found == "else":
            self._close_inner()
            otherwise, found = self.body((end,))
        self._end(opening, tag, found)
        return tree.For(*self._place(opening), names, items, body, otherwise)

    def _names(self, expected: str) -> tuple[str, ...]:
        """Read names with commas between them."""
        names = [self.name(expected)]
        while self.skip(","):
            names.append(self.name(expected))
        return tuple(name for name in names if name is not None)

    def _switch(self, opening: Token) -> Node:
        value = self.expression()
        self._close("switch")
        ends = ("case", "default", "endswitch")
        failure = self.fails_later
        dropped, found = self.body(ends)
        self.fails_later = failure
        has_case = found == "case"
        cases: list[tuple[Node, Body]] = []
        # What stands where the first case should is read as the value of one.
        while found == "case" or (found is not None and not cases):
            if found == "case":
                self.keyword()
            condition = self.expression()
            self._close("case")
            body, found = self.body(ends)
            cases.append((condition, body))
        default: Body = ()
        if found == "default":
            self._close_inner()
            default, found = self.body(("endswitch",))
        self._end(opening, "switch", found)
        place = self._place(opening)
        return tree.Switch(*place, value, dropped, has_case, tuple(cases), default)

    def _set(self, opening: Token) -> Node:
        names = self._names("a name")
        value: Node
        if self.skip("="):
            value = self.expression()
            self._close("set")
        elif self.token.kind is Kind.BLOCK_END:
            # nunjucks ignores a `-` at the end of this tag.
            start = self.token.start
            self.opening = None
            body, found = self.body(("endset",))
            self._end(opening, "set", found)
            value = tree.Capture(start, self.token.end, body)
        else:
            self.unexpected("`=` or `%}`")
            value = tree.Missing(self.token.start, self.token.start)
        return tree.Set(*self._place(opening), names, value)

    def _parameters(self) -> tuple[tree.Parameter, ...]:
        """Read the parameters of a macro behind `(`."""
        found: list[tree.Parameter] = []
        while not self.skip(")"):
            if self.is_ended or (found and not self.expect(",")):
                break
            token = self.token
            name = self.name("the name of a parameter")
            if name is None:
                break
            default = self.expression() if self.skip("=") else None
            found.append(tree.Parameter(token.start, token.end, name, default))
        return tuple(found)

    def _macro(self, opening: Token, tag: Token) -> Node:
        name = self.name("a name") or ""
        parameters: tuple[tree.Parameter, ...] = ()
        if self.expect("("):
            parameters = self._parameters()
        self._close("macro")
        body, found = self.body(("endmacro",))
        self._end(opening, "macro", found)
        return tree.Macro(tag.start, tag.end, name, parameters, body)

    def _call_block(self, opening: Token, tag: Token) -> Node:
        parameters = self._parameters() if self.skip("(") else ()
        call = self.primary()
        if not isinstance(call, tree.Call):
            self.unexpected("the call of a macro")
        self._close("call")
        body, found = self.body(("endcall",))
        self._end(opening, "call", found)
        return tree.CallBlock(tag.start, tag.end, parameters, call, body)

    def _filter_block(self, opening: Token) -> Node:
        capture = tree.Capture(opening.start, opening.end, ())
        found = self.filter(capture)
        self._close("filter")
        capture.body, end = self.body(("endfilter",))
        self._end(opening, "filter", end)
        return tree.FilterBlock(*self._place(opening), found)

    def _block(self, opening: Token, tag: Token) -> Body:
        name = self.name("a name")
        if name is None:
            return ()
        if name in self._blocks:
            self.refuse(f"the block `{name}` is defined twice", opening.start, opening.end)
            return ()
        self._blocks.add(name)
        self._close("block")
        body, found = self.body(("endblock",))
        if found is None:
            self._end(opening, "block", None)
        else:
            self.keyword()
            if self.token.kind is Kind.NAME and self.token.value == name:
                self.advance()
            self._close("endblock")
        return (tree.NamedBlock(tag.start, tag.end, name, body),)

    def _import(self, tag: Token) -> Node:
        template = self.expression()
        self.expect_word("as")
        name = self.name("a name")
        self._context()
        self._close("import")
        names = () if name is None else (name,)
        return tree.Include(tag.start, tag.end, tag.value, template, names)

    def _from_import(self, tag: Token) -> Node:
        template = self.expression()
        self.expect_word("import")
        names: list[str] = []
        while True:
            token = self.token
            name = self.name("a name")
            if name is None:
                break
            if name.startswith("_"):
                message = f"`{name}` starts with an underscore, and cannot be imported"
                self.refuse(message, token.start, token.end)
                break
            if self.skip_word("as"):
                name = self.name("a name") or name
            names.append(name)
            self._context()
            if not self.skip(","):
                break
        self._close("from")
        return tree.Include(tag.start, tag.end, tag.value, template, tuple(names))

    def _context(self) -> None:
        if self.skip_word("with") or self.skip_word("without"):
            self.expect_word("context")

    def _include(self, tag: Token) -> Node:
        template = self.expression()
        if tag.value == "include" and self.skip_word("ignore"):
            self.skip_word("missing")
        self._close(tag.value)
        return tree.Include(tag.start, tag.end, tag.value, template, ())
