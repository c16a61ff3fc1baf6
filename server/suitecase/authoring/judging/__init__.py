"""Judges against people: calibrating and probing them."""
