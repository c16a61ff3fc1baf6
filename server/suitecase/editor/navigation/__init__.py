"""Definitions, references, links and renaming."""
