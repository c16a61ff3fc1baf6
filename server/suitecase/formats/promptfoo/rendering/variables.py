"""Computes the values of variables before prompts are filled in."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import (
    NeedsScriptError,
    TemplateError,
    UnsupportedTemplateError,
)
from suitecase.formats.promptfoo.rendering.json_text import write_json
from suitecase.formats.promptfoo.rendering.members import replace_first
from suitecase.formats.promptfoo.rendering.render import refuse_composed, render_text
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    Undefined,
    to_javascript,
    to_string,
)
from suitecase.formats.promptfoo.rendering.yaml_text import read_yaml
from suitecase.formats.promptfoo.templates.javascript import BLANKS, strip
from suitecase.formats.promptfoo.templates.names import ENVIRONMENT
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: A reference to another variable in the value of one.
REFERENCE = re.compile(rf"\{{\{{[{BLANKS}]*([A-Za-z0-9_]+)[{BLANKS}]*\}}\}}")
#: promptfoo fills in the first variable in each value this many times.
_ROUNDS = 5
_ENVIRONMENT = re.compile(r"env\.([A-Za-z0-9_]+)|env\[['\"]([^'\"]+)['\"]\]")
_USES_ENVIRONMENT = re.compile(r"\benv\.|env\[", re.ASCII)


def rendered_variables(
    variables: Mapping[str, Any],
    environment: Mapping[str, str],
    read_file: Callable[[str], bytes],
) -> dict[str, Any]:
    """Return the variables of a row as prompts and assertions see them.

    Files are read, and variables that other variables refer to are filled in. Other parts of
    templates are filled in with the prompt, unless the prompt is JSON.

    Args:
        variables: the variables as written in the configuration.
        environment: the value of `env` in file names.
        read_file: returns the content of the file at a path, as the reference spells it.

    Raises:
        NeedsScriptError: a script computes the value of a variable.
        TemplateError: a file cannot be read, or a value cannot be filled in.
    """
    found: dict[str, Any] = {}
    for name, value in variables.items():
        read = value
        if isinstance(value, str) and value.startswith(FILE_SCHEME):
            read = value_in_file(render_text(value, {}, environment), read_file)
        elif isinstance(value, str) and value.startswith(PACKAGE_SCHEME):
            raise NeedsScriptError(value)
        if isinstance(read, Undefined):
            continue
        found[name] = read.removesuffix("\n") if isinstance(read, str) else read
    return resolved_variables(found)


def resolved_variables(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return variables with those that their values refer to: the first in each value, `_ROUNDS` times.

    Raises:
        ComposedEnvironmentError: a value names a variable of the environment that none of those did that
            it was made of.
        UnsupportedTemplateError: a value becomes too long.
    """
    budget = Budget()
    variables = dict(written)
    #: By variable, the variables that its value was made of.
    parts = {name: {name} for name in variables}
    for _ in range(_ROUNDS):
        changed = False
        for name, value in variables.items():
            match = REFERENCE.search(value) if isinstance(value, str) else None
            if match is None or match[1] not in variables:
                continue
            # Like `String.replace`, this replaces the first occurrence of the placeholder.
            replacement = to_javascript(variables[match[1]])
            if isinstance(replacement, list):
                budget.spend_on(replacement)
            try:
                variables[name] = replace_first(value, match[0], to_string(replacement), budget)
            except UnsupportedTemplateError:
                message = f"the variable `{name}` becomes too long"
                raise UnsupportedTemplateError(message) from None
            parts[name] |= parts[match[1]]
            changed = True
        if not changed:
            break
    if ENVIRONMENT in variables:
        return variables
    for name, value in variables.items():
        if len(parts[name]) > 1 and isinstance(value, str):
            refuse_composed(value, (written[part] for part in parts[name]))
    return variables


def render_environment(value: Any, environment: Mapping[str, str]) -> Any:
    """Return a value with `{{ env.NAME }}` filled in, as promptfoo does in a whole configuration.

    Other templates stay as they are, and so does an unknown NAME without a filter.

    Raises:
        ComposedEnvironmentError: what is filled in names a variable that the value did not.
    """
    budget = Budget()

    def rendered(value: Any) -> Any:
        match value:
            case str():
                filled = "".join(_environment_parts(value, environment, budget))
                # A value of the environment may be a part of a template, too.
                if filled != value:
                    refuse_composed(filled, (value,))
                return filled
            case list():
                return [rendered(it) for it in value]
            case dict():
                return {
                    key: it if key == "_conversation" else rendered(it) for key, it in value.items()
                }
            case _:
                return value

    return rendered(value)


def _environment_parts(text: str, environment: Mapping[str, str], budget: Budget) -> Iterator[str]:
    """Yield the parts of a string: the code in double braces filled in, and what is around it."""
    place = 0
    while (start := text.find("{{", place)) >= 0 and (end := text.find("}}", start + 2)) >= 0:
        yield text[place:start]
        place = end + 2
        yield _environment_code(text[start:place], environment, budget)
    yield text[place:]


def _environment_code(code: str, environment: Mapping[str, str], budget: Budget) -> str:
    if not _USES_ENVIRONMENT.search(code):
        return code
    match = _ENVIRONMENT.search(code)
    is_known = match is not None and (match[1] or match[2]) in environment
    if "|" not in code and not is_known:
        return code
    try:
        return render_text(code, {}, environment, budget)
    except UnsupportedTemplateError:
        raise
    except TemplateError:
        return code


PACKAGE_SCHEME = "package:"
_SCRIPTS = frozenset((".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"))
_IMAGES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
    ".svg": "image/svg+xml",
}
#: The first bytes of image formats, which take precedence over the suffix of the file name.
_SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"RIFF", "image/webp"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)
_MEDIA_WORDS = """
    .mp4 .webm .ogg .mov .avi .wmv .mkv .m4v .wav .mp3 .aac .m4a .flac .wma .aiff .opus
"""
_MEDIA = frozenset(_MEDIA_WORDS.split())


def value_in_file(reference: str, read_file: Callable[[str], bytes]) -> Any:
    """Return the content of a file as the value of a variable; `undefined` for empty YAML.

    Args:
        reference: the variable's value, `file://PATH`.
        read_file: returns the content of the file at a path, as the reference spells it.

    Raises:
        NeedsScriptError: the file is a script, which computes the value.
        TemplateError: the file cannot be read.
    """
    path = reference.removeprefix(FILE_SCHEME)
    suffix = PurePosixPath(path.replace("\\", "/")).suffix
    if suffix == ".py" or suffix.lower() in _SCRIPTS:
        raise NeedsScriptError(reference)
    if suffix == ".pdf":
        raise UnsupportedTemplateError(f"`{reference}` is a PDF, which is not supported")
    try:
        content = read_file(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise TemplateError(f"`{reference}` cannot be read: {reason or error}") from None
    if suffix in (".yaml", ".yml"):
        tree = read_yaml(_decode(content), reference)
        return UNDEFINED if tree is UNDEFINED else write_json(to_javascript(tree))
    if suffix.lower() in _IMAGES:
        media_type = next((kind for start, kind in _SIGNATURES if content.startswith(start)), None)
        media_type = media_type or _IMAGES[suffix.lower()]
        return f"data:{media_type};base64,{base64.b64encode(content).decode()}"
    if suffix.lower() in _MEDIA:
        return base64.b64encode(content).decode()
    return strip(_decode(content))


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "replace")
