"""Answers, scores and records: their types and files."""
