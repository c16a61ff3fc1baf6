"""Suites and targets to try things on, and the changes that tests make to them."""
