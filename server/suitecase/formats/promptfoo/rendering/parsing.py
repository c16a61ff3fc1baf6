"""Parses a template as nunjucks 3.2.4 does."""

from __future__ import annotations

import re

from suitecase.formats.promptfoo.rendering import tree
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.expression_reader import MAX_DEPTH, ExpressionReader
from suitecase.formats.promptfoo.rendering.tree import Body, Node
from suitecase.formats.promptfoo.rendering.values import BLANKS, strip
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.formats.promptfoo.templates.tokens import Kind, RefusedError, Token
from suitecase.syntax.recent import recent

_RAW_TAGS = {
    tag: re.compile(rf"\{{%[{BLANKS}]*({tag}|end{tag})[{BLANKS}]*%\}}")
    for tag in ("raw", "verbatim")
}


@recent(most=512)
def parse(text: str) -> Body:
    """Return the tree of a template.

    Raises:
        TemplateError: nunjucks refuses it, or a part of it is not supported.
    """
    for problem in read_template(text).problems:
        raise TemplateError(problem.message, problem.start)
    try:
        body, _ = _Parser(text).body(())
    except RefusedError as error:
        raise TemplateError(error.message, error.start) from None
    except RecursionError:
        raise UnsupportedTemplateError("the template is nested too deeply") from None
    return body


class _Parser(ExpressionReader):
    """Parses one template that nunjucks accepts."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        #: The last tag ended with `-`, so the white space after it is dropped.
        self._drops_space = False

    def body(self, ends: tuple[str, ...]) -> tuple[Body, str | None]:
        """Parse up to one of the end tags; return the nodes and the name of the tag."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.unsupported("the template is nested too deeply", self.tokens.place)
        found: list[Node] = []
        end = None
        while token := self.take():
            match token.kind:
                case Kind.TEXT:
                    found.append(tree.Text(token.start, self._kept(token)))
                case Kind.COMMENT:
                    self._drops_space = self.text[token.end - 3] == "-"
                case Kind.VARIABLE_START:
                    value = self.expression()
                    close = self.take()
                    self._drops_space = close is not None and close.value.startswith("-")
                    found.append(tree.Output(token.start, value))
                case Kind.BLOCK_START:
                    self._drops_space = False
                    name = self.next_token()
                    if name.value in ends:
                        end = name.value
                        break
                    found.append(self._statement(token, name))
                case _:
                    raise self.unexpected(token, "text or a tag")
        self.depth -= 1
        return tuple(found), end

    def _kept(self, token: Token) -> str:
        """Return the text of a token without the white space that tags around it drop."""
        text = self.text[token.start : token.end]
        if self._drops_space:
            text = strip(text, end=False)
            self._drops_space = False
        if self.text.startswith("-", token.end + 2) and token.end < len(self.text):
            text = strip(text, start=False)
        return text

    # Statements

    def _statement(self, opening: Token, tag: Token) -> Node:
        start = opening.start
        match tag.value:
            case "if":
                return self._if(start)
            case "for":
                return self._for(start)
            case "set":
                return self._set(start)
            case "switch":
                return self._switch(start)
            case "filter":
                return self._filter_block(start)
            case "raw" | "verbatim":
                return self._raw(start, tag.value)
            case name:
                raise self.unsupported(f"`{{% {name} %}}` is not supported", tag.start)

    def _close(self) -> None:
        token = self.take()
        if token is None or token.kind is not Kind.BLOCK_END:
            raise self.unexpected(token, "`%}`")
        if token.value.startswith("-"):
            self._drops_space = True

    def _if(self, start: int) -> Node:
        condition = self.expression()
        self._close()
        body, end = self.body(("elif", "elseif", "else", "endif"))
        otherwise: Body = ()
        match end:
            case "elif" | "elseif":
                otherwise = (self._if(self.last.start),)
            case "else":
                self._close()
                otherwise, _ = self.body(("endif",))
                self._close()
            case _:
                self._close()
        return tree.If(start, condition, body, otherwise)

    def _for(self, start: int) -> Node:
        names = [self.name()]
        while self.skip(","):
            names.append(self.name())
        self.expect_word("in")
        items = self.expression()
        self._close()
        body, end = self.body(("endfor", "else"))
        otherwise: Body = ()
        if end == "else":
            self._close()
            otherwise, _ = self.body(("endfor",))
        self._close()
        return tree.For(start, tuple(names), items, body, otherwise)

    def _set(self, start: int) -> Node:
        names = [self.name()]
        while self.skip(","):
            names.append(self.name())
        value: Node
        if self.skip("="):
            value = self.expression()
            self._close()
        else:
            token = self.next_token()
            # nunjucks ignores a `-` at the end of this tag.
            body, _ = self.body(("endset",))
            self._close()
            value = tree.Capture(token.start, body)
        return tree.Set(start, tuple(names), value)

    def _switch(self, start: int) -> Node:
        value = self.expression()
        self._close()
        ends = ("case", "default", "endswitch")
        _, end = self.body(ends)
        cases: list[tuple[Node, Body]] = []
        default: Body = ()
        if end != "case":
            raise self.unsupported("`switch` without a `case` is not supported", start)
        while end == "case":
            condition = self.expression()
            self._close()
            body, end = self.body(ends)
            cases.append((condition, body))
        self._close()
        if end == "default":
            default, _ = self.body(("endswitch",))
            self._close()
        return tree.Switch(start, value, tuple(cases), default)

    def _filter_block(self, start: int) -> Node:
        name = self.filter_name()
        arguments, named = self.arguments() if self.skip("(") else ((), ())
        self._close()
        body, _ = self.body(("endfilter",))
        self._close()
        capture = tree.Capture(start, body)
        return tree.Output(start, tree.Filter(name.start, name.value, (capture, *arguments), named))

    def _raw(self, start: int, tag: str) -> Node:
        self._close()
        place = end = self.tokens.place
        level = 1
        while level and (found := _RAW_TAGS[tag].search(self.text, self.tokens.place)):
            level += 1 if found[1] == tag else -1
            end = found.end() if level else found.start()
            self.tokens.place = found.end()
        return tree.Text(start, self.text[place:end])
