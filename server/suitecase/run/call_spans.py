"""Spans for calls of targets and judges.

Names, kinds and attributes follow OpenTelemetry's semantic conventions for generative AI
(https://opentelemetry.io/docs/specs/semconv/gen-ai/): calling a model is `chat`, calling a program
is `invoke_agent`. The conventions are still in development; these are the names of the version with
`gen_ai.provider.name`, which replaced `gen_ai.system`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from suitecase.run.tracing import Attributes, OpenSpan, Tracing
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.model_call import model_call
from suitecase_evaluators.targets.target import (
    Question,
    Reply,
    Target,
    TargetError,
    TargetErrorKind,
)

if TYPE_CHECKING:
    from opentelemetry.trace import SpanContext

#: litellm's names of providers to the conventions' names, where they differ.
PROVIDERS: Mapping[str, str] = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "cohere_chat": "cohere",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}

#: Parameters that the conventions name as litellm does.
_PARAMETERS = (
    "temperature",
    "max_tokens",
    "seed",
    "top_p",
    "top_k",
    "frequency_penalty",
    "presence_penalty",
)

#: Descriptions of errors where the original message may quote the question.
_ERRORS: Mapping[TargetErrorKind, str] = {
    "configuration": "the target is not set up",
    "unreachable": "the target could not be reached",
    "timeout": "the target did not answer in time",
    "rejected": "the target refused the question",
    "failed": "the target failed",
}


@dataclass(frozen=True, slots=True)
class TracedCase:
    """The case that the current task runs, for the spans of its calls."""

    tracing: Tracing
    #: Attributes of every span of the case.
    attributes: Attributes
    role: Literal["target", "judge"] = "target"
    #: The spans of the target's answers, to which evaluations link.
    answers: list[SpanContext] = field(default_factory=list)


#: None outside of cases, and when tracing is off.
TRACED_CASE: ContextVar[TracedCase | None] = ContextVar("suitecase_traced_case", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Callee:
    """The callee in the conventions' terms."""

    operation: Literal["chat", "invoke_agent"]
    provider: str
    kind: Literal["client", "internal"]
    model: str | None = None
    agent: str | None = None
    address: str | None = None
    port: int | None = None
    #: Parameters of every request, with litellm's names.
    parameters: Mapping[str, Any] = field(default_factory=dict)


def callee_of(config: TargetConfig, model: str | None = None) -> Callee:
    """Return the callee of a target.

    Args:
        config: the target's configuration, with placeholders filled in.
        model: the requested model; None for the target's own.
    """
    match config:
        case LlmConfig():
            call = model_call(config, {})
            prefix, slash, name = call.named(model).partition("/")
            provider = prefix if slash else "litellm"
            address, port = _server(call.address)
            return Callee(
                operation="chat",
                provider=PROVIDERS.get(provider, provider),
                kind="client",
                model=name if slash else prefix,
                address=address,
                port=port,
                parameters=call.arguments,
            )
        case _ if config.asks == "program":
            provider = str(config.provider)
            return Callee(
                operation="invoke_agent", provider=provider, kind="client", agent=config.name
            )
        case _:
            return Callee(
                operation="chat", provider=str(config.provider), kind="internal", model=model
            )


class TracedTarget(Target):
    """A target that records a span per call if the case is traced."""

    def __init__(self, target: Target, config: TargetConfig) -> None:
        """
        Args:
            config: the target's configuration, with placeholders filled in.
        """
        super().__init__(target.name)
        self._target = target
        self._config = config
        self._callees: dict[str | None, Callee] = {}

    async def ask(self, question: Question) -> Reply:
        case = TRACED_CASE.get()
        if case is None:
            return await self._target.ask(question)
        if question.model not in self._callees:
            self._callees[question.model] = callee_of(self._config, question.model)
        callee = self._callees[question.model]
        with _call_span(case, callee, self.name, question) as span:
            try:
                reply = await self._target.ask(question)
            except TargetError as error:
                span.put(_request_attributes(question, callee))
                description = error.message if case.tracing.content else _ERRORS[error.kind]
                span.fail(error.kind, description)
                raise
            span.put(_request_attributes(question, callee, reply.details.get("left_out", ())))
            span.put(_response_attributes(reply))
            if case.tracing.content:
                span.put({"gen_ai.output.messages": case.tracing.json([_output(reply)])})
            return reply

    async def close(self) -> None:
        await self._target.close()


@contextmanager
def _call_span(
    case: TracedCase, callee: Callee, name: str, question: Question
) -> Iterator[OpenSpan]:
    subject = callee.agent or callee.model
    title = f"{callee.operation} {subject}" if subject else callee.operation
    attributes: Attributes = {
        **case.attributes,
        "gen_ai.operation.name": callee.operation,
        "gen_ai.provider.name": callee.provider,
        "gen_ai.agent.name": callee.agent,
        "gen_ai.request.model": callee.model,
        "gen_ai.output.type": "json" if question.response_schema else None,
        "server.address": callee.address,
        "server.port": callee.port,
        "suitecase.target.name": name,
        "suitecase.target.role": case.role,
        "suitecase.evaluator.name": question.judging.evaluator if question.judging else None,
        "suitecase.attempt": question.attempt,
    }
    if case.tracing.content:
        messages = [
            {"role": turn.role, "parts": [{"type": "text", "content": turn.text}]}
            for turn in question.turns
        ]
        attributes = {**attributes, "gen_ai.input.messages": case.tracing.json(messages)}
    with case.tracing.span(title, attributes, kind=callee.kind) as span:
        yield span
        if case.role == "target" and span.context is not None:
            case.answers.append(span.context)


def _request_attributes(
    question: Question, callee: Callee, left_out: Collection[str] = ()
) -> Attributes:
    """Return the parameters of a request.

    Args:
        left_out: parameters of the question that the provider did not accept.
    """
    own = {
        "temperature": question.temperature,
        "max_tokens": question.max_output_tokens,
        "seed": question.seed,
    }
    sent = {
        **callee.parameters,
        **{name: it for name, it in own.items() if it is not None and name not in left_out},
    }
    return {
        f"gen_ai.request.{name}": sent[name]
        for name in (_PARAMETERS if callee.operation == "chat" else ())
        if isinstance(sent.get(name), int | float)
    }


def _response_attributes(reply: Reply) -> Attributes:
    usage = reply.token_usage
    return {
        "gen_ai.response.model": reply.model,
        "gen_ai.response.id": reply.response_id,
        "gen_ai.response.finish_reasons": [reply.finish_reason] if reply.finish_reason else None,
        "gen_ai.usage.input_tokens": None if usage is None else usage.input,
        "gen_ai.usage.output_tokens": None if usage is None else usage.output,
        "suitecase.cost_usd": reply.cost_usd,
    }


def _output(reply: Reply) -> dict[str, Any]:
    """Return an answer in the conventions' schema of output messages."""
    calls = [
        {"type": "tool_call", "name": call.tool, "arguments": call.input}
        for call in reply.tool_calls
    ]
    texts = [{"type": "text", "content": reply.text}] if reply.text or not calls else []
    return {
        "role": "assistant",
        "parts": [*texts, *calls],
        "finish_reason": reply.finish_reason or "stop",
    }


def _server(address: str | None) -> tuple[str | None, int | None]:
    """Return the host and the port of an address; the rest may contain secrets."""
    if address is None:
        return None, None
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None, None
    return parts.hostname, port
