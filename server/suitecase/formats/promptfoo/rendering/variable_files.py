"""Reads the values of variables from files: `file://` references."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import (
    NeedsScriptError,
    TemplateError,
    UnsupportedTemplateError,
)
from suitecase.formats.promptfoo.rendering.json_text import write_json
from suitecase.formats.promptfoo.rendering.values import UNDEFINED, to_javascript
from suitecase.formats.promptfoo.rendering.yaml_text import read_yaml
from suitecase.formats.promptfoo.templates.javascript import strip

FILE_SCHEME = "file://"
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
        media_type = next((it for start, it in _SIGNATURES if content.startswith(start)), None)
        media_type = media_type or _IMAGES[suffix.lower()]
        return f"data:{media_type};base64,{base64.b64encode(content).decode()}"
    if suffix.lower() in _MEDIA:
        return base64.b64encode(content).decode()
    return strip(_decode(content))


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "replace")
