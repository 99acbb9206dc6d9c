"""Run calls over httpx: `run` in the thread of the caller, `run_async` with asyncio. The whole reply has a time limit,
beside those of httpx, which begin again with every chunk.
"""

from __future__ import annotations

import asyncio
import math
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import httpx

from loomlog.exchange import NoReply, Reply, Wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from loomlog.exchange import Call, Outcome, Request

T = TypeVar("T")
_ends_at: ContextVar[float] = ContextVar("ends_at")
"""The end of the request that this thread sends."""
_least_seconds = 0.001


def run(http: httpx.Client, call: Call[T]) -> T:
    outcome: Outcome = None
    while True:
        try:
            step = call.send(outcome)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if isinstance(step, Wait):
            time.sleep(step.seconds)
            outcome = None
        else:
            outcome = _sent(http, step)


async def run_async(http: httpx.AsyncClient, call: Call[T]) -> T:
    outcome: Outcome = None
    while True:
        try:
            step = call.send(outcome)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if isinstance(step, Wait):
            await asyncio.sleep(step.seconds)
            outcome = None
        else:
            outcome = await _sent_async(http, step)


def _sent(http: httpx.Client, request: Request) -> Outcome:
    _ends_at.set(time.monotonic() + request.seconds)
    try:
        response = http.request(request.method, request.path, **_parameters(request), extensions={"trace": _bound})
        return _reply_of(response, response.content)
    except (httpx.RequestError, TimeoutError) as error:
        return _no_reply(request, error)


def _bound(event: str, info: dict[str, Any]) -> None:
    """A trace of httpcore. It bounds the steps to a new connection, and every read and write on it, by the end of the
    request that uses it: without it a limit holds for one read, however many there are.
    """
    if "timeout" in info:
        info["timeout"] = _left()
    if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
        stream = info["return_value"]
        for name in ("read", "write"):
            setattr(stream, name, _bounded(getattr(stream, name)))


def _bounded(step: Callable[..., T]) -> Callable[..., T]:
    def bounded(content: object, timeout: float | None = None) -> T:
        return step(content, timeout=_left())

    return bounded


def _left() -> float:
    left = _ends_at.get() - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


async def _sent_async(http: httpx.AsyncClient, request: Request) -> Outcome:
    try:
        sent = http.request(request.method, request.path, **_parameters(request))
        response = await asyncio.wait_for(sent, max(request.seconds, _least_seconds))
        return _reply_of(response, response.content)
    except (httpx.RequestError, asyncio.TimeoutError) as error:
        return _no_reply(request, error)


def _reply_of(response: httpx.Response, body: bytes) -> Reply:
    return Reply(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


def _no_reply(request: Request, error: Exception) -> NoReply:
    if isinstance(error, (httpx.TimeoutException, asyncio.TimeoutError, TimeoutError)):
        return NoReply(f"no reply within {math.ceil(request.seconds)} s")
    return NoReply(str(error) or type(error).__name__)


class _Parameters(TypedDict):
    params: httpx.QueryParams | None
    content: bytes | None
    headers: dict[str, str]
    timeout: float


def _parameters(request: Request) -> _Parameters:
    return _Parameters(
        params=httpx.QueryParams(list(request.query)) if request.query else None,
        content=request.body,
        headers={} if request.body is None else {"content-type": "application/json"},
        timeout=max(request.seconds, _least_seconds),
    )
