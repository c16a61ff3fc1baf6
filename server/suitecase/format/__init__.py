"""What a format of suites is, and how files of a workspace are found and read."""
