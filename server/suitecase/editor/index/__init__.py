"""Summaries of the names and files in the suites of a workspace, small enough to cache."""
