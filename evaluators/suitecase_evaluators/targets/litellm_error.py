"""What went wrong when a model was asked, for people, and whether another try may help.

litellm raises the exceptions of the OpenAI library. Two traps: a lost connection, a body that is
not JSON and a missing key all come as an HTTP status 500 that no server sent, and messages repeat
the exceptions' names. A response of a server is known by its headers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from suitecase_evaluators.targets.certificates import certificate_problem
from suitecase_evaluators.targets.direct_request import (
    UnreachableError,
    UnreadableError,
    UntrustedError,
)
from suitecase_evaluators.targets.model_answer import FailedReplyError
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.response_body import UnwantedResponseError
from suitecase_evaluators.targets.retry import RetryPolicy, TransientError, seconds_of
from suitecase_evaluators.targets.target import TargetError, TargetErrorKind

#: Characters of a provider's own words in a message.
QUOTED = 500
#: Characters of a body that could not be read.
_BEGINNING = 80
#: Exceptions that are looked at for the first of those that led to each other.
_CAUSES = 20

#: What litellm puts around a provider's words.
_WRAPPING = re.compile(
    r"^\s*+(?:(?:litellm\.)?(?:\w++(?:(?<=Error)|(?<=Exception)|(?<=Timeout))\s*+)++[:-]\s*+)+"
    r"|(?:(?<!\s)\s++)?(?:Handle with `litellm\.\w+`\.?|File an issue if litellm error - \S+|ssl:<[^<>]*>)"
)
_NO_CONNECTION = re.compile(
    r"connection error|cannot connect|connect call failed|connection refused|server disconnected|"
    r"connection reset|name or service not known|nodename nor servname|name resolution|getaddrinfo|"
    r"payload is not completed",
    re.IGNORECASE,
)
_UNREADABLE = re.compile(
    r"unable to get json response|error converting to valid response|invalid response from llm",
    re.IGNORECASE,
)
_NO_KEY = re.compile(
    r"missing credentials|api_key client option|missing (?:(?!missing ).)*api.?key", re.IGNORECASE
)
_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
#: The packages of modules, if their names differ.
_PACKAGES = {"google.auth": "google-auth", "google": "google-auth"}
_NO_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing", re.IGNORECASE)


#: The statuses of a request that is not taken as it is, while others may be.
_OF_REQUEST = frozenset({400, 413, 422})
_OF_FORM = re.compile(r"response_format|json_schema|json schema|grammar|guided", re.IGNORECASE)


#: How servers say that a question is longer than the model can read: each has words of its own.
_SAY_TOO_LONG = (
    r"context_length_exceeded|maximum context length",  # OpenAI, DeepSeek, OpenRouter, vLLM, Mistral
    r"longer than the maximum model length|max_model_len",  # vLLM
    r"exceed_context_size|available context size|context shift is disabled",  # llama.cpp
    r"(?:prompt|input)(?: is)? too long|too long for (?:the )?requested model",  # Anthropic, Bedrock
    r"(?:input|prompt)(?: length)? exceed(?:s|ed) (?:the |max(?:imum)? )*(?:context|length)",  # Ollama, Zhipu
    r"longer than the (?:model's )?context length|greater than the context length",  # SGLang, LM Studio
    r"context the overflows|exceeds? (?:the )?context (?:window|length|size|limit)",  # LM Studio, Anthropic
    r"`inputs` tokens \+ `max_new_tokens` must be|`inputs` must have less than",  # TGI
    r"input token count .{0,40}exceeds the maximum number of tokens",  # Google
    r"reduce the length of the (?:messages|prompt)|too large for model with",  # Groq, Mistral
    r"maximum prompt length is|exceeded model token limit",  # xAI, Moonshot
    r"tokens in the prompt cannot exceed|number of input tokens \d+ cannot exceed",  # Cohere, watsonx
)
_TOO_LONG = re.compile("|".join(_SAY_TOO_LONG), re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who was asked, as far as messages tell it."""

    target: str
    model: str
    address: str | None
    timeout_seconds: float
    policy: RetryPolicy
    redact: Redactor
    #: How the server's response begins, where it is an error.
    body: str = ""


def is_refusal(error: Exception, request: Asked) -> bool:
    """Whether the server, or litellm for it, refused a parameter of the call."""
    name = type(error).__name__
    if name == "ContentPolicyViolationError" or is_too_long(error, request):
        return False
    status = _status(error)
    # Some servers fail where they cannot make a grammar of a schema.
    return status in (400, 422) or (
        status >= 500 and _from_server(error) and _OF_FORM.search(str(error)) is not None
    )


def is_too_long(error: Exception, request: Asked) -> bool:
    """Whether the server says that the question does not fit the model's context, in words of its own.

    What litellm makes of the words is not asked: it takes any string that is too long for that.
    """
    said = f"{error} {request.body}"
    return _from_server(error) and _status(error) >= 400 and _TOO_LONG.search(said) is not None


def understood(error: Exception, request: Asked) -> TargetError | TransientError:
    """Return what to raise for an exception of litellm or of `chat_completions`."""
    status = _status(error)
    message = _said(error, request.redact)
    who = f"target `{request.target}`: model `{request.model}`"
    where = f" at {request.address}" if request.address else ""

    of_request = status in _OF_REQUEST

    def final(text: str, kind: TargetErrorKind) -> TargetError:
        return TargetError(request.redact(text), kind=kind, of_request=of_request)

    def again(text: str, kind: TargetErrorKind) -> TransientError:
        after = seconds_of(_headers(error))
        return TransientError(final(text, kind), retry_after=after, of_rate=status == 429)

    def unreadable() -> TransientError:
        return again(
            f"{who}: what the server{where} sent could not be read: {message} Check that the "
            "address is the one of the API.",
            "failed",
        )

    def unreachable() -> TransientError:
        return again(
            f"{who} could not be reached{where}: {message} Check the address, the network, and "
            "that the server runs.",
            "unreachable",
        )

    if isinstance(error, FailedReplyError) and not status:
        return again(
            f"{who}: the call failed, though the server{where} answered with HTTP 200: {message}",
            "failed",
        )
    if isinstance(error, TargetError):
        return final(f"target `{request.target}`: {error.message}", error.kind)
    untrusted = str(error) if isinstance(error, UntrustedError) else certificate_problem(error)
    if untrusted is not None:
        return final(f"{who}: the server{where} is not trusted: {untrusted}", "unreachable")
    unwanted = _unwanted(error)
    if unwanted is not None:
        return final(f"{who}: the server{where} {unwanted}", "failed")
    if isinstance(error, UnreachableError):
        return unreachable()
    if isinstance(error, UnreadableError) or _UNREADABLE.search(message):
        return unreadable()
    if not _from_server(error):
        if isinstance(error, TimeoutError) or type(error).__name__ == "Timeout":
            limit = f"{request.timeout_seconds:g} s"
            return again(
                f"{who} did not answer within {limit}. Raise `timeout_seconds` if it needs longer.",
                "timeout",
            )
        if _NO_KEY.search(message):
            return final(
                f"{who} needs a key. Set `api_key` in the targets file, best as `${{{{ NAME }}}}`; "
                "a server that needs none takes any text.",
                "configuration",
            )
        missing = _NO_MODULE.search(message)
        if missing is not None:
            package = _PACKAGES.get(missing[1], missing[1].partition(".")[0])
            return final(
                f"{who} needs the Python package `{package}`, which is not installed; install it "
                f"with `pip install {package}`.",
                "configuration",
            )
        if "LLM Provider NOT provided" in message:
            return final(
                f"{who} is not a name litellm knows a provider for. Write `provider/model`, such as "
                "`openai/gpt-4.1-mini`.",
                "configuration",
            )
        if _NO_CONNECTION.search(message) or type(error).__name__ == "APIConnectionError":
            return unreachable()
        if status == 500:
            return unreadable()
    if is_too_long(error, request):
        # It will not become shorter, whatever the status.
        return final(
            f"{who}: the question is longer than the model can read: {message}", "rejected"
        )
    text, kind = _of_status(error, status, who, where, message)
    if status == 429 and _NO_QUOTA.search(f"{message} {getattr(error, 'body', '')} {request.body}"):
        return final(
            f"{who}: the quota is used up: {message} Check the plan and the billing.", kind
        )
    return again(text, kind) if request.policy.covers(status) else final(text, kind)


def _of_status(
    error: Exception, status: int, who: str, where: str, message: str
) -> tuple[str, TargetErrorKind]:
    """Return message and kind for an HTTP status."""
    # Within a response of HTTP 200 it is only a code.
    code = "code" if isinstance(error, FailedReplyError) else "HTTP"
    refused = f"({code} {status}): {message}"
    match status:
        case 401 | 403:
            advice = "Check `api_key` and what the key may do."
            return f"{who}: the key was refused {refused} {advice}", "rejected"
        case 404:
            advice = "Check the model's name and the address."
            return f"{who} was not found{where} {refused} {advice}", "rejected"
        case 429:
            advice = "Set `rate_limit` or fewer `workers`."
            return f"{who}: too many requests {refused} {advice}", "rejected"
        case _ if type(error).__name__ == "UnsupportedParamsError":
            return f"{who} does not take a parameter of its entry: {message}", "configuration"
        case 408:
            return f"{who}: the server{where} gave up waiting {refused}", "timeout"
        case _ if 400 <= status < 500:
            return f"{who}: the request was refused {refused}", "rejected"
        case _ if status >= 500:
            return f"{who}: the server{where} failed {refused}", "failed"
        case _:
            return f"{who} could not answer: {message}", "failed"


def _unwanted(error: BaseException) -> UnwantedResponseError | None:
    """Return why a response was not read, where that is at the bottom of litellm's exceptions."""
    cause: BaseException | None = error
    for _ in range(_CAUSES):
        if cause is None or isinstance(cause, UnwantedResponseError):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None


def _status(error: Exception) -> int:
    status = getattr(error, "status_code", None)
    try:
        return int(str(status))
    except ValueError:
        return 0


def _from_server(error: Exception) -> bool:
    return _headers(error) is not None


def _headers(error: Exception) -> Any:
    """Return the headers a server answered with; None where none did."""
    own = getattr(error, "headers", None)
    return getattr(error, "litellm_response_headers", None) if own is None else own


def _said(error: Exception, redact: Redactor) -> str:
    """Return the provider's words on one line, without litellm's around them, with a full stop."""
    text = _message_in(_WRAPPING.sub("", " ".join(str(error).split())).strip())
    # Before it is shortened: half a secret is not recognised.
    text = redact(text)
    if isinstance(error, UnreadableError):
        text = f"{text}; it begins with `{redact.head(' '.join(error.body.split()), _BEGINNING)}`"
    if len(text) > QUOTED:
        text = f"{text[:QUOTED]} ..."
    if not text:
        return f"{type(error).__name__}."
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _message_in(text: str) -> str:
    """Return the message of an error object as providers send it, or the text as it is."""
    if not text.startswith("{"):
        return text
    try:
        found, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return text
    error = found.get("error", found)
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) and message else text
