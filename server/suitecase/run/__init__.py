"""Running a suite: choosing cases, the worker process that asks and grades, the results."""
