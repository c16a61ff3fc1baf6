"""Reads the statements of a template: what nunjucks would accept, and which variables it looks up.

The grammar is that of nunjucks 3.2.4, which differs from Jinja's; a script of the tests holds the
two against each other. What is written there as code that cannot run is refused here, too.
"""

from __future__ import annotations

import re

from suitecase.formats.promptfoo.templates.expressions import Expressions, TooDeepError
from suitecase.formats.promptfoo.templates.names import INNER_TAGS, TAGS
from suitecase.formats.promptfoo.templates.template import Template, TemplateProblem, Use
from suitecase.formats.promptfoo.templates.tokens import Kind, RefusedError, Token
from suitecase.near_names import nearest

#: A variable in the rest of a text that cannot be read.
_VARIABLE = re.compile(r"\{\{-?[ \t]*([A-Za-z_][A-Za-z0-9_]*)")


class Reader(Expressions):
    """Reads one template."""

    def template(self) -> Template:
        """Return what the text uses, up to the first place that nunjucks refuses.

        Behind that place, whatever looks like a variable counts as one, so that no variable becomes
        unused while a line is being typed.
        """
        problems: tuple[TemplateProblem, ...] = ()
        try:
            self._body(())
        except RefusedError as error:
            problems = (TemplateProblem(error.message, error.start, error.end),)
        except TooDeepError:
            pass
        uses = self.found_uses()
        if problems or not self.is_at_end:
            known = {it.start for it in uses}
            uses += tuple(
                Use(it[1], *it.span(1), is_conditional=True)
                for it in _VARIABLE.finditer(self.text)
                if it.start(1) not in known
            )
        return Template(
            uses,
            problems,
            tuple(self.filters),
            tuple(self.tests),
            tuple(self.keywords),
            self.includes,
        )

    @property
    def is_at_end(self) -> bool:
        return self.tokens.place >= len(self.text)

    def _body(self, ends: tuple[str, ...]) -> str | None:
        """Read text and tags up to one of some tags; return which, None at the end of the text.

        The name of that tag is still to be read.
        """
        while token := self.take():
            match token.kind:
                case Kind.TEXT | Kind.COMMENT:
                    pass
                case Kind.VARIABLE_START:
                    self._variable(token)
                case Kind.BLOCK_START:
                    self.opening = token
                    name = self.peek()
                    if name is None or name.kind is not Kind.NAME:
                        raise self.unexpected(name, "the name of a tag")
                    if name.value in ends:
                        return name.value
                    with self.deeper():
                        self._statement(token, name)
                case _:
                    raise self.unexpected(token, "text or a tag")
        return None

    def _variable(self, opening: Token) -> None:
        self.opening = opening
        self.expression()
        token = self.take()
        if token is None or token.kind is not Kind.VARIABLE_END:
            raise self.unexpected(token, "`}}`")
        self.opening = None

    def _statement(self, opening: Token, tag: Token) -> None:
        self.take()
        name = tag.value
        if name not in TAGS:
            self._refuse_tag(tag)
        self.keyword(tag)
        match name:
            case "raw" | "verbatim":
                self._close(name)
                self.tokens.skip_raw(name)
            case "if" | "ifAsync":
                self._if(opening, name)
            case "for" | "asyncEach" | "asyncAll":
                self._for(opening, name)
            case "switch":
                self._switch(opening)
            case "set":
                self._set(opening)
            case "macro":
                self._macro(opening)
            case "call":
                self._call(opening)
            case "filter":
                self._filter(opening)
            case "block":
                self._block(opening)
            case "import":
                self._import()
            case "from":
                self._from_import()
            case _:
                self._include(name)

    def _refuse_tag(self, tag: Token) -> None:
        outer = INNER_TAGS.get(tag.value)
        if outer:
            message = f"`{tag.value}` has no `{{% {outer} %}}` before it"
        else:
            suggestion = nearest(tag.value, (*TAGS, *INNER_TAGS))
            hint = f"; did you mean `{suggestion}`?" if suggestion else ""
            message = f"`{tag.value}` is not a tag of nunjucks{hint}"
        raise RefusedError(message, tag.start, tag.end)

    def _close(self, tag: str) -> None:
        """Read the end of a tag."""
        token = self.take()
        if token is None or token.kind is not Kind.BLOCK_END:
            raise self.unexpected(token, f"`%}}` behind `{tag}`")
        self.opening = None

    def _end(self, opening: Token, tag: str, found: str | None) -> None:
        """Read the tag that ends a block."""
        if found is None:
            end = TAGS[tag]
            place = self.text.find(tag, opening.start) + len(tag)
            message = f"`{{% {tag} %}}` is not closed; expected `{{% {end} %}}`"
            raise RefusedError(message, opening.start, place)
        token = self.take()
        if token is not None:
            self.keyword(token)
        self._close(found)

    def _if(self, opening: Token, tag: str) -> None:
        with self.conditional():
            self.expression()
        self._close(tag)
        ends: tuple[str, ...] = ("elif", "elseif", "else", "endif")
        while True:
            with self.branch():
                found = self._body(ends)
            if found in (None, "endif"):
                self._end(opening, tag, found)
                return
            word = self.take()
            if word is not None:
                self.keyword(word)
            if found == "else":
                ends = ("endif",)
            else:
                with self.conditional():
                    self.expression()
            self._close(str(found))

    def _for(self, opening: Token, tag: str) -> None:
        names = [self.target("a name for the items")]
        while self.skip(","):
            names.append(self.target("a name for the items"))
        self.expect_word("in")
        self.iterated()
        self._close(tag)
        end = str(TAGS[tag])
        with self.loop([*names, "loop"]):
            found = self._body((end, "else"))
            if found == "else":
                word = self.take()
                if word is not None:
                    self.keyword(word)
                self._close("else")
                found = self._body((end,))
        self._end(opening, tag, found)

    def _switch(self, opening: Token) -> None:
        self.expression()
        self._close("switch")
        ends = ("case", "default", "endswitch")
        found = self._body(ends)
        # What stands where the first case should is read as the value of one.
        is_first = True
        while found == "case" or is_first:
            is_first = False
            word = self.peek()
            if word is None:
                self._end(opening, "switch", None)
            elif word.value == "case" and word.kind is Kind.NAME:
                self.take()
                self.keyword(word)
            self.expression()
            self._close("case")
            with self.branch():
                found = self._body(ends)
        if found == "default":
            word = self.take()
            if word is not None:
                self.keyword(word)
            self._close("default")
            with self.branch():
                found = self._body(("endswitch",))
        self._end(opening, "switch", found)

    def _set(self, opening: Token) -> None:
        names = [self.target("a name")]
        while self.skip(","):
            names.append(self.target("a name"))
        if self.skip("="):
            self.expression()
            self._close("set")
        else:
            token = self.take()
            if token is None or token.kind is not Kind.BLOCK_END:
                raise self.unexpected(token, "`=` or `%}`")
            self.opening = None
            self._end(opening, "set", self._body(("endset",)))
        self.bind(names)

    def _macro(self, opening: Token) -> None:
        name = self.target("a name")
        self.expect("(")
        with self.macro():
            self.bind([*self.parameters(), "caller"])
            self._close("macro")
            found = self._body(("endmacro",))
        self._end(opening, "macro", found)
        self.bind([name])

    def _call(self, opening: Token) -> None:
        token = self.peek()
        with self.loop([]):
            if token and token.kind is Kind.OPERATOR and token.value == "(":
                self.take()
                self.bind(self.parameters())
            names = self.enclosing()
            if not self.primary():
                raise self.unexpected(self.peek(), "the call of a macro")
            self.restore(names)
            self._close("call")
            found = self._body(("endcall",))
        self._end(opening, "call", found)

    def _filter(self, opening: Token) -> None:
        self.filter()
        self._close("filter")
        self._end(opening, "filter", self._body(("endfilter",)))

    def _block(self, opening: Token) -> None:
        name = self.target("a name")
        if name in self.blocks:
            raise RefusedError(f"the block `{name}` is defined twice", opening.start, opening.end)
        self.blocks.add(name)
        self._close("block")
        with self.loop(["super"]):
            found = self._body(("endblock",))
        if found is None:
            self._end(opening, "block", None)
        word = self.take()
        if word is not None:
            self.keyword(word)
        token = self.peek()
        if token and token.kind is Kind.NAME and token.value == name:
            self.take()
        self._close("endblock")

    def _import(self) -> None:
        self.includes = True
        self.expression()
        self.expect_word("as")
        self.bind([self.target("a name")])
        self._context()
        self._close("import")

    def _from_import(self) -> None:
        self.includes = True
        self.expression()
        self.expect_word("import")
        names: list[str] = []
        while True:
            name = self.target("a name")
            if name.startswith("_"):
                token = self.last
                message = f"`{name}` starts with an underscore, and cannot be imported"
                raise RefusedError(message, token.start, token.end)
            names.append(self.target("a name") if self.skip_word("as") else name)
            self._context()
            if not self.skip(","):
                break
        self._close("from")
        self.bind(names)

    def _context(self) -> None:
        if self.skip_word("with") or self.skip_word("without"):
            self.expect_word("context")

    def _include(self, tag: str) -> None:
        self.includes = True
        self.expression()
        if tag == "include" and self.skip_word("ignore"):
            self.skip_word("missing")
        self._close(tag)
