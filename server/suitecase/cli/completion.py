"""`suitecase completion`."""

from __future__ import annotations

import click

from suitecase.cli.completing.shells import SCRIPTS
from suitecase.cli.output.terminal import echo
from suitecase.text.encoders.terminal import Block


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
def command(shell: str) -> int:
    """Print the script that completes command lines of suitecase in a shell.

    \b
    bash: add to ~/.bashrc                  eval "$(suitecase completion bash)"
    zsh:  add to ~/.zshrc, behind compinit  eval "$(suitecase completion zsh)"
    fish: suitecase completion fish > ~/.config/fish/completions/suitecase.fish

    It completes commands, options, rules, targets, cases behind SUITE::, tags and results files.
    """
    echo(Block(SCRIPTS[shell]), nl=False)
    return 0
