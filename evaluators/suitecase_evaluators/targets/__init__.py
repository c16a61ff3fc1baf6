"""Targets: who is asked for answers, and who judges them."""
