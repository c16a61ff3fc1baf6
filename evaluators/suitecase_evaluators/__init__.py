"""Evaluators and targets: how answers are had and graded.

This package stands alone: it knows nothing of YAML, of editors or of files of suites.
"""
