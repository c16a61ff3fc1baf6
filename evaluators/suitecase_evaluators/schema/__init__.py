"""JSON Schemas: their keywords, what is wrong with one, and values validated by one."""
