"""Suitecase: a checker, a language server and a runner for LLM evaluation suites in YAML."""

__version__ = "0.1.0"
