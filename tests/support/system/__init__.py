"""Processes and the machine: what is left running, what the system refuses, what a sandbox sees."""
