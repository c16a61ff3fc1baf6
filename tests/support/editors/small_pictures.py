"""PNG files of few bytes, for pages: what is on a screen has few colours."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from pathlib import Path

COLOURS = 192


def write_small(png: bytes, path: Path) -> None:
    """Write a picture with a palette of its own."""
    # Pillow is in an environment that type checkers do not know.
    image = import_module("PIL.Image")
    shown = image.open(BytesIO(png)).convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    shown.quantize(COLOURS, dither=image.Dither.NONE).save(path, optimize=True)
