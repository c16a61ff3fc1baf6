"""The language of gates and metrics: its grammar, and what its names stand for."""
