"""Clients of the language server, hand-written and recorded; and servers that count or misbehave."""
