"""The feed as an iterator: to its end, from an offset on, and across failures and a restart of the server."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from queue import Queue

import pytest

from loomlog import AsyncLoomlog, Loomlog, LoomlogError, Space
from loomlog.types import MemoryEvent

from .servers import free_port, lost, problem, reply, scripted_server, server_in


def fact(place: int) -> dict[str, object]:
    return {"id": str(place), "type": "loomlog.fact.recorded", "data": {"saidAt": place}}


def test_a_feed_ends_after_its_last_event_and_continues_after_an_offset(space: Space) -> None:
    space.add({"speaker": "Maya", "text": "I live in Porto."}, conversation="a")
    space.end(conversation="a")
    space.recall("Maya", after=space.end()["position"], reach="derived", wait=30_000)
    wanted = ["loomlog.fact.recorded"]
    facts: list[MemoryEvent] = []
    while not facts:
        facts = list(space.events(types=wanted, follow=False))
    assert [event["data"]["text"] for event in facts if event["type"] == "loomlog.fact.recorded"] == [
        "Maya lives in Porto."
    ]
    assert list(space.events(after=facts[-1]["offset"], types=wanted, follow=False)) == []
    assert list(space.events(after="now", follow=False)) == []


def test_a_follower_outlasts_lost_replies_and_a_server_that_is_away() -> None:
    answers = [
        reply([fact(1), fact(2)], stream_next_offset="5"),
        reply([fact(3)], stream_next_offset="7", stream_up_to_date="true", stream_cursor="c1"),
        *[lost] * 3,
        problem(503, "overloaded", retry_after="0"),
        *[lost] * 3,
        reply([fact(4)], stream_next_offset="9", stream_up_to_date="true", stream_cursor="c2"),
    ]
    with scripted_server(answers) as server, Loomlog(server.url, timeout=0.5) as memory:
        events = memory.space("x").events(types=["a", "b"])
        found = [next(events) for _ in range(4)]
        assert [event["id"] for event in found] == ["1", "2", "3", "4"]
        assert [event["offset"] for event in found] == ["-1", "5", "7", "9"]
        assert [event["data"] for event in found] == [{"said_at": place} for place in (1, 2, 3, 4)]
        queries = [request.path.partition("?")[2] for request in server.sent]
        assert queries[:2] == ["offset=-1&type=a&type=b", "offset=5&type=a&type=b"]
        assert set(queries[2:]) == {"offset=7&type=a&type=b&live=long-poll&cursor=c1"}
        assert len(queries) == 10


def test_a_feed_that_never_answered_or_was_replaced_ends_with_the_error() -> None:
    with scripted_server([problem(503, "overloaded", retry_after="0")]) as server:
        with pytest.raises(LoomlogError, match="no overloaded"):
            next(Loomlog(server.url).events())
        assert len(server.sent) == 4
    gone = [reply([fact(1)], stream_next_offset="5"), problem(410, "log-replaced")]
    with scripted_server(gone) as server:
        events = Loomlog(server.url).events()
        assert next(events)["id"] == "1"
        with pytest.raises(LoomlogError) as replaced:
            next(events)
        assert replaced.value.code == "log-replaced"
    with scripted_server([reply([])]) as server, pytest.raises(LoomlogError, match="is no feed"):
        next(Loomlog(server.url).events())


def test_a_follower_gets_events_from_after_a_restart_of_the_server(tmp_path: Path) -> None:
    port = free_port()
    found: Queue[str] = Queue()

    def follow() -> None:
        with Loomlog(f"http://127.0.0.1:{port}") as memory:
            for event in memory.events(types=["loomlog.topic.sealed"]):
                found.put(event["id"])
                if found.qsize() == 2:
                    return

    def seal(url: str, conversation: str) -> None:
        with Loomlog(url) as memory:
            space = memory.space("team")
            space.add({"speaker": "Maya", "text": "I live in Porto."}, conversation=conversation)
            space.end(conversation=conversation)

    follower = threading.Thread(target=follow, daemon=True)
    with server_in(tmp_path, port=port) as url:
        seal(url, "first")
        follower.start()
        first = found.get(timeout=20)
        found.put(first)
    with server_in(tmp_path, port=port) as url:
        seal(url, "second")
        follower.join(20)
    assert len(set(found.queue)) == 2


def test_an_asynchronous_follower_may_be_cancelled() -> None:
    async def follow() -> None:
        async with AsyncLoomlog(server.url) as memory:
            found = [event["id"] async for event in memory.events()]
            raise AssertionError(found)

    first = reply([fact(1)], stream_next_offset="5", stream_up_to_date="true")
    with scripted_server([first, problem(503, "overloaded", retry_after="60")]) as server:
        with pytest.raises(asyncio.TimeoutError):
            asyncio.run(asyncio.wait_for(follow(), 0.5))
        assert len(server.sent) == 2
