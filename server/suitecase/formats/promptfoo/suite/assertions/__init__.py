"""The types of assertions, and the JSON Schemas that they take."""
