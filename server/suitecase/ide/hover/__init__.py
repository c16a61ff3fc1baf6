"""What an editor shows at the cursor."""

from suitecase.ide.hover.at_cursor import Around, Hover, hover_at, hover_in_prompt, hover_in_targets
from suitecase.ide.hover.configuration import setting_at
from suitecase.ide.hover.prompts import Told

__all__ = [
    "Around",
    "Hover",
    "Told",
    "hover_at",
    "hover_in_prompt",
    "hover_in_targets",
    "setting_at",
]
