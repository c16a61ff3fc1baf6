"""Names that every template of promptfoo may use: filters, tests and globals of nunjucks 3.2.4, and those that promptfoo adds."""

from __future__ import annotations

#: `load` is promptfoo's: it parses JSON.
_FILTERS = """
    abs batch capitalize center d default dictsort dump e escape first float forceescape groupby
    indent int join last length list load lower nl2br random reject rejectattr replace reverse round
    safe select selectattr slice sort string striptags sum title trim truncate upper urlencode urlize
    wordcount
"""
_TESTS = """
    callable defined divisibleby eq equalto escaped even falsy ge greaterthan gt iterable le
    lessthan lower lt mapping ne none null number odd sameas string truthy undefined upper
"""
FILTERS = frozenset(_FILTERS.split())
TESTS = frozenset(_TESTS.split())
#: Filters that give a variable a value where it has none.
DEFAULTS = frozenset(("d", "default"))
#: Functions of nunjucks.
FUNCTIONS = frozenset(("cycler", "joiner", "range"))
#: The environment of the process, and what `env` of the configuration adds.
ENVIRONMENT = "env"
#: What is wrong with a use of it that names no variable.
UNNAMED_ENVIRONMENT = (
    "`env` stands for the whole environment here, secrets included; write each variable that is "
    "needed by its name, as in `env.NAME`"
)
#: What is wrong with a use of it that no text has as it is written.
COMPOSED_ENVIRONMENT = (
    "`{use}` is put together from several texts, so that nobody can see what is sent; write it out "
    "in one of them"
)
#: Block tags, with the tag that ends each of them; None where nothing does.
TAGS: dict[str, str | None] = {
    "asyncAll": "endall",
    "asyncEach": "endeach",
    "block": "endblock",
    "call": "endcall",
    "extends": None,
    "filter": "endfilter",
    "for": "endfor",
    "from": None,
    "if": "endif",
    "ifAsync": "endif",
    "import": None,
    "include": None,
    "macro": "endmacro",
    "raw": "endraw",
    "set": "endset",
    "switch": "endswitch",
    "verbatim": "endverbatim",
}
#: Tags that only stand inside of others, with the one they belong to.
INNER_TAGS: dict[str, str] = {
    "else": "if",
    "elif": "if",
    "elseif": "if",
    "case": "switch",
    "default": "switch",
    **{end: tag for tag, end in TAGS.items() if end and tag != "ifAsync"},
}
