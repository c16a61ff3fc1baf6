"""What names and files the suites of a workspace are made of, in summaries small enough to keep."""
