"""The target that is a model: OpenAI's, Anthropic's, of a server of the user's own, or of any provider that litellm knows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

from suitecase_evaluators.answers.message import Message, ToolCall, well_formed
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.refusals import PROVIDERS_TEXT
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.trace import TokenUsage
from suitecase_evaluators.system.waiting import waiting
from suitecase_evaluators.targets import (
    anthropic_messages,
    chat_completions,
    litellm_error,
    litellm_library,
)
from suitecase_evaluators.targets.calls_under_way import calls_at
from suitecase_evaluators.targets.completion import Completion
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.placeholder import as_number
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.direct_request import read_reply
from suitecase_evaluators.targets.install_command import install_command
from suitecase_evaluators.targets.litellm_library import Library
from suitecase_evaluators.targets.model_answer import FailedReplyError, ModelAnswer, answer_of
from suitecase_evaluators.targets.model_call import (
    ModelCall,
    as_messages,
    model_call,
    own_server_of,
    retry_of,
)
from suitecase_evaluators.targets.rate_limit import RateLimits, own_rate_limit, tokens_of
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.reply_body import read_body
from suitecase_evaluators.targets.reported_usage import cost_of_reply, reported_tokens
from suitecase_evaluators.targets.response_body import (
    ERROR_BODY,
    MAX_RESPONSE_MB,
    MEGABYTE,
    REPLY_BODY,
    RESPONSE_LIMIT,
    UnwantedResponseError,
)
from suitecase_evaluators.targets.response_format import Firmness, ladder, response_format
from suitecase_evaluators.targets.retry import (
    MODEL_RETRIES,
    RetryPolicy,
    TransientError,
    with_retries,
)
from suitecase_evaluators.targets.server_address import server_of
from suitecase_evaluators.targets.target import (
    OUTPUT,
    THINKING,
    Question,
    Reply,
    Target,
    TargetError,
)
from suitecase_evaluators.text.compact_json import compact_json
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

#: Seconds one try may take.
TIMEOUT = 120.0
#: Characters of an answer's thinking that are recorded.
KEPT_OF_THINKING = 20_000
#: The key of the details with the provider's own word for why an answer ended that is not a whole one.
NATIVE_REASON = "native_finish_reason"
#: Seconds that no try takes, whatever waits in the queue of a server.
_LONGEST = 86_400.0


_Way = Literal["openai", "anthropic", "litellm"]


def way_of(call: ModelCall, model: str) -> _Way:
    """Return how a model is asked: by an interface that is spoken here, or through litellm.

    Args:
        model: litellm's name of it, the prefix first.
    """
    if chat_completions.speaks_directly(call, model):
        return "openai"
    return "anthropic" if anthropic_messages.speaks_directly(call, model) else "litellm"


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a model is called: parameters that it refused are left out the next time."""

    firmness: Firmness
    #: Parameters of the question (never of the configuration) that the model does not take.
    left_out: frozenset[str]


class LiteLlmTarget(Target):
    """A model asked through litellm, or directly where litellm would add nothing.

    A question is put again, by one layer only, after a lost connection, a timeout, a reply that
    cannot be read, and the statuses of the retry policy.
    """

    def __init__(
        self,
        config: LlmConfig,
        *,
        environ: Mapping[str, str],
        redactor: Redactor | None = None,
        rate_limits: RateLimits = own_rate_limit,
    ) -> None:
        super().__init__(config.name)
        self._call = model_call(config, environ)
        self._redact = redactor or Redactor()
        if self._call.api_key:
            self._redact.remember_key(self._call.api_key, self._call.address)
        self._price = config.price
        self._model = getattr(config, "model", None)
        self._asks: AnsweredBy | None = config.asks
        self._timeout = as_number(config.timeout_seconds) or TIMEOUT
        self._limit = round((as_number(config.max_response_mb) or MAX_RESPONSE_MB) * MEGABYTE)
        self._policy = RetryPolicy.of(retry_of(config), default_retries=MODEL_RETRIES)
        self._rate = rate_limits(self.name, "requests", as_number(config.rate_limit))
        self._tokens = rate_limits(self.name, "tokens", as_number(config.tokens_per_minute))
        self._environ = environ
        own = own_server_of(config, environ)
        #: What a server of the user's own is answering.
        self._server = None if own is None else calls_at(server_of(own))
        #: What asks, by the name of the way.
        self._ways: dict[_Way, Any] = {}
        #: Response formats and parameters that a model refused, by its name.
        self._refused: dict[str, frozenset[str]] = {}

    async def ask(self, question: Question) -> Reply:
        """Ask the model.

        Raises:
            TargetError: it gave no answer, after all tries.
        """
        way = self._way(self._call.named(question.model))
        with waiting():
            litellm = await way.get()
        started = perf_counter()
        tries = 0

        async def one_try(number: int) -> tuple[_Response, _Manner]:
            nonlocal tries
            tries = number
            return await self._try(litellm, question)

        response, manner = await with_retries(one_try, self._policy)
        return self._reply(
            litellm,
            response,
            row=question.row,
            model=self._call.named(question.model),
            own_model=question.model in (None, self._model),
            seed=self._seed(question, manner),
            duration_ms=(perf_counter() - started) * 1000,
            details={
                "tries": tries,
                **({"response_format": manner.firmness} if question.response_schema else {}),
                **({"left_out": sorted(manner.left_out)} if manner.left_out else {}),
            },
        )

    async def close(self) -> None:
        """Let go of all connections; safe to call twice."""
        for way in self._ways.values():
            await way.close()

    def _way(self, model: str) -> Any:
        """Return what asks a model: an interface of ours, or else litellm."""
        name = way_of(self._call, model)
        if name not in self._ways:
            match name:
                case "openai":
                    way: Any = chat_completions.ChatCompletions(self._call, self._environ)
                case "anthropic":
                    way = anthropic_messages.AnthropicMessages(self._call, self._environ)
                case "litellm":
                    way = Library()
            self._ways[name] = way
        return self._ways[name]

    async def _try(self, litellm: Any, question: Question) -> tuple[_Response, _Manner]:
        """Call the model once; if it refuses a parameter, call it again without it.

        Returns:
            the response, and how it was requested.
        """
        model = self._call.named(question.model)
        refused = self._refused.get(model, frozenset())
        while True:
            manner = _manner(question, refused)
            try:
                response = await self._send(litellm, question, model, manner)
            except _RefusedError as refusal:
                culprit = _culprit(refusal, question, manner)
                if culprit is None:
                    raise refusal.error from None
                refused |= {culprit}
            else:
                if refused:
                    # Only now it is known that the refusal was about these parameters.
                    self._refused[model] = self._refused.get(model, frozenset()) | refused
                return response, manner

    def _seed(self, question: Question, manner: _Manner) -> int | None:
        """Return the seed that was sent: the question's, else the configuration's."""
        if question.seed is not None and "seed" not in manner.left_out:
            return question.seed
        seed = self._call.arguments.get("seed")
        return seed if isinstance(seed, int) else None

    async def _send(
        self, litellm: Any, question: Question, model: str, manner: _Manner
    ) -> _Response:
        """Send one request; return the response.

        Raises:
            _RefusedError: the provider does not take a parameter.
            TransientError: it failed in a way that another try may not.
            TargetError: it failed otherwise.
        """
        own = _own_parameters(question)
        arguments = dict(self._call.arguments) | {
            name: value for name, value in own.items() if name not in manner.left_out
        }
        reply_format = response_format(manner.firmness, question.response_schema)
        if reply_format is not None:
            arguments["response_format"] = reply_format
        if "tools" in arguments:
            # litellm would look for tools of its gateway, with a library that is not installed.
            arguments["_skip_mcp_handler"] = True
        await self._rate.wait()
        estimate = tokens_of(question.turns)
        await self._tokens.wait(estimate)
        RESPONSE_LIMIT.set(self._limit)
        said, replied = bytearray(), bytearray()
        ERROR_BODY.set(said)
        REPLY_BODY.set(replied)
        server = self._server
        limit = asyncio.timeout(self._timeout) if server is None else server.limit(self._timeout)
        try:
            async with limit:
                response = await _completion(
                    litellm,
                    replied,
                    **arguments,
                    model=model,
                    messages=as_messages(question.turns),
                    api_key=self._call.api_key,
                    # The library must not be the first to give up.
                    timeout=self._timeout if server is None else _LONGEST,
                    # This layer alone puts questions again.
                    num_retries=0,
                    max_retries=0,
                )
            usage = reported_tokens(response)
            if usage is not None:
                self._tokens.correct(usage.total - estimate)
            answer = answer_of(response, read_body(replied), of_judge=question.is_read)
            return _Response(response, answer, usage)
        except Exception as error:  # noqa: BLE001 - litellm raises whatever a provider's code does
            request = litellm_error.Asked(
                target=self.name,
                model=model,
                address=self._call.address,
                timeout_seconds=self._timeout,
                policy=self._policy,
                redact=self._redact,
                body=said.decode("utf-8", "replace"),
            )
            # Some providers' code makes an error of its own of being stopped.
            cause = TimeoutError() if limit.expired() else error
            understood = litellm_error.understood(cause, request)
            if not limit.expired() and litellm_error.is_refusal(error, request):
                raise _RefusedError(understood) from None
            # Without its cause, whose words may hold the key.
            raise understood from None

    def _reply(
        self,
        litellm: Any,
        response: _Response,
        *,
        row: Row | None,
        model: str,
        own_model: bool,
        seed: int | None,
        duration_ms: float,
        details: Mapping[str, Any],
    ) -> Reply:
        answer, usage = response.answer, response.usage
        text = answer.text
        calls = [_tool_call(call.function) for call in answer.calls]
        output = text if row is None else _output_of_row(text, answer.calls, row)
        if not isinstance(output, str):
            text = compact_json(output)
            details = {**details, OUTPUT: output}
        beside = {
            PROVIDERS_TEXT: answer.refusal,
            THINKING: self._kept(answer.thinking),
            NATIVE_REASON: answer.native_reason,
        }
        # The price is that of the target's own model.
        price = self._price if own_model else None
        return Reply(
            text=text,
            output_messages=(
                Message(
                    role="assistant",
                    content=text if text or not calls else None,
                    tool_calls=calls or None,
                ),
            ),
            tool_calls=tuple(calls),
            token_usage=usage,
            cost_usd=(
                self._cost(litellm, response.whole, model) if price is None else price.of(usage)
            ),
            duration_ms=duration_ms,
            finish_reason=answer.finish_reason,
            seed=seed,
            model=getattr(response.whole, "model", None),
            response_id=getattr(response.whole, "id", None),
            answered_by=self._asks,
            details={
                "model": model,
                **details,
                **{name: text for name, text in beside.items() if text},
            },
        )

    def _kept(self, thinking: str) -> str:
        """Return what is recorded of thinking; without secrets, since half of one is not recognized."""
        thinking = self._redact(thinking)
        left_out = len(thinking) - KEPT_OF_THINKING
        if left_out <= 0:
            return thinking
        return f"{thinking[:KEPT_OF_THINKING]}... ({left_out:,} more characters left out)"

    def _cost(self, litellm: Any, response: Any, model: str) -> float | None:
        """Return what a reply cost by the list of prices, which are not those of a user's own server."""
        return None if self._call.own_server else cost_of_reply(litellm, response, model)


@dataclass(frozen=True, slots=True)
class _Response:
    """A response, the answer in it, and its tokens."""

    whole: Any
    answer: ModelAnswer
    usage: TokenUsage | None


async def _completion(way: Any, replied: bytearray, **arguments: Any) -> Any:
    """Ask a model once.

    Args:
        replied: where the body of the response is kept, from which one is read that the library cannot.

    Raises:
        FailedReplyError: it is a response whose body says that the call failed.
        Exception: whatever a provider's code raises.
    """
    try:
        return await way.acompletion(**arguments)
    except (asyncio.CancelledError, TimeoutError, UnwantedResponseError):
        raise
    except Exception:
        body = read_body(replied)
        if body is not None and body.failure is not None:
            raise FailedReplyError(body.failure) from None
        if body is None or not body.is_chat:
            raise
        return read_reply(Completion, replied.decode("utf-8", "replace"))


class _RefusedError(Exception):
    """A provider does not take the request as it is; `error` is what to raise at last."""

    def __init__(self, error: TargetError | TransientError) -> None:
        super().__init__(str(error))
        self.error = error


def _manner(question: Question, refused: frozenset[str]) -> _Manner:
    """Return how to put a question to a model that has refused some formats and parameters."""
    steps = ladder(question.response_schema)
    return _Manner(
        firmness=next(step for step in steps if step not in refused),
        left_out=frozenset(name for name in _own_parameters(question) if name in refused),
    )


def _own_parameters(question: Question) -> dict[str, Any]:
    """Return what the question itself sets, before the configuration."""
    given = {
        "temperature": question.temperature,
        "max_tokens": question.max_output_tokens,
        "seed": question.seed,
    }
    return {name: value for name, value in given.items() if value is not None}


def _culprit(refusal: _RefusedError, question: Question, manner: _Manner) -> str | None:
    """Return what to leave out next: what the message names, else how the schema is asked for.

    None where nothing can be left out.
    """
    message = str(refusal.error).lower()
    for name in ("temperature", "seed"):
        sent = name in _own_parameters(question) and name not in manner.left_out
        if sent and name in message:
            return name
    return None if manner.firmness == "prompt" else manner.firmness


def _tool_call(function: Any) -> ToolCall:
    """Return a call; arguments that are not JSON, or give a key twice, stay the text they are."""
    try:
        arguments = parse_json(function.arguments or "null")
    except NotJsonError:
        arguments = function.arguments
    return ToolCall(tool=well_formed(function.name or "").strip() or "unnamed", input=arguments)


def _output_of_row(text: str, calls: Any, row: Row) -> Any:
    """Return the answer as assertions of other tools see it: the tools that were called, or else the value
    of an answer in JSON if the row grades that, or else the text.
    """
    if calls:
        return _with_calls(text, calls)
    if row.grades_json:
        try:
            return parse_json(text, last_key_counts=True)
        except NotJsonError:
            return text  # `is-json` says why
    return text


def _with_calls(text: str, calls: Any) -> Any:
    """Return the answer that promptfoo uses if tools are called: the calls, or the whole message."""
    listed = [
        {
            "id": getattr(call, "id", None),
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": listed} if text else listed


def make(config: LlmConfig, context: TargetContext) -> LiteLlmTarget:
    """Return the target of an entry.

    Raises:
        TargetError: it is asked through litellm, which is not installed.
    """
    call = model_call(config, context.environ)
    needs_litellm = way_of(call, call.named(None)) == "litellm"
    if needs_litellm and not litellm_library.is_installed():
        raise TargetError(
            f"target `{config.name}`: models are called through litellm, which is not installed; "
            f"install it with `{install_command()}`",
            kind="configuration",
        )
    return LiteLlmTarget(
        config,
        environ=context.environ,
        redactor=context.redactor,
        rate_limits=context.rate_limits,
    )
