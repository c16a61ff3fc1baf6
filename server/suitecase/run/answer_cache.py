"""A cache of answers across runs, so that they are paid for only once.

It is off by default: with it, a run against a model or program that has since changed, or that
answers differently each time, looks like a fresh run.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from suitecase.run.cache_file import open_cache
from suitecase.run.unrecordable import problem_in_reply, with_known_figures
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.records.values import timestamp
from suitecase_evaluators.answers.reply_meaning import ReplyMeaning
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Question, Reply
from suitecase_evaluators.text.written_number import (
    WrittenNumber,
    encoded,
    has_written,
    read_float,
    with_digits,
)

#: The version of the keys and values; changing it invalidates all older entries.
_FORM = 1
#: That of models' answers and judges' replies: what earlier versions kept of them may be a failed call that
#: was taken for an answer, or a reply that could not be read.
_FORM_OF_MODELS = 2
#: What is known of the call that was answered, not of the answer.
_NOT_CACHED = {"response_id", "sandbox", "answered_by"}


class CacheError(Exception):
    """The cache cannot be used; `message` is shown to users."""

    def __init__(self, path: Path, reason: object) -> None:
        self.message = (
            f"the cache {path} cannot be used ({reason}); the run continues without it. If the "
            "file is corrupt, delete it"
        )
        super().__init__(self.message)


class AnswerCache:
    """A file of answers by key; several runs may use it at once."""

    def __init__(self, path: Path) -> None:
        """Open the file; create it if it does not exist.

        Raises:
            CacheError: it cannot be opened, or is not a cache.
        """
        self._path = path
        self._lock = threading.Lock()
        try:
            self._database = open_cache(path)
        except (sqlite3.Error, OSError) as error:
            raise CacheError(path, error) from error

    def find(self, key: str) -> Reply | None:
        """Return the answer of a key, or None if there is no readable one.

        Raises:
            CacheError: the file cannot be read.
        """
        try:
            with self._lock:
                row = self._database.execute(
                    "SELECT reply FROM answers WHERE key = ?", (key,)
                ).fetchone()
        except sqlite3.Error as error:
            raise CacheError(self._path, error) from error
        try:
            reply = None if row is None else _reply().validate_json(row[0])
            values = None if row is None else json.loads(row[0], parse_float=read_float)
            if has_written(values):  # of which pydantic's own parser keeps only a float
                reply = _reply().validate_python(values, strict=False)
        except ValueError:
            return None  # of another version, or written by another program
        if reply is None or with_known_figures(reply) is not reply:
            return None
        return None if problem_in_reply(reply) is not None else reply

    def put(self, key: str, reply: Mapping[str, Any]) -> None:
        """Store an answer, replacing an earlier one.

        Args:
            reply: as `reply_values` returns it.

        Raises:
            CacheError: the file cannot be written.
        """
        text = encoded(reply)
        try:
            with self._lock:
                self._database.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, text, timestamp())
                )
        except sqlite3.Error as error:
            raise CacheError(self._path, error) from error

    def close(self) -> None:
        """Close the file; safe to call twice."""
        with self._lock:
            self._database.close()


#: What of a question does not decide the reply, or goes into the key in another way.
_LEFT_OUT_OF_KEYS = frozenset(
    {
        *("eval_id", "judging", "guideline_files", "input_files", "call_context", "vote", "row"),
        "is_read",
    }
)


def cache_key(
    identity: str,
    question: Question,
    redact: Redactor,
    *,
    repeat: int,
    purpose: str,
    of_model: bool,
    takes_files: bool,
    row_fields: Sequence[str],
) -> str:
    """Return the key of an answer: SHA-256 over the target, the question and the repeat.

    Files passed to a program are included by content. The program itself is not, nor is the
    model behind a model's name: `--cache refresh` calls the target again.

    Args:
        purpose: keeps a judge's replies apart from the answers of cases.
        of_model: whether a model answers.
        takes_files: whether the target is given the paths of files.
        row_fields: the fields of a row that the target's answers depend on.
    """
    values = {
        "form": _FORM_OF_MODELS if of_model or purpose != "answer" else _FORM,
        "identity": identity,
        "purpose": purpose,
        "repeat": repeat,
        **{
            name: value for name, value in asdict(question).items() if name not in _LEFT_OUT_OF_KEYS
        },
    }
    row = question.row
    if row is not None:
        values["row"] = {name: getattr(row, name) for name in row_fields}
    if question.vote > 1:
        values["vote"] = question.vote
    if takes_files:
        values["eval_id"] = question.eval_id
        values["files"] = [
            (path, _digest(path)) for path in (*question.guideline_files, *question.input_files)
        ]
    # Redacted: not even a digest of a secret may leave the process.
    text = redact(encoded(values, partial(json.dumps, sort_keys=True, default=str)))
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


@cache
def _reply() -> TypeAdapter[Reply]:
    return TypeAdapter(Reply)  # only a run with a cache pays for making it


def is_whole(reply: Reply, asks: AnsweredBy | None = None) -> bool:
    """Whether a reply is an answer to keep: not a failed call, not empty, not cut off, and not filtered.

    Args:
        asks: what replied, if the reply does not say.
    """
    if reply.answered_by is None:
        reply = replace(reply, answered_by=asks)
    whole = reply.meaning in (ReplyMeaning.ANSWERED, ReplyMeaning.REFUSED)
    return whole and not reply.is_empty


def reply_values(reply: Reply) -> dict[str, Any]:
    """Return an answer as JSON values."""
    values: dict[str, Any] = _reply().dump_python(reply, mode="json", exclude=_NOT_CACHED)
    if WrittenNumber.any_read:
        values = with_digits(values, _reply().dump_python(reply, exclude=_NOT_CACHED))
    return values


def _digest(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
