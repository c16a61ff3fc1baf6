"""The output formats: a module for each, in `check/` for findings and in `run/` for results."""
