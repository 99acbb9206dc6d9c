"""Run calls over httpx: `run` in the thread of the caller, `run_async` with asyncio. The whole reply has a time limit,
beside those of httpx, which begin again with every chunk.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, TypedDict, TypeVar

import httpx

from loomlog.exchange import NoReply, Reply, Wait

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loomlog.exchange import Call, Outcome, Request

T = TypeVar("T")
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
    ends_at = time.monotonic() + request.seconds
    try:
        with http.stream(request.method, request.path, **_parameters(request)) as response:
            body = b"".join(_within(ends_at, response.iter_bytes()))
            return _reply_of(response, body)
    except (httpx.RequestError, TimeoutError) as error:
        return _no_reply(request, error)


def _within(ends_at: float, chunks: Iterable[bytes]) -> Iterable[bytes]:
    for chunk in chunks:
        yield chunk
        if time.monotonic() >= ends_at:
            raise TimeoutError


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
