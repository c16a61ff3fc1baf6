"""Text to a positioned tree, one case at a time. Never raises on a user's text.

Positions are offsets in code points. Only `lines` turns them into lines and columns.
"""
