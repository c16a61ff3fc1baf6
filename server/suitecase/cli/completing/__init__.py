"""Completion of command lines in shells.

A TAB must not take longer than it takes to notice. So nothing of the checker or the runner is imported:
commands and their options come from a table that is derived from the code, and files are searched line by
line in place of being parsed. Nothing is executed, and nothing is ever printed but suggestions.
"""
