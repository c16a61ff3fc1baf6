"""`python -m suitecase`: the command line, where the script is not on the path."""

import sys

from suitecase.cli import main

if not sys.flags.safe_path:
    # `-m` puts the working directory first, where a workspace is; nothing of that is imported.
    del sys.path[0]
main()
