"""The characters that are shown as nothing, by ranges of Unicode 16."""

from __future__ import annotations

from typing import Final

#: Characters with the property Default_Ignorable_Code_Point, those that are not assigned among them:
#: of zero width, of direction, joiners, selectors of variants, tags, and blank letters.
_IGNORABLE: Final = (
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
#: Others of the category Cf: of annotations, and of Egyptian hieroglyphs. Those that are left have the
#: property Prepended_Concatenation_Mark, and are seen.
_FORMAT: Final = ((0xFFF9, 0xFFFB), (0x13430, 0x1343F))
_RANGES: Final = (*_IGNORABLE, *_FORMAT)

INVISIBLE: Final = frozenset(
    chr(point) for first, last in _RANGES for point in range(first, last + 1)
)
#: The inside of a character class of regular expressions.
INVISIBLE_CLASS: Final = "".join(f"{chr(first)}-{chr(last)}" for first, last in _RANGES)
