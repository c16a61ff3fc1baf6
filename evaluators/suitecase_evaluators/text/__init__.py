"""Texts and JSON, whoever wrote them."""
