"""What an editor shows at the cursor."""

from suitecase.ide.hover.at_cursor import Around, Hover, hover_at, hover_in_prompt, hover_in_targets

__all__ = ["Around", "Hover", "hover_at", "hover_in_prompt", "hover_in_targets"]
