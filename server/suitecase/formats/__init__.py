"""Formats of suites: the current one, older ones, and those of other tools, each in a folder.

A folder has the parts of its format: `detect` tells whether a file is of it, `normalize` rewrites
its trees as those of the current format, `rules` report what was rewritten, and `rewrite` has their
fixes. Where a format is converted to or from, `read` and `write` do that. Nothing outside a
format's folder tests for that one format.
"""
