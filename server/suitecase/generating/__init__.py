"""Parts of a suite proposed by a model, and written where they belong.

Asking costs money, so it happens only where a person asks for it by name.
"""
