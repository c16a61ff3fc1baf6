"""The scripts of the shells, and how suggestions are passed to each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from click import Command
from click.shell_completion import CompletionItem, ShellComplete, split_arg_string

from suitecase.text.encoders.visible import is_visible, visible
from suitecase.text.working_directory import normalized

#: In the environment of a call that completes: which shell asks.
VARIABLE = "_SUITECASE_COMPLETE"
#: The line up to the cursor.
LINE = "_SUITECASE_LINE"

#: Errors go nowhere: nothing may be printed into somebody's prompt. What is asked is the program on the `PATH`, not
#: the one that was typed, which may be a file of the checkout such as `./suitecase`. bash 3.2, which macOS has, knows
#: neither `nosort` nor `compopt`.
_BASH = """\
# Completion of suitecase for bash: eval "$(suitecase completion bash)"
_suitecase_completion() {
    local kind value paths= nospace= default= quotes=1
    type compopt &>/dev/null || quotes=
    COMPREPLY=()
    while IFS=$'\\t' read -r kind value; do
        case $kind in
            path) paths=1; [ -n "$quotes" ] || value=$(printf %q "$value"); COMPREPLY+=("$value") ;;
            open) nospace=1; COMPREPLY+=("$value") ;;
            plain) COMPREPLY+=("$value") ;;
            file) default=default ;;
            dir) default=dirnames ;;
        esac
    done < <(_SUITECASE_COMPLETE=bash_complete \\
        _SUITECASE_LINE="${COMP_LINE:0:COMP_POINT}" \\
        _SUITECASE_BREAKS="$COMP_WORDBREAKS" suitecase 2>/dev/null)
    if [ -n "$quotes" ]; then
        [ -n "$paths" ] && compopt -o filenames
        [ -n "$nospace" ] && compopt -o nospace
        [ -n "$default" ] && compopt -o "$default"
    elif [ -n "$default" ]; then
        COMPREPLY=($(compgen -f -- "$2"))
    fi
    return 0
}
complete -o nosort -F _suitecase_completion suitecase 2>/dev/null ||
    complete -F _suitecase_completion suitecase
"""

_ZSH = """\
#compdef suitecase
# Completion of suitecase for zsh: eval "$(suitecase completion zsh)", behind compinit
_suitecase_completion() {
    local kind value description
    local -a plain described open paths folders
    while IFS=$'\\t' read -r kind value description; do
        case $kind in
            path) paths+=("$value") ;;
            folder) folders+=("$value") ;;
            open) open+=("$value") ;;
            file) _files; return ;;
            dir) _files -/; return ;;
            plain)
                if [[ -n $description ]]; then
                    described+=("${value//:/\\\\:}:$description")
                else
                    plain+=("$value")
                fi ;;
        esac
    done < <(_SUITECASE_COMPLETE=zsh_complete \\
        _SUITECASE_LINE="${words[1,CURRENT-1]} ${PREFIX}" suitecase 2>/dev/null)
    (( $#described )) && _describe -V 'suitecase' described
    (( $#plain )) && compadd -V plain -a plain
    (( $#open )) && compadd -V open -S '' -a open
    (( $#paths )) && compadd -V paths -a paths
    (( $#folders )) && compadd -V folders -S / -q -a folders
    return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _suitecase_completion "$@"
else
    compdef _suitecase_completion suitecase
fi
"""

_FISH = """\
# Completion of suitecase for fish: suitecase completion fish | source
function _suitecase_completion
    set -l word (commandline -ct)
    for line in (_SUITECASE_COMPLETE=fish_complete _SUITECASE_LINE=(commandline -cp) suitecase 2>/dev/null)
        set -l parts (string split -m 2 \\t -- $line)
        switch $parts[1]
            case file
                __fish_complete_path $word
            case dir
                __fish_complete_directories $word ''
            case folder
                echo $parts[2]/
            case '*'
                string join \\t -- $parts[2..-1]
        end
    end
end
complete --no-files --keep-order --command suitecase --arguments '(_suitecase_completion)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

_CONTROL = re.compile(r"[\t\r\n]")
#: The last word of a line as it is typed, with its quotes.
_LAST_WORD = re.compile(r"(?:[^\s\\'\"]|\\.|'[^']*'?|\"(?:[^\"\\]|\\.)*\"?)*\\?$", re.DOTALL)
#: What cannot be written in a quote of bash. The `!` begins a search in the history, with or without a backslash.
_NOT_IN = {"'": "'", '"': "!"}
#: What has a meaning in bash, by the quote that is open.
_MEANING = {"": re.compile(r"([^\w@%+=:,./-])"), '"': re.compile(r'([\\$`"])')}


class Shell(ShellComplete):
    """A shell; it passes the line up to the cursor in the environment."""

    def __init__(self, cli: Command, shell: str) -> None:
        super().__init__(cli, {}, "suitecase", VARIABLE)
        self._shell = shell
        self._line = os.environ.get(LINE, "")

    def get_completion_args(self) -> tuple[list[str], str]:
        words = split_arg_string(self._line)
        if not words or not self._last_word:
            return words[1:], ""
        return words[1:-1], words[-1]

    @property
    def _last_word(self) -> str:
        found = _LAST_WORD.search(self._line)
        return found.group() if found is not None else ""

    def lines(self) -> Iterable[str]:
        """Yield a line for each suggestion: its kind, its value, and what it is, with tabs between."""
        args, incomplete = self.get_completion_args()
        # Of `--option=value`, suggestions are values, and bash has taken `--option` for a word of its own.
        option, equals, value = incomplete.partition("=")
        has_value = bool(equals) and option.startswith("-")
        before = f"{option}=" if has_value and not self._splits("=") else ""
        cut = self._cut(value if has_value else incomplete)
        for item in self.get_completions(args, incomplete):
            if not _CONTROL.search(item.value) and is_visible(item.value):
                if self._shell == "fish" and not incomplete and item.value.startswith((".", "~")):
                    # fish hides names that start with a dot until one is typed, and takes `~name` for a user's home.
                    item.value = str(normalized(Path(item.value)))
                item.value = before + item.value[cut:]
                line = self._line_of(item)
                if line is not None:
                    yield line

    def _line_of(self, item: CompletionItem[str]) -> str | None:
        """Return the line of a suggestion; None for a word that bash cannot be given in the quotes that are typed."""
        if self._shell == "bash":
            kind = "path" if item.type == "folder" else item.type
            if kind in ("plain", "open"):
                quote = _open_quote(self._last_word)
                if quote and _NOT_IN[quote] in item.value:
                    return None
                if quote in _MEANING:
                    item.value = _MEANING[quote].sub(r"\\\1", item.value)
            return f"{kind}\t{item.value}"
        words = visible(" ".join((item.help or "").split()))
        return f"{item.type}\t{item.value}" + (f"\t{words}" if words else "")

    @property
    def _starts_with_quote(self) -> bool:
        return self._last_word[:1] in ("'", '"')

    def _splits(self, sign: str) -> bool:
        """Whether the shell takes what follows a sign for a word of its own, as bash does."""
        breaks = os.environ.get("_SUITECASE_BREAKS", "") if self._shell == "bash" else ""
        return sign in breaks and not self._starts_with_quote

    def _cut(self, word: str) -> int:
        """Return how much of a word the shell does not replace."""
        return max((word.rfind(it) + 1 for it in ":=" if self._splits(it)), default=0)


def _open_quote(word: str) -> str:
    """Return the quote that is open at the end of a word; empty if none is."""
    quote, escaped = "", False
    for character in word:
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return quote
