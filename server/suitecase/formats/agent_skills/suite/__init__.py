"""Evals of Agent Skills."""
