"""The target that is an HTTP API, called with requests that rows fill in."""

from __future__ import annotations

import asyncio
import json
import operator
import ssl
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from suitecase_evaluators.answers.reply_meaning import ReplyMeaning, reason_means
from suitecase_evaluators.answers.thinking import without_thinking
from suitecase_evaluators.targets.calls_under_way import CallLimit, calls_at
from suitecase_evaluators.targets.certificates import certificate_problem
from suitecase_evaluators.targets.config.http import (
    HttpConfig,
    Step,
    authorized_twice,
    with_part,
)
from suitecase_evaluators.targets.config.placeholder import as_number
from suitecase_evaluators.targets.config.target import RetryConfig
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.http_client import new_session, proxy_for
from suitecase_evaluators.targets.rate_limit import RateLimits, own_rate_limit
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.reply_body import Failure, ReplyBody, body_of
from suitecase_evaluators.targets.response_body import (
    ACCEPTED,
    UnwantedResponseError,
    check_not_redirected,
    limited,
)
from suitecase_evaluators.targets.retry import (
    RetryPolicy,
    TransientError,
    seconds_of,
    with_retries,
)
from suitecase_evaluators.targets.server_address import server_here
from suitecase_evaluators.targets.target import (
    THINKING,
    Question,
    Reply,
    Target,
    TargetError,
    with_output,
)
from suitecase_evaluators.text.compact_json import compact_json
from suitecase_evaluators.text.written_number import read_float

#: Seconds for one attempt, and the number of retries.
TIMEOUT, RETRIES = 120.0, 4
#: Statuses that are not answers, as in promptfoo; all others are.
_FAILED_STATUSES = [429, 502, 503, 504]
#: The most characters of a response in a message.
_QUOTED = 300
#: Characters of a URL that are not percent-encoded, besides letters and digits.
_URL_SAFE = "%:/?#[]@!$&'()*+,;=~-._|"
_COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


#: What an answer means that has to have words.
_NEED_WORDS = (ReplyMeaning.ANSWERED, ReplyMeaning.CUT_OFF)


@dataclass(frozen=True, slots=True)
class _Response:
    """A response with an answer; `body` is what it says if it is of a model's own interface."""

    status: int
    answer: Any
    body: ReplyBody | None


class HttpTarget(Target):
    """An API that receives one request for each question, and answers with JSON or text."""

    def __init__(
        self,
        config: HttpConfig,
        *,
        redactor: Redactor | None = None,
        rate_limits: RateLimits = own_rate_limit,
    ) -> None:
        super().__init__(config.name)
        self._config = config
        self._redact = redactor or Redactor()
        self._headers = dict(config.headers)
        if config.basic_auth is not None:
            pair = b64encode(":".join(config.basic_auth).encode()).decode()
            self._headers["authorization"] = f"Basic {pair}"
            for secret in (config.basic_auth[1], pair):
                self._redact.remember(secret)
        self._timeout = as_number(config.timeout_seconds) or TIMEOUT
        written = config.retry or RetryConfig()
        if written.status_codes is None:
            written = written.model_copy(update={"status_codes": _FAILED_STATUSES})
        self._policy = RetryPolicy.of(written, default_retries=RETRIES)
        self._rate = rate_limits(self.name, "requests", as_number(config.rate_limit))
        self._session: Any = None
        self._proxies: dict[str, str | None] = {}

    async def ask(self, question: Question) -> Reply:
        """Send the request of a row, and return the answer in the response.

        Raises:
            TargetError: there is no answer after all attempts.
        """
        row = question.row
        if row is None or row.request is None:
            raise self._error(
                "can only be asked by the rows of its suite, which fill in its requests",
                kind="configuration",
            )
        request = self._request(row.request)
        started = perf_counter()
        response = await with_retries(lambda _: self._send(*request), self._policy)
        answer, body = response.answer, response.body
        details: dict[str, Any] = {"status": response.status}
        if isinstance(answer, str) and body is not None and answer == body.text:
            # A model's own interface; what an application shows is its answer, whatever it is.
            thought = without_thinking(answer, of_judge=question.is_read)
            thinking = "\n\n".join(filter(None, (body.thinking, thought.thinking)))
            answer = thought.answer
            details |= {THINKING: thinking} if thinking else {}
        reply = Reply(
            text="",
            calls_known="unknown",
            duration_ms=(perf_counter() - started) * 1000,
            finish_reason=body.reason if body is not None else None,
            details=details,
        )
        return with_output(reply, answer)

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _request(
        self, parts: Iterable[tuple[tuple[Step, ...], Any]]
    ) -> tuple[str, str, dict[str, str], bytes | None]:
        """Return method, address, headers and body of a row's request.

        Raises:
            TargetError: it would be authorized in two ways.
        """
        whole: dict[Step, Any] = {
            "method": self._config.method,
            "url": self._config.url,
            "query": self._config.query,
            "headers": self._headers,
            "body": self._config.body,
        }
        for place, value in parts:
            whole = with_part(whole, place, value)
        headers = {str(name).lower(): str(it) for name, it in whole["headers"].items()}
        twice = authorized_twice(str(whole["url"]).strip(), headers)
        if twice is not None:
            raise self._error(twice, kind="configuration")
        method, body = str(whole["method"]).strip().upper(), whole["body"]
        sent: bytes | None = None
        if method != "GET" and body is not None:
            sent = (body if isinstance(body, str) else compact_json(body)).encode(
                "utf-8", "replace"
            )
        return method, _with_query(str(whole["url"]).strip(), whole["query"]), headers, sent

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> _Response:
        """Send one request; return the response with its answer.

        Raises:
            TransientError: it failed, and another attempt may succeed.
            TargetError: it failed for good.
        """
        import aiohttp
        from yarl import URL

        await self._rate.wait()
        if self._session is None:
            self._session = new_session()
        if url not in self._proxies:
            self._proxies[url] = await asyncio.to_thread(proxy_for, url)
        where = f"{urlsplit(url).scheme}://{urlsplit(url).netloc.rpartition('@')[2]}"
        server = server_here(url)
        limit: CallLimit | asyncio.Timeout = (
            asyncio.timeout(self._timeout)
            if server is None
            else calls_at(server).limit(self._timeout)
        )
        try:
            async with (
                limit,
                self._session.request(
                    method,
                    # As it is written: aiohttp would encode it differently.
                    URL(quote(url, safe=_URL_SAFE), encoded=True),
                    data=body,
                    headers={"accept-encoding": ACCEPTED, **headers},
                    proxy=self._proxies[url],
                    allow_redirects=False,
                    skip_auto_headers=("content-type",),
                ) as response,
            ):
                check_not_redirected(url, response.status, response.headers)
                encoding = response.headers.get("content-encoding", "")
                parts = [it async for it in limited(response.content.iter_any(), encoding)]
                text = b"".join(parts).decode("utf-8", "replace")
                status = int(response.status)
        except UnwantedResponseError as error:
            raise self._error(f"the server at {where} {error}") from None
        except TimeoutError:
            raise TransientError(
                self._error(f"{where} did not answer within {self._timeout:g} s", kind="timeout")
            ) from None
        except ssl.SSLError as error:
            problem = certificate_problem(error)
            if problem is not None:
                raise self._error(
                    f"{where} is not trusted: {problem}", kind="unreachable"
                ) from None
            raise TransientError(
                self._error(f"{where} could not be reached: {error}", kind="unreachable")
            ) from None
        except (aiohttp.InvalidURL, ValueError) as error:
            raise self._error(
                f"the request to {where} cannot be sent: {error}", kind="configuration"
            ) from None
        except (aiohttp.ClientError, OSError) as error:
            raise TransientError(
                self._error(f"{where} could not be reached: {error}", kind="unreachable")
            ) from None
        if self._policy.covers(status) or status in _FAILED_STATUSES:
            failed = self._error(f"{where} answered with HTTP {status}: {self._quoted(text)}")
            if not self._policy.covers(status):
                raise failed
            after = seconds_of(response.headers)
            raise TransientError(failed, retry_after=after, of_rate=status == 429)
        return self._checked(status, text)

    def _checked(self, status: int, text: str) -> _Response:
        """Return a response that has an answer.

        Raises:
            TransientError: it says that the call failed, and another attempt may succeed.
            TargetError: it has no answer.
        """
        try:
            found = json.loads(text, parse_float=read_float)
        except (ValueError, RecursionError):
            found = None
        body = body_of(found)
        if body is None:
            return _Response(status, self._answer(status, text, found), None)
        if not body.has_answer:
            return self._without_form(status, text, found, body)
        if body.failure is not None:
            raise self._failed(status, body.failure)
        answer = self._answer(status, text, found)
        texts = (body.text, answer if isinstance(answer, str) else body.text)
        wordless = not all(without_thinking(text).answer.strip() for text in texts)
        nothing = wordless and not (body.calls or body.refusal)
        if nothing and reason_means(body.reason) in _NEED_WORDS:
            raise self._failed(
                status, Failure(None, f"it sent an empty answer (finish_reason: {body.reason})")
            )
        return _Response(status, answer, body)

    def _without_form(self, status: int, text: str, found: Any, body: ReplyBody) -> _Response:
        """Return a response in the form of an error; what an API calls so may be its answer.

        Raises:
            TransientError, TargetError: it is an error.
        """
        failure = body.failure or Failure(None, "it sent a reply without an answer")
        error = found.get("error") if isinstance(found, dict) else found
        if self._config.answer_path is None and status < 400 and isinstance(error, dict | list):
            raise self._failed(status, failure)
        try:
            return _Response(status, self._answer(status, text, found), None)
        except TargetError:
            if status >= 400:
                raise
            raise self._failed(status, failure) from None

    def _failed(self, status: int, failure: Failure) -> TransientError | TargetError:
        """Return what to raise for a response that says that the call failed."""
        failed = self._error(f"HTTP {status}, but the call failed: {self._quoted(failure.words)}")
        again = failure.status is None or self._policy.covers(failure.status)
        return TransientError(failed) if again else failed

    def _answer(self, status: int, text: str, found: Any) -> Any:
        """Return the answer in a response: a string, or another value of its JSON.

        Raises:
            TargetError: it has no answer.
        """
        wanted = self._config.statuses
        if wanted is not None and not any(
            all(_COMPARISONS[name](status, number) for name, number in one) for one in wanted
        ):
            raise self._error(f"HTTP {status} is not an answer: {self._quoted(text)}")
        path = self._config.answer_path
        if path is None:
            return found or text
        root, *steps = path
        value: Any = text if root == "text" else found
        for step in steps:
            try:
                value = value[step]
            except (LookupError, TypeError):
                value = None
                break
        if isinstance(value, dict) and value.get("output"):
            value = value["output"]  # promptfoo takes such an object for a whole answer
        if value is None:
            raise self._error(
                f"the response (HTTP {status}) has nothing at `{_written(path)}`: "
                f"{self._quoted(text)}"
            )
        return value

    def _quoted(self, text: str) -> str:
        line = self._redact(" ".join(text.split()))
        return line if len(line) <= _QUOTED else f"{line[:_QUOTED]} ..."

    def _error(self, problem: str, **kind: Any) -> TargetError:
        return TargetError(self._redact(f"target `{self.name}`: {problem}"), **kind)


def _with_query(url: str, query: Mapping[str, str]) -> str:
    if not query:
        return url
    parts = urlsplit(url)
    pairs = [*parse_qsl(parts.query, keep_blank_values=True), *query.items()]
    return parts._replace(query=urlencode(pairs)).geturl()


def _written(path: tuple[Step, ...]) -> str:
    return str(path[0]) + "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in path[1:])


def make(config: HttpConfig, context: TargetContext) -> HttpTarget:
    """Return the target of a provider."""
    return HttpTarget(config, redactor=context.redactor, rate_limits=context.rate_limits)
