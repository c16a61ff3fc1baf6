"""Types of assertions that the text of an answer decides, or code."""

from __future__ import annotations

from typing import Final

from suitecase.formats.promptfoo.suite.assertions.assertion_type import (
    ANY,
    TEXT,
    TEXTS,
    AssertionType,
    Scale,
    score,
)

ON_TEXT: Final = (
    # Text
    AssertionType(
        name="equals",
        description="The whole answer is this text, exactly. A mapping or a list is compared with the "
        "answer read as JSON.",
        values=ANY,
        value_required=True,
        example="{type: equals, value: Paris}",
    ),
    AssertionType(
        name="contains",
        description="The answer contains this text; upper and lower case differ.",
        values=("text", "number"),
        value_required=True,
        example="{type: contains, value: Paris}",
    ),
    AssertionType(
        name="icontains",
        description="The answer contains this text, in upper or lower case.",
        values=("text", "number"),
        value_required=True,
        example="{type: icontains, value: paris}",
    ),
    AssertionType(
        name="contains-any",
        description="The answer contains at least one of these texts.",
        values=TEXTS,
        value_required=True,
        example="{type: contains-any, value: [Paris, Lyon]}",
    ),
    AssertionType(
        name="icontains-any",
        description="The answer contains at least one of these texts, in upper or lower case.",
        values=TEXTS,
        value_required=True,
        example="{type: icontains-any, value: [paris, lyon]}",
    ),
    AssertionType(
        name="contains-all",
        description="The answer contains all of these texts.",
        values=TEXTS,
        value_required=True,
        example="{type: contains-all, value: [Paris, France]}",
    ),
    AssertionType(
        name="icontains-all",
        description="The answer contains all of these texts, in upper or lower case.",
        values=TEXTS,
        value_required=True,
        example="{type: icontains-all, value: [paris, france]}",
    ),
    AssertionType(
        name="starts-with",
        description="The answer starts with this text.",
        values=TEXT,
        value_required=True,
        example="{type: starts-with, value: 'Dear '}",
    ),
    AssertionType(
        name="regex",
        description="A regular expression, in the syntax of JavaScript, matches somewhere in the answer. "
        "It is written without slashes and flags.",
        values=TEXT,
        value_required=True,
        example=r"{type: regex, value: '\d{4}-\d{2}-\d{2}'}",
    ),
    AssertionType(
        name="word-count",
        description="The answer has this number of words, or one between `min` and `max`.",
        values=("number", "mapping", "text"),
        value_required=True,
        example="{type: word-count, value: {max: 50}}",
    ),
    AssertionType(
        name="levenshtein",
        description="The edit distance to this text is at most `threshold`.",
        values=TEXT,
        value_required=True,
        threshold=Scale(0, None, "edits", default=5, is_limit=True),
        example="{type: levenshtein, value: Paris, threshold: 2}",
    ),
    AssertionType(
        name="is-json",
        description="The whole answer is JSON; with a `value`, it matches this JSON Schema.",
        values=("mapping", "text"),
        example="{type: is-json, value: {type: object, required: [city]}}",
    ),
    AssertionType(
        name="contains-json",
        description="The answer contains JSON; with a `value`, it matches this JSON Schema.",
        values=("mapping", "text"),
        example="{type: contains-json, value: {type: object, required: [city]}}",
    ),
    AssertionType(
        name="is-xml",
        description="The whole answer is XML; with a `value`, it has these elements.",
        values=("text", "list", "mapping"),
        example="{type: is-xml, value: [answer.city]}",
    ),
    AssertionType(
        name="contains-xml",
        description="The answer contains XML; with a `value`, it has these elements.",
        values=("text", "list", "mapping"),
        example="{type: contains-xml, value: [answer.city]}",
    ),
    AssertionType(
        name="is-html",
        description="The whole answer is HTML.",
        example="{type: is-html}",
    ),
    AssertionType(
        name="contains-html",
        description="The answer contains HTML.",
        example="{type: contains-html}",
    ),
    AssertionType(
        name="is-sql",
        description="The answer is SQL; a `value` names the database, and the tables and columns that are "
        "allowed.",
        values=("mapping",),
        example="{type: is-sql, value: {databaseType: PostgreSQL}}",
    ),
    AssertionType(
        name="contains-sql",
        description="The answer is SQL, or has a block of it; a `value` names the database, and the tables "
        "and columns that are allowed.",
        values=("mapping",),
        example="{type: contains-sql, value: {databaseType: MySQL}}",
    ),
    AssertionType(
        name="is-refusal",
        description="The answer refuses: it is empty, or has one of the usual phrases.",
        example="{type: is-refusal}",
    ),
    AssertionType(
        name="bleu",
        description="The BLEU score of the answer, against one or more reference texts.",
        values=TEXTS,
        value_required=True,
        threshold=score(0.5),
        example="{type: bleu, value: The cat sat on the mat., threshold: 0.6}",
    ),
    AssertionType(
        name="gleu",
        description="The GLEU score of the answer, against one or more reference texts.",
        values=TEXTS,
        value_required=True,
        threshold=score(0.5),
        example="{type: gleu, value: The cat sat on the mat., threshold: 0.6}",
    ),
    AssertionType(
        name="rouge-n",
        description="The ROUGE-N score of the answer, against a reference text.",
        values=TEXT,
        value_required=True,
        threshold=score(0.75),
        example="{type: rouge-n, value: The cat sat on the mat., threshold: 0.6}",
    ),
    AssertionType(
        name="meteor",
        description="The METEOR score of the answer, against one or more reference texts. Needs the "
        "package `natural`.",
        values=TEXTS,
        value_required=True,
        threshold=score(0.5),
        example="{type: meteor, value: The cat sat on the mat., threshold: 0.6}",
    ),
    # Code
    AssertionType(
        name="javascript",
        description="JavaScript decides: an expression over `output` and `context`, several lines with "
        "`return`, or a `file://` path of a function. It returns true or false, a score, or "
        "`{pass, score, reason}`.",
        values=TEXT,
        value_required=True,
        threshold=Scale(None, None, "score that the code returns"),
        graded_by="code",
        example="{type: javascript, value: output.length < 200}",
    ),
    AssertionType(
        name="python",
        description="Python decides: an expression over `output` and `context`, several lines with "
        "`return`, or a `file://` path of a script with `get_assert`. It returns true or false, a "
        "score, or a dictionary with `pass`, `score` and `reason`.",
        values=TEXT,
        value_required=True,
        threshold=Scale(None, None, "score that the code returns"),
        graded_by="code",
        example="{type: python, value: len(output) < 200}",
    ),
    AssertionType(
        name="ruby",
        description="Ruby decides: an expression over `output` and `context`, several lines with `return`, "
        "or a `file://` path of a script with `get_assert`.",
        values=TEXT,
        value_required=True,
        threshold=Scale(None, None, "score that the code returns"),
        graded_by="code",
        example="{type: ruby, value: output.length < 200}",
    ),
    AssertionType(
        name="webhook",
        description="A web service decides: it gets the answer by POST, and returns `pass`, and also "
        "`score` and `reason` if it wants.",
        values=TEXT,
        value_required=True,
        graded_by="code",
        example="{type: webhook, value: 'https://example.com/grade'}",
    ),
)
