"""Models of what promptfoo reads; their descriptions are what hovers and completions show."""
