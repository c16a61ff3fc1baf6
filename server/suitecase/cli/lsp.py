"""`suitecase lsp`."""

from __future__ import annotations

import click


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Talk over standard input and output; the default.")
def command(stdio: bool) -> int:
    """Start the language server, for editors.

    It talks the Language Server Protocol over standard input and output.
    """
    from suitecase.lsp.server import main

    return main()
