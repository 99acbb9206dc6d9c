"""Which requests are sent again and when, the timeout of a call, and secrets in messages."""

from __future__ import annotations

import asyncio
import pickle
import re
import time
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from loomlog import AsyncLoomlog, Loomlog, LoomlogError

from .servers import (
    Answer,
    ScriptedServer,
    broken_off,
    dripping,
    evidence,
    loomlog,
    lost,
    page,
    problem,
    reply,
    scripted_server,
    server_in,
    silent,
)

busy = problem(503, "overloaded", retry_after="0")
appended = reply({"ids": ["a"], "appended": 1, "known": 0, "position": "0@1"}, 201)


def list_blocking(url: str, timeout: float = 10.0) -> object:
    with Loomlog(url, timeout=timeout) as memory:
        return memory.space("x").list("fact")


def list_async(url: str, timeout: float = 10.0) -> object:
    async def page() -> object:
        async with AsyncLoomlog(url, timeout=timeout) as memory:
            return await memory.space("x").list("fact")

    return asyncio.run(page())


both = pytest.mark.parametrize("read", [list_blocking, list_async])
Read = Callable[..., object]


@both
@pytest.mark.parametrize(
    "failures",
    [
        [busy, problem(429, "rate-limited", retry_after="0"), reply("<html>", 502, retry_after="0")],
        [reply("<html>", 504, retry_after="0"), lost, broken_off],
    ],
)
def test_a_read_is_sent_again_after_a_failure_that_may_pass(read: Read, failures: Sequence[Answer]) -> None:
    with scripted_server([*failures, page]) as server:
        assert read(server.url) == {"memories": [], "next": None, "generation": None, "epoch": 0}
        assert len(server.sent) == 4


@both
def test_after_three_retries_the_error_of_the_last_try_is_raised(read: Read) -> None:
    with scripted_server([busy, busy, busy, problem(429, "rate-limited", retry_after="0")]) as server:
        with pytest.raises(LoomlogError) as failure:
            read(server.url)
        assert (failure.value.code, failure.value.status) == ("rate-limited", 429)
        assert len(server.sent) == 4


@both
def test_other_problems_are_raised_at_once(read: Read) -> None:
    for status, code in [(400, "input-invalid"), (404, "not-found"), (500, "view-corrupt")]:
        with scripted_server([problem(status, code)]) as server:
            with pytest.raises(LoomlogError) as failure:
                read(server.url)
            assert (failure.value.code, len(server.sent)) == (code, 1)


def test_a_message_whose_reply_is_lost_is_sent_again_with_the_same_id() -> None:
    with scripted_server([lost, busy, appended]) as server, Loomlog(server.url) as memory:
        memory.space("x").add({"speaker": "Maya", "text": "Hello."})
        memory.space("x").add({"speaker": "Maya", "text": "Hello."})
        first, second, third, other = [request.body for request in server.sent]
        assert first == second == third
        assert re.search(r'"id":"[0-9a-f]{32}"', first)
        assert other != first


def test_a_message_whose_reply_is_lost_is_in_the_log_once(tmp_path: Path) -> None:
    with server_in(tmp_path) as url, Loomlog(url) as memory:
        space = memory.space("x")
        sent: list[Any] = []
        original = space._http.request

        def losing(*arguments: Any, **options: Any) -> Any:
            sent.append(options["content"])
            if len(sent) == 1:
                original(*arguments, **options)
                raise httpx.ReadError("the connection broke off")
            return original(*arguments, **options)

        space._http.request = losing  # type: ignore[method-assign]
        added = space.add({"speaker": "Maya", "text": "Hello."}, conversation="c")
        assert (len(sent), added["appended"], added["known"]) == (2, 0, 1)


def test_a_recall_that_asks_a_model_is_not_sent_again() -> None:
    asking: list[dict[str, Any]] = [{"answer": True}, {"agentic": "yes"}, {"understanding": "model"}]
    for options in asking:
        with scripted_server([busy, reply(evidence)]) as server, Loomlog(server.url) as memory:
            with pytest.raises(LoomlogError):
                memory.space("x").recall("x", **options)
            assert len(server.sent) == 1
    with scripted_server([busy, reply(evidence)]) as server, Loomlog(server.url) as memory:
        memory.space("x").recall("x", answer=False)
        assert len(server.sent) == 2


def wait_before_second(server: ScriptedServer) -> float:
    return server.sent[1].at - server.sent[0].at


@both
def test_retry_after_is_the_wait_as_seconds_or_as_a_date(read: Read) -> None:
    later = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=4), usegmt=True)
    for value, least, most in [("1", 0.99, 2.0), (later, 1.0, 4.0), ("soon", 0.0, 0.9)]:
        with scripted_server([problem(503, "overloaded", retry_after=value), page]) as server:
            read(server.url)
            assert least <= wait_before_second(server) < most


@both
def test_a_wait_that_the_timeout_has_no_room_for_is_not_begun(read: Read) -> None:
    with scripted_server([problem(503, "overloaded", retry_after="3600"), page]) as server:
        start = time.monotonic()
        with pytest.raises(LoomlogError, match="no overloaded"):
            read(server.url, timeout=59.0)
        assert time.monotonic() - start < 1.0
        assert len(server.sent) == 1


@both
@pytest.mark.parametrize("late", [silent, dripping])
def test_the_timeout_ends_a_call_whose_reply_is_late(read: Read, late: Answer) -> None:
    with scripted_server([late]) as server:
        start = time.monotonic()
        with pytest.raises(LoomlogError, match="no reply within 1 s") as failure:
            read(server.url, timeout=0.3)
        assert (failure.value.code, failure.value.status) == ("server-unavailable", None)
        assert time.monotonic() - start < 1.5


@both
def test_where_no_server_answers_the_error_names_the_address(read: Read) -> None:
    with pytest.raises(LoomlogError, match=r"no loomlog server answers at http://127\.0\.0\.1:9 \(.+\)"):
        read("http://127.0.0.1:9", timeout=0.1)


def test_a_cancelled_call_ends_at_once() -> None:
    async def cancelled() -> None:
        async with AsyncLoomlog(server.url) as memory:
            call = asyncio.create_task(memory.space("x").list("fact"))
            await asyncio.sleep(0.2)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

    with scripted_server([problem(503, "overloaded", retry_after="60"), page]) as server:
        asyncio.run(cancelled())
        assert len(server.sent) == 1


def test_another_program_is_no_server_of_loomlog() -> None:
    for status, code in [(200, "input-invalid"), (301, "input-invalid"), (404, "input-invalid"), (500, None)]:
        answer = (
            reply({"detail": "Not Found", "errors": "none"}, status, location="http://127.0.0.1:9/")
            if status != 200
            else html
        )
        with scripted_server([answer]) as server, pytest.raises(LoomlogError, match=f"it answers {status}") as failure:
            Loomlog(server.url).space("x").list("fact")
        assert failure.value.code == (code or "server-unavailable")


def html(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "6")
    handler.end_headers()
    handler.wfile.write(b"<html>")


def test_a_wrong_address_key_tenant_or_timeout_is_refused_without_the_secret() -> None:
    addresses: list[Any] = [
        "127.0.0.1:7070",
        "ftp://host",
        "http://",
        "",
        "http://h:99999",
        "http://h:abc",
        "http://[",
        "http://a b",
        None,
    ]
    for url in addresses:
        with pytest.raises(ValueError, match="url is"):
            Loomlog(url)
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("http://maya:s3cret@host", {}),
        ("http://maya:s3cret@host:abc", {}),
        ("http://maya:s3cret@h:99999", {}),
        ("maya:s3cret@host", {}),
        ("http://host", {"key": "s3cret\n"}),
        ("http://host", {"key": "s3crét"}),
        ("http://host", {"key": ""}),
        ("http://host", {"key": 3}),
        ("http://host", {"tenant": 5}),
        ("http://host", {"tenant": ""}),
        ("http://host", {"tenant": "\ud800"}),
        ("http://host", {"timeout": 0}),
        ("http://host", {"timeout": "10"}),
        ("http://host", {"timeout": float("nan")}),
        ("http://host", {"timeout": float("inf")}),
    ]
    for make in (Loomlog, AsyncLoomlog):
        for url, options in wrong:
            with pytest.raises(ValueError, match=r"^(url|key|tenant|timeout) (is|has) ") as refused:
                make(url, **options)
            assert "s3cr" not in str(refused.value)


def test_a_key_is_sent_and_never_shown(tmp_path: Path) -> None:
    made = loomlog(tmp_path, "keys", "create", "--tenant", "acme", "--scope", "append", "--json")
    key = re.findall(r"[\w.-]{30,}", made)[0]
    with server_in(tmp_path) as url:
        with pytest.raises(LoomlogError) as refused:
            Loomlog(url).space("team").recall("x")
        assert (refused.value.code, refused.value.status) == ("unauthenticated", 401)
        with Loomlog(url, key=key) as memory:
            space = memory.space("team")
            assert space.add({"speaker": "Maya", "text": "Hello."}, conversation="c")["appended"] == 1
            with pytest.raises(LoomlogError) as not_allowed:
                space.recall("x")
            assert (not_allowed.value.code, not_allowed.value.status) == ("not-allowed", 403)
            for value in (memory, space, space._calls, not_allowed.value, vars(not_allowed.value)):
                assert key not in f"{value} {value!r}"
            assert key not in "".join(traceback.format_exception(not_allowed.value))


def test_a_key_that_another_program_repeats_is_not_shown() -> None:
    def echo(handler: Any) -> None:
        reply({"headers": dict(handler.headers)}, 418)(handler)

    with scripted_server([echo]) as server, pytest.raises(LoomlogError, match=r"Bearer \(key\)") as failure:
        Loomlog(server.url, key="s3cret").space("x").list("fact")
    assert "s3cret" not in repr(failure.value)


def test_an_error_survives_a_pickle() -> None:
    error = LoomlogError("not-found", "nothing", status=404, faults=({"pointer": "/a", "detail": "b"},))
    assert vars(pickle.loads(pickle.dumps(error))) == vars(error)
