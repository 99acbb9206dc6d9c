"""Requests and replies without I/O: a call is a generator that yields requests and waits, and returns its result.

A driver (`drivers.py`) sends the requests, with or without asyncio, so both clients share this code. A request that
may be repeated is sent again after a failure that may pass.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any, Literal, TypeVar

from loomlog.errors import Fault, LoomlogError
from loomlog.wire import with_snake_names

T = TypeVar("T")

_few_retries = 3
_endless_try_seconds = 60.0
"""Longest time of one of endless tries. The server answers a live read after 20 s."""
_passing_statuses = (429, 502, 503, 504)
"""The server, or a proxy before it, is busy or away for now."""
_first_wait_seconds = 0.2
_longest_wait_seconds = 5.0
_longest_asked_wait_seconds = 60.0
_shown_characters = 200
_urn = "urn:loomlog:problem:"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """Percent-encoded."""
    query: Sequence[tuple[str, str]] = ()
    body: bytes | None = field(default=None, repr=False)
    seconds: float = 0.0
    """Longest time until the whole reply is there."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class NoReply:
    """No server answers, or the reply breaks off."""

    reason: str


@dataclass(frozen=True)
class Wait:
    seconds: float


Outcome = Reply | NoReply | None
"""Of a request its reply, if there is one; of a wait nothing."""
Call = Generator[Request | Wait, Outcome, T]
Retries = Literal["none", "few", "endless"]
"""`endless`: until there is a reply, regardless of the timeout of a call."""


@dataclass(frozen=True)
class Server:
    """The address of a server, as far as calls need it."""

    origin: str
    secret: str | None = field(repr=False)
    """The key, which no message shows."""
    timeout: float
    """Longest time of a call with all of its tries, in seconds."""


@dataclass(frozen=True)
class Content:
    json: Any
    """Its fields have names in snake_case. None: the reply has no content."""
    headers: Mapping[str, str]


def exchanged(
    server: Server, request: Request, retries: Retries, is_expected: Callable[[object], bool]
) -> Call[Content]:
    """The reply to a request. A wait that the timeout has no room for isn't begun.

    Args:
        is_expected: Whether content is that of a server of loomlog.

    Raises:
        LoomlogError: The problem of the last reply, or `server-unavailable`.
    """
    is_endless = retries == "endless"
    most = {"none": 0, "few": _few_retries, "endless": math.inf}[retries]
    ends_at = math.inf if is_endless else time.monotonic() + server.timeout
    for tried in count():
        left = ends_at - time.monotonic()
        outcome = yield replace(request, seconds=_endless_try_seconds if is_endless else max(left, 0.0))
        result = _result_of(server, request, outcome, is_expected)
        if isinstance(result, Content):
            return result
        wait = _wait_before(tried + 1, outcome)
        if not _may_pass(outcome) or tried >= most or time.monotonic() + wait >= ends_at:
            raise result
        yield Wait(wait)
    raise AssertionError("there is always a further try")


def _may_pass(outcome: Outcome) -> bool:
    return not isinstance(outcome, Reply) or outcome.status in _passing_statuses


def _wait_before(retry: int, outcome: Outcome) -> float:
    """As long as the server asks, else exponential with full jitter."""
    asked = _asked_wait(outcome.headers.get("retry-after")) if isinstance(outcome, Reply) else None
    if asked is not None:
        return min(max(0.0, asked), _longest_asked_wait_seconds)
    longest = min(_longest_wait_seconds, _first_wait_seconds * math.ldexp(1.0, min(retry - 1, 10)))
    return random.uniform(0.0, longest)  # noqa: S311


def _asked_wait(retry_after: str | None) -> float | None:
    """Seconds of the header `Retry-After`, which has seconds or a date. None: it asks for no wait."""
    if retry_after is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", retry_after):
        return float(retry_after)
    try:
        return (parsedate_to_datetime(retry_after) - datetime.now(timezone.utc)).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return None


def _result_of(
    server: Server, request: Request, outcome: Outcome, is_expected: Callable[[object], bool]
) -> Content | LoomlogError:
    if not isinstance(outcome, Reply):
        reason = outcome.reason if isinstance(outcome, NoReply) else "no request was sent"
        detail = f"no loomlog server answers at {server.origin} ({_safe(server, reason)})"
        return LoomlogError("server-unavailable", detail)
    is_ok = 200 <= outcome.status < 300
    value = None if outcome.status == 204 else _parsed(outcome.body)
    if is_ok and is_expected(value):
        return Content(value, outcome.headers)
    if not is_ok and isinstance(value, dict) and _is_problem(value):
        return _error_of(server, value, outcome.status)
    return _foreign_error(server, request, outcome)


def _is_problem(value: Mapping[str, Any]) -> bool:
    """Other programs have problems too, with faults in other forms."""
    faults = value.get("errors") or []
    are_faults = isinstance(faults, list) and all(
        isinstance(each, dict) and _has_texts(each, "pointer", "detail") for each in faults
    )
    return are_faults and _has_texts(value, "type", "detail")


def _has_texts(value: Mapping[str, object], *names: str) -> bool:
    return all(isinstance(value.get(name), str) for name in names)


def _error_of(server: Server, problem: Mapping[str, Any], status: int) -> LoomlogError:
    """A type of `about:blank` leaves the reason to the status."""
    kind, title = problem["type"], problem.get("title")
    return LoomlogError(
        _safe(server, kind[len(_urn) :]) if kind.startswith(_urn) else _code_of(status),
        _safe(server, problem["detail"]),
        status=status,
        title=_safe(server, title) if isinstance(title, str) else None,
        faults=tuple(
            Fault(pointer=_safe(server, each["pointer"]), detail=_safe(server, each["detail"]))
            for each in problem.get("errors") or ()
        ),
    )


def _code_of(status: int) -> str:
    if status == 410:
        return "log-replaced"
    return "server-unavailable" if status >= 500 else "input-invalid"


def _foreign_error(server: Server, request: Request, reply: Reply) -> LoomlogError:
    """Another program answers, such as a proxy."""
    text = _safe(server, reply.body.decode(errors="replace"))
    answer = f"it answers {reply.status} {text[:_shown_characters]}"
    if reply.status >= 500:
        detail = f"no loomlog server at {server.origin}: {answer}"
        return LoomlogError("server-unavailable", detail, status=reply.status)
    detail = f"{server.origin}{request.path} is no address of loomlog: {answer}"
    return LoomlogError("input-invalid", detail, status=reply.status)


def _safe(server: Server, text: str) -> str:
    """Text of a reply for a message: on one line that shows it whole, and without the key. Another program may repeat
    the headers of the request in its reply.
    """
    shown = text if server.secret is None else text.replace(server.secret, "(key)")
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in shown)


_no_json = object()


def _parsed(body: bytes) -> Any:
    try:
        return with_snake_names(json.loads(body))
    except (ValueError, RecursionError):
        return _no_json
