"""Ways to run something: an evaluator, a run, a command; the first that shows the matter is the quickest."""
