"""Fills in templates as promptfoo does, or refuses those that it cannot fill in the same way."""
