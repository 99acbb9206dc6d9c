"""The memory of a tenant on a server: `Loomlog`, and `AsyncLoomlog` for asyncio. Both have the same calls."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

import httpx

from loomlog.calls import SpaceCalls
from loomlog.drivers import run, run_async
from loomlog.exchange import Call, Server
from loomlog.feed import FeedReader
from loomlog.wire import is_utf8, shown

if TYPE_CHECKING:
    from types import TracebackType

    from loomlog.types import MemoryEvent

P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M", bound=Callable[..., object])

_default_timeout = 240.0
"""Seconds. A search by a model with tools takes up to 180."""
_longest_timeout = 86_400.0
_largest_port = 65_535


def _blocking(call: Callable[Concatenate[SpaceCalls, P], Call[T]]) -> Callable[Concatenate[Space, P], T]:
    def method(self: Space, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run(self._http, call(self._calls, *args, **kwargs))

    return _described(method, call)


def _awaited(
    call: Callable[Concatenate[SpaceCalls, P], Call[T]],
) -> Callable[Concatenate[AsyncSpace, P], Coroutine[Any, Any, T]]:
    async def method(self: AsyncSpace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await run_async(self._http, call(self._calls, *args, **kwargs))

    return _described(method, call)


def _described(method: M, call: Callable[..., object]) -> M:
    """The method has the name, the text and the parameters of the call."""
    functools.update_wrapper(method, call)
    signature = inspect.signature(call).replace(return_annotation=inspect.Signature.empty)
    vars(method)["__signature__"] = signature
    return method


class Space:
    """A space is made by its first message. Each of its calls checks the name: 1 to 256 characters without a slash."""

    def __init__(self, http: httpx.Client, calls: SpaceCalls) -> None:
        self._http = http
        self._calls = calls

    @property
    def name(self) -> str:
        return self._calls.name

    add = _blocking(SpaceCalls.add)
    recall = _blocking(SpaceCalls.recall)
    context = _blocking(SpaceCalls.context)
    correct = _blocking(SpaceCalls.correct)
    retract = _blocking(SpaceCalls.retract)
    forget = _blocking(SpaceCalls.forget)
    forgetting = _blocking(SpaceCalls.forgetting)
    why = _blocking(SpaceCalls.why)
    impact = _blocking(SpaceCalls.impact)
    list = _blocking(SpaceCalls.list)
    document = _blocking(SpaceCalls.document)
    use_tool = _blocking(SpaceCalls.use_tool)
    end = _blocking(SpaceCalls.end)

    def events(
        self, *, after: str = "-1", types: Sequence[str] | None = None, follow: bool = True
    ) -> Iterator[MemoryEvent]:
        """The feed of the space, as that of `Loomlog.events`."""
        path = f"{self._calls.path}/feed"
        return _events(self._http, FeedReader(self._calls.server, path, after=after, types=types, follow=follow))

    def __repr__(self) -> str:
        return f"<Space {self.name!r} at {self._calls.server.origin}>"


class AsyncSpace:
    """A `Space` for asyncio."""

    def __init__(self, http: httpx.AsyncClient, calls: SpaceCalls) -> None:
        self._http = http
        self._calls = calls

    @property
    def name(self) -> str:
        return self._calls.name

    add = _awaited(SpaceCalls.add)
    recall = _awaited(SpaceCalls.recall)
    context = _awaited(SpaceCalls.context)
    correct = _awaited(SpaceCalls.correct)
    retract = _awaited(SpaceCalls.retract)
    forget = _awaited(SpaceCalls.forget)
    forgetting = _awaited(SpaceCalls.forgetting)
    why = _awaited(SpaceCalls.why)
    impact = _awaited(SpaceCalls.impact)
    list = _awaited(SpaceCalls.list)
    document = _awaited(SpaceCalls.document)
    use_tool = _awaited(SpaceCalls.use_tool)
    end = _awaited(SpaceCalls.end)

    def events(
        self, *, after: str = "-1", types: Sequence[str] | None = None, follow: bool = True
    ) -> AsyncIterator[MemoryEvent]:
        """The feed of the space, as that of `Loomlog.events`."""
        path = f"{self._calls.path}/feed"
        return _events_async(self._http, FeedReader(self._calls.server, path, after=after, types=types, follow=follow))

    def __repr__(self) -> str:
        return f"<AsyncSpace {self.name!r} at {self._calls.server.origin}>"


class Loomlog:
    """The memory of a tenant on a server. A context manager; threads may share it.

    Args:
        url: Such as `http://127.0.0.1:7070`.
        key: Default: none, for a server without keys.
        tenant: Default: that of the key; without keys `default`.
        timeout: Longest time of a call with all of its tries, in seconds.

    Raises:
        ValueError: A parameter is wrong.
    """

    def __init__(
        self, url: str, *, key: str | None = None, tenant: str | None = None, timeout: float = _default_timeout
    ) -> None:
        base, self._server = _server_at(url, key, timeout)
        self._http = httpx.Client(base_url=base, headers=_headers(key, tenant))

    def space(self, name: str) -> Space:
        return Space(self._http, SpaceCalls(self._server, name))

    def events(
        self, *, after: str = "-1", types: Sequence[str] | None = None, follow: bool = True
    ) -> Iterator[MemoryEvent]:
        """The feed of the tenant: the changes of the memory in every space, each space in its order. It resumes after
        broken connections and restarts of the server, without limit once it has answered. Delivery is at least once:
        an event that comes again has the same `id`.

        Args:
            after: `-1`: from the beginning; `now`: only later events; or the `offset` of an event: after that one.
            types: Only these types of CloudEvents. Default: all.
            follow: False: ends after the last event. Default: waits for further ones.
        """
        return _events(self._http, FeedReader(self._server, "/v1/feed", after=after, types=types, follow=follow))

    def close(self) -> None:
        """Closes the connections. Messages that `add` has acknowledged are in the log."""
        self._http.close()

    def __enter__(self) -> Loomlog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Loomlog at {self._server.origin}>"


class AsyncLoomlog:
    """`Loomlog` for asyncio: the same parameters and calls. An asynchronous context manager."""

    def __init__(
        self, url: str, *, key: str | None = None, tenant: str | None = None, timeout: float = _default_timeout
    ) -> None:
        base, self._server = _server_at(url, key, timeout)
        self._http = httpx.AsyncClient(base_url=base, headers=_headers(key, tenant))

    def space(self, name: str) -> AsyncSpace:
        return AsyncSpace(self._http, SpaceCalls(self._server, name))

    def events(
        self, *, after: str = "-1", types: Sequence[str] | None = None, follow: bool = True
    ) -> AsyncIterator[MemoryEvent]:
        """The feed of the tenant, as that of `Loomlog.events`."""
        return _events_async(self._http, FeedReader(self._server, "/v1/feed", after=after, types=types, follow=follow))

    async def close(self) -> None:
        """Closes the connections. Messages that `add` has acknowledged are in the log."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncLoomlog:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncLoomlog at {self._server.origin}>"


def _events(http: httpx.Client, reader: FeedReader) -> Iterator[MemoryEvent]:
    while not reader.has_ended:
        yield from run(http, reader.read())


async def _events_async(http: httpx.AsyncClient, reader: FeedReader) -> AsyncIterator[MemoryEvent]:
    while not reader.has_ended:
        for event in await run_async(http, reader.read()):
            yield event


def _server_at(url: str, key: str | None, timeout: float) -> tuple[str, Server]:
    """The address before every path, and the server for calls."""
    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, TypeError):
        parts = httpx.URL()
    is_host = re.fullmatch(r"[^\s%]+", parts.host) is not None and (parts.port or 0) <= _largest_port
    is_address = parts.scheme in ("http", "https") and is_host
    # In a wrong address, any text before an @ may be a password.
    if parts.userinfo or (not is_address and "@" in str(url)):
        raise ValueError("url has a user name or a password: expected none, and `key` instead")
    if not is_address:
        raise ValueError(f"url is {shown(url)}: expected one such as http://127.0.0.1:7070")
    if not isinstance(timeout, (int, float)) or not 0 < timeout <= _longest_timeout:
        raise ValueError(f"timeout is {shown(timeout)}: expected seconds above 0, and at most {_longest_timeout:.0f}")
    origin = f"{parts.scheme}://{parts.netloc.decode()}"
    return f"{origin}{parts.path.rstrip('/')}", Server(origin, key, timeout)


def _headers(key: str | None, tenant: str | None) -> dict[str, str]:
    if key is not None and not (isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]+", key)):
        raise ValueError("key is empty, or has a character that no header holds: expected printable ASCII")
    if tenant is not None and not (isinstance(tenant, str) and tenant.strip() and is_utf8(tenant)):
        raise ValueError(f"tenant is {shown(tenant)}: expected a name, or None for that of the key")
    return {
        **({} if key is None else {"authorization": f"Bearer {key}"}),
        **({} if tenant is None else {"x-loomlog-tenant": quote(tenant, safe="")}),
    }
