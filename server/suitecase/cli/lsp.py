"""`suitecase lsp`."""

from __future__ import annotations

import click

from suitecase.cli.options import SingleValueCommand
from suitecase.cli.output.terminal import echo

#: The variable that sets what a client over TCP has to send, and how long that is at least.
TOKEN, SHORTEST_TOKEN = "SUITECASE_LSP_TOKEN", 16


@click.command("lsp", cls=SingleValueCommand)
@click.option("--stdio", is_flag=True, help="Use standard input and output (the default).")
@click.option(
    "--tcp",
    metavar="[HOST:]PORT",
    help="Use a socket instead, serve the first client that sends the token, and exit when it "
    "leaves. HOST is 127.0.0.1 by default; PORT 0 selects any free port. The address and "
    "the token are printed to standard error; the client sends the token as "
    "`initializationOptions.token`. SUITECASE_LSP_TOKEN sets the token.",
)
@click.option(
    "--allow-remote",
    is_flag=True,
    help="With --tcp: allow a HOST that other machines can reach. The token and all texts are "
    "sent unencrypted: whoever reads them can run programs on this machine.",
)
def command(stdio: bool, tcp: str | None, allow_remote: bool) -> int:
    """Start the language server, for editors.

    It speaks the Language Server Protocol over standard input and output, or over a socket.

    Exit codes: 0 after `shutdown` and `exit`, 1 after `exit` alone or if the editor is gone, 2 if
    it cannot listen on the given address.
    """
    if tcp is None:
        if allow_remote:
            raise click.UsageError("--allow-remote goes with --tcp")
        from suitecase.lsp.server import main

        return main()
    if stdio:
        raise click.UsageError("--stdio and --tcp exclude each other")
    return _over_tcp(tcp, allow_remote=allow_remote)


def _over_tcp(tcp: str, *, allow_remote: bool) -> int:
    import os
    import secrets

    from suitecase.lsp.server import serve_over_tcp
    from suitecase.lsp.tcp import address_of, is_loopback, listen

    try:
        host, port = address_of(tcp)
    except ValueError as error:
        raise click.UsageError(f"--tcp: {error}") from None
    token_variable = os.environ.pop(TOKEN, None)  # the programs that are started need not know it
    if token_variable is not None and len(token_variable) < SHORTEST_TOKEN:
        raise click.UsageError(
            f"--tcp: {TOKEN} has {len(token_variable)} characters; a token has {SHORTEST_TOKEN} or more"
        )
    token = token_variable or secrets.token_urlsafe(24)
    if not is_loopback(host):
        if not allow_remote:
            raise click.UsageError(
                f"--tcp: other machines may reach {host}, and the token goes over the network as "
                "it is. Listen on 127.0.0.1 and forward the port, as with `ssh -L`; or say "
                "--allow-remote if the network is yours alone."
            )
        echo(
            f"warning: other machines may reach {host}. Whoever reads the token on the network can "
            "read files of this machine and run programs on it.",
            err=True,
        )
    try:
        listening = listen(host, port)
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.UsageError(f"--tcp: cannot listen at {tcp}: {reason.lower()}") from None
    address_text = listening.getsockname()
    at = f"[{address_text[0]}]" if ":" in address_text[0] else address_text[0]
    echo(f"suitecase lsp: listening on {at}:{address_text[1]}", err=True)
    if token_variable is None:
        # Not in the arguments, which every user of the machine can list.
        echo(f"suitecase lsp: the token is {token}", err=True)
    return serve_over_tcp(listening, token)
