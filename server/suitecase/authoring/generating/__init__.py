"""Generating parts of a suite with a model, and inserting them.

Calls cost money, so this only happens on an explicit request.
"""
