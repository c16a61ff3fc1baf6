"""`python -P -m suitecase`: the command line, where the script is not on the path."""

import sys

from suitecase.cli import main

if not sys.flags.safe_path:
    # Without `-P`, `-m` puts the working directory first, where a workspace is. Python has looked for
    # this package there, which nothing here can change; nothing else is imported from it.
    del sys.path[0]
main()
