"""Edits of a suite's text that say the same in another way, each as small as it can be."""
