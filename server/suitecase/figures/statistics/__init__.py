"""Intervals, tests and estimates for figures of a run; docs/statistics.md says which, and how good.

Nothing here knows of suites or records. Only `resampling` and `permutation` import numpy: they are
imported where a command computes with them, and never by `check` or the language server.
"""
