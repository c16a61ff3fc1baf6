"""Servers on the loopback interface: models, collectors of spans, an index of packages, and hostile ones."""
