"""Hovers at an offset of a configuration or a list of tests, assembled from all sources."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from functools import cache

from suitecase.checking.rules.dispatch import rules_on_dialect
from suitecase.editor.hover import Hover, sections
from suitecase.editor.hover.aliases import alias_at
from suitecase.editor.hover.keys import links_to, meaning_of
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
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.models.configuration import Configuration
from suitecase.formats.promptfoo.suite.prompts.paths import FILE_SCHEME
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    bare_reference,
    names_file,
)
from suitecase.formats.promptfoo.suite.references.key_files import file_role_at
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.formats.promptfoo.templates.uses import Use
from suitecase.schema.fields import Field
from suitecase.text.embedded import embedded
from suitecase.text.node import Mapping, Node, Scalar, Span

_PROVIDERS = frozenset({"providers", "targets"})


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
            return Hover(span, _tests_text(whole))
    place = _place_at(whole, offset)
    if place is None:
        return None
    found = _use_at(whole, place, offset)
    if found is not None:
        use, span = found
        of_grader = "rubricPrompt" in place.path or "rubric_prompt" in place.path
        own = _own_value(whole, place, use.name)
        return Hover(span, use_text(use, whole, own, environ, of_grader=of_grader))
    return sections(place.span, _texts(whole, place, environ))


def _place_at(whole: Whole, offset: int) -> Place | None:
    file = whole.file
    number = file.document.case_at(offset)
    if number is not None:
        test, piece = file.tests[number], file.document.cases[number]
        if test.node is not None:
            return place_in(number, file.reading.test, test.node, piece, offset)
        node = piece.node
        if isinstance(node, Scalar) and node.start <= within(piece, offset) <= node.end:
            root = Mapping(node.start, node.end, {}, flow=True)
            span = piece.absolute(node.span)
            return Place(number, file.reading.test, root, ("tests",), node, None, False, span)
        return None
    return place_in(None, file.reading.head, whole.root, file.document.head, offset)


def _texts(whole: Whole, place: Place, environ: MappingOf[str, str]) -> Iterator[str | None]:
    of_type = assertion_text(place, whole.file.reading)
    yield of_type
    if of_type is None or place.path[-1] != "type":
        yield _of_variable(whole, place)
        yield _meaning(whole, place)
        if place.on_key and place.field is None and _names_provider(place):
            yield provider_text(str(place.path[-1]), whole, environ)
    if not place.on_key and isinstance(place.value, Scalar):
        if _names_provider(place):
            yield provider_text(place.value.text, whole, environ)
        of_prompt, reference = _of_prompt(whole, place), _reference(place, whole)
        if reference is not None and of_prompt is None:
            yield file_text(reference, whole.folder)
        yield of_prompt
    if place.case is not None and len(place.path) == 1:
        name = str(place.path[0])
        if place.on_key:
            yield inherited_text(name, whole, place.case)
        if name == "description" or (name == "vars" and place.on_key):
            yield asked_text(whole, place.case)


def _meaning(whole: Whole, place: Place) -> str | None:
    field = place.field
    if field is None or not (place.on_key or field.words):
        return None
    if not place.on_key:
        return meaning_of(field)
    return meaning_of(field) + _rules_on(type(whole.file), field.name)


@cache
def _rules_on(kind: type, key: str) -> str:
    """Return links to the rules that check a key."""
    return links_to([it for it in rules_on_dialect(kind) if key in it.keys])


def _tests_text(whole: Whole) -> str:
    field = Field("tests", Configuration.model_fields["tests"], Configuration)
    return meaning_of(field)


def _of_variable(whole: Whole, place: Place) -> str | None:
    """Return what is known of the variable whose key is at a place under `vars`."""
    if not place.on_key or len(place.path) < 2 or place.path[-2] != "vars":
        return None
    if place.path[:-1] not in (("vars",), (whole.file.reading.key("defaultTest"), "vars")):
        return None
    name = str(place.path[-1])
    used = use_count_text(name, whole)
    text = variable_text(name, whole)
    return f"{text}\n\n{used}" if used else text


def _own_value(whole: Whole, place: Place, name: str) -> Node | None:
    node = whole.file.tests[place.case].node if place.case is not None else None
    variables = node.get("vars") if node is not None else None
    return variables.get(name) if isinstance(variables, Mapping) else None


def _names_provider(place: Place) -> bool:
    path = place.path
    if path[0] in _PROVIDERS and place.case is None:
        return len(path) <= 2 or path[2:] == ("id",) or (len(path) == 3 and place.on_key)
    is_id = path[-2:] == ("provider", "id")
    return is_id or (path[-1:] == ("provider",) and place.field is not None)


def _reference(place: Place, whole: Whole) -> FileReference | None:
    """Return the path at a place: with `file://` anywhere, as promptfoo reads it without in some places."""
    value = place.value
    if not isinstance(value, Scalar) or "\n" in value.text:
        return None
    if value.text.startswith(FILE_SCHEME):
        return bare_reference(value.text)
    if "://" in value.text:
        return None
    if place.path == ("tests",):
        return bare_reference(value.text)
    reading = whole.file.reading
    in_test = whole.file.tests[place.case].node if place.case is not None else None
    model, root = (reading.head, whole.root) if place.case is None else (reading.test, in_test)
    role = file_role_at(model, root, place.path) if root is not None else None
    is_path = role is not None and names_file(value.text, role)
    return bare_reference(value.text) if is_path else None


def _of_prompt(whole: Whole, place: Place) -> str | None:
    """Return the prompt that an entry of `prompts` stands for; the first if it has several."""
    if place.case is not None or place.path[0] != "prompts":
        return None
    start = place.span.start
    linked = whole.linked
    for it in whole.prompts:
        span = linked.head_span(it.span) if linked is not None and it.written else None
        if span is not None and span.start <= start < max(span.end, span.start + 1):
            return prompt_text(it, whole, None)
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
