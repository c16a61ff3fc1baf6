"""Hovers at an offset of a configuration or a list of tests, assembled from all sources."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from functools import cache

from suitecase.checking.rules.dispatch import rules_on_dialect
from suitecase.editor.hover import (
    Hover,
    known_of,
    links_to,
    meaning_of,
    meaning_of_key,
    sections,
)
from suitecase.editor.hover.aliases import alias_at
from suitecase.editor.hover.suppressions import rule_at
from suitecase.editor.place import Place, place_in, within
from suitecase.formats.promptfoo.editor.hover.assertions import assertion_text
from suitecase.formats.promptfoo.editor.hover.files import file_text
from suitecase.formats.promptfoo.editor.hover.inherited import inherited_text
from suitecase.formats.promptfoo.editor.hover.prompts import asked_text, prompt_text
from suitecase.formats.promptfoo.editor.hover.providers import provider_text
from suitecase.formats.promptfoo.editor.hover.variables import (
    use_count_text,
    use_text,
    variable_text,
)
from suitecase.formats.promptfoo.editor.names import NAMES
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    bare_reference,
    names_file,
)
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.formats.promptfoo.templates.uses import Use
from suitecase.schema.fields import Field
from suitecase.schema.key_roles import Defines, File, Kind, Role
from suitecase.schema.key_texts import is_named_key, roles_at
from suitecase.text.embedded import embedded
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


def hover_at(whole: Whole, offset: int, environ: MappingOf[str, str]) -> Hover | None:
    """Return the hover at an offset of a file; None if there is none."""
    file = whole.file
    rule_or_alias = rule_at(file.document, offset) or alias_at(file.document, offset)
    if rule_or_alias is not None:
        return Hover(*rule_or_alias)
    key = file.document.list_key
    if key is not None and whole.root is not None:
        span = file.document.head.absolute(key.span)
        if span.start <= offset <= span.end:
            return Hover(span, _tests_text(whole, whole.root))
    place = _place_at(whole, offset)
    if place is None:
        return None
    found = _use_at(whole, place, offset)
    if found is not None:
        use, span = found
        of_grader = FieldRole.PROMPT in roles_at(place.model, place.root, place.path)
        own = _own_value(whole, place, use.name)
        return Hover(span, use_text(use, whole, own, environ, of_grader=of_grader))
    return sections(place.span, _texts(whole, place, environ))


def _place_at(whole: Whole, offset: int) -> Place | None:
    file = whole.file
    number = file.document.case_at(offset)
    if number is not None:
        test, piece = file.tests[number], file.document.cases[number]
        if test.node is not None:
            model = file.reading.model_of(test.node)
            return place_in(number, model, test.node, piece, offset)
        node = piece.node
        if isinstance(node, Scalar) and node.start <= within(piece, offset) <= node.end:
            root = Mapping(node.start, node.end, {}, flow=True)
            span = piece.absolute(node.span)
            return Place(number, file.reading.suite, root, ("tests",), node, None, False, span)
        return None
    return place_in(None, file.reading.suite, whole.root, file.document.head, offset)


def _texts(whole: Whole, place: Place, environ: MappingOf[str, str]) -> Iterator[str | None]:
    of_value = roles_at(place.model, place.root, place.path)
    of_key = roles_at(place.model, place.root, place.path, of_key=True)
    yield assertion_text(place, of_value, whole.file.reading)
    if place.on_key:
        yield from _of_key(whole, place, of_key, of_value, environ)
    elif isinstance(place.value, Scalar):
        if place.field is not None and place.field.words and FieldRole.GRADER_TYPE not in of_value:
            yield meaning_of(place.field)
        if FieldRole.TARGET in of_value:
            yield provider_text(place.value.text, whole, environ)
        of_prompt, reference = _of_prompt(whole, place), _reference(place, of_value)
        if reference is not None and of_prompt is None:
            yield file_text(reference, whole.folder)
        yield of_prompt
    if place.case is not None:
        has_variables = Defines(Kind.TEST_VARIABLE) in roles_at(
            place.model, place.root, (*place.path, ""), of_key=True
        )
        if Defines(Kind.TEST) in of_value or (has_variables and place.on_key):
            yield asked_text(whole, place.case)


def _of_key(
    whole: Whole,
    place: Place,
    of_key: tuple[Role, ...],
    of_value: tuple[Role, ...],
    environ: MappingOf[str, str],
) -> Iterator[str | None]:
    """Yield what is known of a key: what its role knows, its meaning, and what it inherits."""
    name = str(place.path[-1])
    if Defines(Kind.TEST_VARIABLE) in of_key:
        used = use_count_text(name, whole)
        text = variable_text(name, whole)
        yield f"{text}\n\n{used}" if used else text
    if FieldRole.TARGET in of_key:
        yield provider_text(name, whole, environ)
    of_items = roles_at(place.model, place.root, (*place.path, 0))
    known = known_of((*of_value, *of_items), lambda kind: _names(whole, kind))
    if place.field is not None or is_named_key(place.model, place.root, place.path):
        text = meaning_of_key(name, place.field, known)
        yield text + _rules_on(type(whole.file), name) if text else None
    if place.case is not None and len(place.path) == 1:
        yield inherited_text(name, whole, place.case)


def _names(whole: Whole, kind: Kind) -> Iterator[str]:
    """Yield the names of a kind that the configuration around a place defines."""
    file = whole.linked.file if whole.linked is not None else whole.file
    for part in NAMES.parts(file):
        for found in part.occurrences:
            if found.kind is kind and found.defines and "://" not in found.name:
                yield found.name


@cache
def _rules_on(kind: type, key: str) -> str:
    """Return links to the rules that check a key."""
    return links_to([rule for rule in rules_on_dialect(kind) if key in rule.keys])


def _tests_text(whole: Whole, root: Mapping) -> str:
    suite = whole.file.reading.suite
    roles = roles_at(suite, root, ("tests", 0))
    known = known_of(roles, lambda kind: _names(whole, kind))
    return meaning_of(Field("tests", suite.model_fields["tests"], suite), known)


def _own_value(whole: Whole, place: Place, name: str) -> Node | None:
    node = whole.file.tests[place.case].node if place.case is not None else None
    variables = node.get("vars") if node is not None else None
    return variables.get(name) if isinstance(variables, Mapping) else None


def _reference(place: Place, roles: tuple[Role, ...]) -> FileReference | None:
    """Return the path at a place: with `file://` anywhere, without where its role says so."""
    value = place.value
    if not isinstance(value, Scalar) or "\n" in value.text:
        return None
    if value.text.startswith(FILE_SCHEME):
        return bare_reference(value.text)
    is_path = any(isinstance(role, File) and names_file(value.text, role) for role in roles)
    return bare_reference(value.text) if is_path and "://" not in value.text else None


def _of_prompt(whole: Whole, place: Place) -> str | None:
    """Return the prompt that an entry of `prompts` stands for; the first if it has several."""
    if place.case is not None:
        return None
    start = place.span.start
    linked = whole.linked
    for prompt in whole.prompts:
        span = linked.head_span(prompt.span) if linked is not None and prompt.written else None
        if span is not None and span.start <= start < max(span.end, span.start + 1):
            return prompt_text(prompt, whole, None)
    return None


def _use_at(whole: Whole, place: Place, offset: int) -> tuple[Use, Span] | None:
    """Return the variable in a template at an offset, and where it stands in the document."""
    value = place.value
    if place.on_key or not isinstance(value, Scalar) or "{" not in value.text:
        return None
    piece, source = whole.part(place.case)
    inside = within(piece, offset)
    lookup = embedded(value, source)
    for use in read_template(value.text).uses:
        span = lookup.span(use.start, use.end)
        if span.start <= inside <= span.end:
            return use, piece.absolute(span)
    return None
