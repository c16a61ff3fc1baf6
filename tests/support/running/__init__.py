"""Ways to run something. The first of these that shows the matter is the quickest.

- `evaluators`: one evaluator on one answer, without a suite.
- `runs`: a suite, in the test's own process; for what its records and its events say.
- `commands`: a command in the test's own process; for exit codes, output and files.
- `processes`: a command in a process of its own, as users call it; for environments and what several runs do.
- `site`: a workspace to write suites into; it runs them by `processes`, or by a worker without a command.

The language server has clients of its own, in `support.lsp`. It is forked, too, unless a test names the command:
tests of its start, and those that ask the system about children of this process, do.
"""
