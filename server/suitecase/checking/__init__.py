"""Checking a file: rules run, their findings selected, filtered and fixed."""
