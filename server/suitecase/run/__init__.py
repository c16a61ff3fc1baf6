"""Running a suite: choosing cases, calling targets and grading in a worker process, results."""
