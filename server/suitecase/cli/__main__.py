"""`python -m suitecase.cli`: the command line, where the script is not on the path."""

from suitecase.cli import main

main()
