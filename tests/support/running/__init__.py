"""Ways to run something. The first of these that shows the matter is the quickest.

- `evaluators`: one evaluator on one answer, without a suite.
- `runs`: a suite, in the test's own process; for what its records and its events say.
- `processes`: a command, as users call it. It runs in the test's own process, and in one of its own where a test
  has the mark `process`, or the option `--as-processes` says so.
- `site`, `commands`: workspaces to write suites into; they run them by `processes`, or by a worker without a command.

The language server has clients of its own, in `support.lsp`. It is forked, too, unless a test names the command:
tests of its start, and those that ask the system about children of this process, do.
"""
