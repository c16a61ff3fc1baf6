"""Formats of suites: our own, its older forms, and those of other tools, each in a folder.

A folder has the parts of its format: `detect` tells whether a file is of it, `normalize` reads it
as the current one, `rules` report what is left of it, `rewrite` has their fixes. Where a format is
one to convert to or from, `read` and `write` do that. Nothing outside a format's folder asks which
one a suite is of.
"""
