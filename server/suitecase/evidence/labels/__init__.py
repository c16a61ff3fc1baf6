"""The labels that people give answers: their files, and what they are about."""
