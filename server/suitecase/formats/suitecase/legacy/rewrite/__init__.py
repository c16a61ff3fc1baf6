"""Edits that write legacy syntax in the current format, for the fixes of its rules."""
