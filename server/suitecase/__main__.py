"""`python -P -m suitecase`: the command line, where the script is not on the path; and what the script runs."""

import signal
import sys


def main() -> None:
    """Run the command line; while it is imported, Ctrl-C ends the process without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from suitecase.cli import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # Without `-P`, `-m` puts the working directory first, where a workspace is. Python has looked for
        # this package there, which nothing here can change; nothing else is imported from it.
        del sys.path[0]
    main()
