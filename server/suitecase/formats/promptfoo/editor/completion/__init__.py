"""Completion in files of the promptfoo family."""
