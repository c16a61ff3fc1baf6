"""The files, functions and names that a configuration refers to."""
