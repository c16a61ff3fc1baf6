"""The assertions of promptfoo as evaluators, with its verdicts and its scores."""
