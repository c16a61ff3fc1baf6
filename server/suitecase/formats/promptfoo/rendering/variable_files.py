"""Values of variables that stand in files: `file://` references."""

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
from suitecase.formats.promptfoo.rendering.values import UNDEFINED, imported, stripped
from suitecase.formats.promptfoo.rendering.yaml_text import read_yaml

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
#: How the content of an image starts, which counts for more than the ending of its name.
_STARTS = (
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
_SOUND_AND_FILM = """
    .mp4 .webm .ogg .mov .avi .wmv .mkv .m4v .wav .mp3 .aac .m4a .flac .wma .aiff .opus
"""
_SOUNDS_AND_FILMS = frozenset(_SOUND_AND_FILM.split())


def value_in_file(reference: str, read_file: Callable[[str], bytes]) -> Any:
    """Return the value that a file gives a variable: a text, or `undefined` for empty YAML.

    Args:
        reference: the variable's value, `file://PATH`.
        read_file: returns the content of the file at a path, as it is written.

    Raises:
        NeedsScriptError: a script gives the value.
        TemplateError: the file cannot be read.
    """
    path = reference.removeprefix(FILE_SCHEME)
    suffix = PurePosixPath(path.replace("\\", "/")).suffix
    if suffix == ".py" or suffix.lower() in _SCRIPTS:
        raise NeedsScriptError(reference)
    if suffix == ".pdf":
        raise UnsupportedTemplateError(f"`{reference}` is a PDF, whose text is not read")
    try:
        content = read_file(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise TemplateError(f"`{reference}` cannot be read: {reason or error}") from None
    if suffix in (".yaml", ".yml"):
        tree = read_yaml(_decoded(content), reference)
        return UNDEFINED if tree is UNDEFINED else write_json(imported(tree))
    if suffix.lower() in _IMAGES:
        kind = next((it for start, it in _STARTS if content.startswith(start)), None)
        kind = kind or _IMAGES[suffix.lower()]
        return f"data:{kind};base64,{base64.b64encode(content).decode()}"
    if suffix.lower() in _SOUNDS_AND_FILMS:
        return base64.b64encode(content).decode()
    return stripped(_decoded(content))


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "replace")
