"""Another program answers in place of a server: a proxy, a service behind a wrong address, an attacker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from loomlog import AsyncLoomlog, Loomlog, LoomlogError, Space

from .servers import Answer, page, reply, scripted_server

key = "s3cret-key"
Read = Callable[..., object]


def list_blocking(url: str, timeout: float = 10.0) -> object:
    with Loomlog(url, key=key, timeout=timeout) as memory:
        return memory.space("x").list("fact")


def list_async(url: str, timeout: float = 10.0) -> object:
    async def page() -> object:
        async with AsyncLoomlog(url, key=key, timeout=timeout) as memory:
            return await memory.space("x").list("fact")

    return asyncio.run(page())


both = pytest.mark.parametrize("read", [list_blocking, list_async])


def raw(reply: bytes) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.wfile.write(reply)

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        reply({"type": "about:blank", "detail": f"bad header authorization: Bearer {key}"}, 400),
        reply({"type": "about:blank", "detail": "no", "title": f"Bearer {key}"}, 400),
        reply({"type": f"urn:loomlog:problem:{key}", "detail": "no"}, 400),
        reply({"type": "about:blank", "detail": "no", "errors": [{"pointer": f"/{key}", "detail": key}]}, 400),
        reply({"headers": {"authorization": f"Bearer {key}"}}, 418),
        reply({"headers": {"authorization": f"Bearer {key}"}}),
        raw(f"HTTP/1.1 200 OK\r\nauthorization {key}\r\n\r\n".encode()),
    ],
)
@both
def test_a_key_in_any_part_of_a_reply_is_not_shown(read: Read, answer: Answer) -> None:
    with scripted_server([answer]) as server, pytest.raises(LoomlogError) as failure:
        read(server.url, timeout=0.5)
    assert "(key)" in f"{vars(failure.value)}"
    assert key not in f"{failure.value!r} {vars(failure.value)}"


def test_the_text_of_a_reply_is_on_one_line_and_seen_whole() -> None:
    unseen = "line\nother\x1b[2J\u202e\u2028\x9b end"
    seen = r"line\nother\x1b[2J\u202e\u2028\x9b end"
    faults = [{"pointer": f"/{unseen}", "detail": unseen}]
    problem = {"type": "about:blank", "title": unseen, "detail": unseen, "errors": faults}
    with scripted_server([reply(problem, 400)]) as server, pytest.raises(LoomlogError) as refused:
        list_blocking(server.url)
    error = refused.value
    assert (str(error), error.title) == (seen, seen)
    assert error.faults == ({"pointer": f"/{seen}", "detail": seen},)
    body = unseen.encode()
    answer = raw(f"HTTP/1.1 404 x\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
    with scripted_server([answer]) as server, pytest.raises(LoomlogError) as failure:
        list_blocking(server.url)
    assert seen in str(failure.value)


def test_letters_of_every_script_are_shown_as_they_are() -> None:
    detail = 'speaker is "Zoë 京子 🦀": expected another'
    answer = reply({"type": "about:blank", "detail": detail}, 400)
    with scripted_server([answer]) as server, pytest.raises(LoomlogError) as refused:
        list_blocking(server.url)
    assert refused.value.detail == detail


@pytest.mark.parametrize(
    "problem",
    [
        {"type": "about:blank", "detail": "no", "errors": {"field": ["message"]}},
        {"type": "about:blank", "detail": "no", "errors": [{"detail": "no"}]},
        {"type": "about:blank", "detail": "no", "errors": [{"pointer": 1, "detail": "no"}]},
        {"type": "about:blank", "detail": "no", "errors": ["no"]},
        {"type": "about:blank", "detail": {"msg": "no"}},
        {"type": 3, "detail": "no"},
    ],
)
def test_a_problem_in_another_form_is_that_of_another_program(problem: object) -> None:
    with scripted_server([reply(problem, 422)]) as server, pytest.raises(LoomlogError, match="answers 422") as failure:
        list_blocking(server.url)
    assert (failure.value.code, failure.value.status, failure.value.faults) == ("input-invalid", 422, ())


calls: dict[str, Callable[[Space], object]] = {
    "add": lambda space: space.add({"speaker": "Maya", "text": "Hello."}),
    "recall": lambda space: space.recall("x"),
    "context": lambda space: space.context(),
    "correct": lambda space: space.correct(by="Maya", action="add", text="x"),
    "retract": lambda space: space.retract(by="Maya", speaker="Maya"),
    "why": lambda space: space.why("x"),
    "impact": lambda space: space.impact("x"),
    "list": lambda space: space.list("fact"),
    "document": lambda space: space.document("x"),
    "use_tool": lambda space: space.use_tool("x", {}),
    "end": lambda space: space.end(),
}
deep = raw(b"HTTP/1.1 200 OK\r\ncontent-length: 1800\r\n\r\n" + b"[" * 900 + b"]" * 900)


@pytest.mark.parametrize("name", calls)
@pytest.mark.parametrize(
    "answer",
    [reply({}), reply(["x"]), reply(None), reply("x"), reply({"ok": True}), deep],
    ids=["empty", "list", "null", "text", "other", "deep"],
)
def test_a_reply_without_the_fields_of_the_call_is_refused(name: str, answer: Answer) -> None:
    with scripted_server([answer]) as server, pytest.raises(LoomlogError, match="it answers 200") as failure:
        calls[name](Loomlog(server.url).space("x"))
    assert (failure.value.code, failure.value.status) == ("input-invalid", 200)


def test_a_reply_whose_fields_are_of_another_kind_is_refused() -> None:
    added = {"ids": ["a"], "appended": 1, "known": 0, "position": "0@1"}
    for name, value in [("ids", 5), ("appended", "1"), ("position", None)]:
        answer = reply({**added, name: value}, 201)
        with scripted_server([answer]) as server, pytest.raises(LoomlogError, match="it answers 201"):
            calls["add"](Loomlog(server.url).space("x"))


@pytest.mark.parametrize("events", [{}, {"a": 1}, ["x"], [[]], "x", 3])
def test_a_feed_of_other_values_than_events_is_refused(events: object) -> None:
    answer = reply(events, stream_next_offset="1", stream_up_to_date="true")
    with scripted_server([answer]) as server, pytest.raises(LoomlogError, match="it answers 200"):
        list(Loomlog(server.url).events(follow=False))


def dripping_headers(handler: BaseHTTPRequestHandler) -> None:
    """A byte now and then: every read is in time, and the headers never end."""
    handler.close_connection = True
    for byte in b"HTTP/1.1 200 OK\r\nx: " + b"x" * 60:
        try:
            handler.wfile.write(bytes([byte]))
        except OSError:
            return
        time.sleep(0.05)


@both
def test_the_timeout_ends_a_call_whose_headers_are_late(read: Read) -> None:
    with scripted_server([dripping_headers]) as server:
        start = time.monotonic()
        with pytest.raises(LoomlogError, match="no reply within 1 s") as failure:
            read(server.url, timeout=0.3)
        assert failure.value.code == "server-unavailable"
        assert time.monotonic() - start < 1.0


def test_the_timeout_holds_on_a_connection_that_is_used_again() -> None:
    with scripted_server([page, page, dripping_headers]) as server, Loomlog(server.url, timeout=0.5) as memory:
        space = memory.space("x")
        space.list("fact")
        time.sleep(0.6)
        space.list("fact")
        start = time.monotonic()
        with pytest.raises(LoomlogError, match="no reply within 1 s"):
            space.list("fact")
        assert time.monotonic() - start < 1.0
