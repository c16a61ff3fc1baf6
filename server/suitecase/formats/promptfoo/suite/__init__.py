"""What promptfoo reads of a configuration: models, prompts, providers, tests and their files."""
