"""Hovers in files of the promptfoo family."""
