"""Suitecase's own format."""
