"""The calls of a space, on a server of this tree."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from loomlog import AsyncLoomlog, AsyncSpace, Loomlog, LoomlogError, Space
from loomlog.types import Message, Utterance

from .servers import effects, evidence, problem, reply, scripted_server

moved: Message = {
    "speaker": "Maya",
    "text": "I moved to Porto last week.",
    "at": datetime(2026, 3, 2, 9, tzinfo=timezone.utc),
}


def derived(space: Space) -> None:
    """Waits until the memory has the facts of the messages so far."""
    space.end(conversation="standup")
    space.recall("Maya", after=space.end()["position"], reach="derived", wait=30_000)


def test_messages_become_evidence_facts_documents_and_lineage(space: Space) -> None:
    added = space.add(moved, conversation="standup")
    assert (added["appended"], added["known"], len(added["ids"])) == (1, 0, 1)
    assert space.add([moved], conversation="standup")["known"] == 1
    found = space.recall("Where does Maya live?", limit=5)
    assert "Maya: I moved to Porto last week." in found["text"]
    assert found["memories"][0]["sources"] == added["ids"]
    assert found["left_out"] == []
    derived(space)
    facts = space.list("fact", conversation="standup", limit=10)["memories"]
    lives = next(fact for fact in facts if fact["text"] == "Maya lives in Porto.")
    assert lives["known_to"] is None
    assert space.why(lives["id"])["causes"][-1]["id"] == added["ids"][0]
    assert space.impact(lives["id"], limit=1)["left_out"] > 0
    profile = space.list("profile")["memories"][0]
    assert "lives in Porto" in space.document(profile["id"])["text"]
    assert "Porto" in space.context("Where does Maya live?", budget=500)["text"]
    assert "Porto" in "".join(space.use_tool("exact_pattern", {"pattern": "Porto"})["lines"])
    corrected = space.correct(action="replace", memory=lives["id"], text="Maya lives in Braga.", by="Maya")
    assert corrected["appended"] == 1
    space.recall("Maya", after=corrected["position"], reach="derived", wait=30_000)
    assert "Maya lives in Braga." in [fact["text"] for fact in space.list("fact")["memories"]]
    tried = space.retract(by="Maya", conversation="standup", dry_run=True)
    assert tried["dry_run"]
    assert len(tried["downstream"]["boxes"]) == 1
    retracted = space.retract(by="Maya", speaker="Maya", from_=date(2026, 3, 2), to=date(2026, 3, 3))
    space.recall("Maya", after=retracted["position"], reach="derived", wait=30_000)
    assert space.list("utterance")["memories"] == []
    assert added["ids"][0] in [each["id"] for each in space.list("utterance", state="all")["memories"]]


def test_a_forgotten_speaker_is_gone_and_the_certificate_says_so(space: Space) -> None:
    space.add([moved, {"speaker": "Mallory", "text": "I live in Canarytown."}], conversation="standup")
    tried = space.forget(speaker="Mallory", by="Ines", preview=True)
    assert (tried["id"], tried["utterances"], tried["kept"]) == (None, 1, 1)
    assert "Canarytown" in space.recall("Where does Mallory live?")["text"]
    requested = space.forget(speaker="Mallory", to=date(2100, 1, 1), by="Ines", preview=False)
    forgetting = requested["id"]
    assert forgetting is not None
    details = space.forgetting(forgetting)
    deadline = time.monotonic() + 60
    while details["status"] != "certified" and time.monotonic() < deadline:
        time.sleep(0.2)
        details = space.forgetting(forgetting)
    certificate = details["certificate"]
    assert certificate is not None
    assert (certificate["id"], certificate["space"], certificate["kept"]) == (forgetting, space.name, 1)
    found = space.recall("Where does Mallory live?")["text"]
    assert "Canarytown" not in found
    assert "Porto" in found
    with pytest.raises(LoomlogError, match="there is no forgetting nope"):
        space.forgetting("nope")
    wrong: Any = space
    with pytest.raises(TypeError, match="speeker"):
        wrong.forget(speeker="Mallory", by="Ines", preview=False)


def test_chat_messages_are_taken_as_openai_writes_them(space: Space) -> None:
    chat: list[Message] = [
        {"role": "user", "content": "I moved to Porto.", "tool_calls": None, "refusal": None},
        {"role": "assistant", "content": [{"type": "text", "text": "Good luck there!"}]},
    ]
    assert space.add(chat, conversation="chat")["appended"] == 2
    assert "assistant: Good luck there!" in space.recall("luck", speaker="assistant")["text"]


def test_the_asynchronous_client_has_the_same_calls(url: str) -> None:
    async def conversation() -> None:
        async with AsyncLoomlog(url) as memory:
            space = memory.space("async")
            await space.add(moved, conversation="standup")
            await space.end(conversation="standup")
            position = (await space.end())["position"]
            found = await space.recall("Where does Maya live?", after=position, reach="derived", wait=30_000)
            assert "Porto" in found["text"]
            types = [event["type"] async for event in space.events(follow=False)]
            assert "loomlog.fact.recorded" in types
            with pytest.raises(LoomlogError, match="nope"):
                await space.document("nope")
            wrong: Any = space
            with pytest.raises(TypeError, match="limti"):
                await wrong.recall("x", limti=3)

    asyncio.run(conversation())
    calls = {name for name in vars(Space) if not name.startswith("_")}
    assert calls == {name for name in vars(AsyncSpace) if not name.startswith("_")}


def test_any_number_of_messages_is_sent_in_parts_of_500(space: Space) -> None:
    start = datetime(2026, 3, 2, tzinfo=timezone(timedelta(hours=2)))
    messages: list[Message] = [
        {"speaker": "Maya", "text": f"Number {n}.", "at": start + timedelta(seconds=n)} for n in range(1_203)
    ]
    added = space.add((message for message in messages), conversation="numbers")
    assert (added["appended"], len(set(added["ids"]))) == (1_203, 1_203)
    assert space.add(messages, conversation="numbers")["known"] == 1_203
    large: list[Message] = [{"speaker": "Maya", "text": "界" * 20_000, "id": f"large-{n}"} for n in range(20)]
    assert space.add(large, conversation="large")["appended"] == 20


def test_a_refused_part_names_the_message_and_how_many_are_in_the_log(space: Space) -> None:
    messages: list[Utterance] = [{"speaker": "Maya", "text": f"Number {n}."} for n in range(601)]
    messages[600]["text"] = "long " * 20_000
    with pytest.raises(LoomlogError, match="the first 500 messages are in the log") as refused:
        space.add(messages, conversation="numbers")
    error = refused.value
    assert (error.code, error.status, error.title) == ("input-invalid", 400, "input invalid")
    assert error.faults[0]["pointer"].startswith("/600")


def test_wrong_parameters_are_refused_before_anything_is_sent() -> None:
    with scripted_server([reply({})]) as server, Loomlog(server.url) as memory:
        space: Any = memory.space("x")
        with pytest.raises(TypeError, match=r"there is no parameter limti: expected some of .*limit"):
            space.recall("x", limti=3)
        with pytest.raises(TypeError, match="conversaton"):
            space.end(conversaton="x")
        with pytest.raises(TypeError, match="messages is 'hello'"):
            space.add("hello")
        with pytest.raises(TypeError, match=r"messages\[1\] is 'hello'"):
            space.add([moved, "hello"])
        with pytest.raises(ValueError, match=r"messages\[0\]\.at is 2026-03-02T09:00:00: .* time zone"):
            space.add({"speaker": "Maya", "text": "x", "at": datetime(2026, 3, 2, 9)})
        with pytest.raises(ValueError, match="true_at is"):
            space.recall("x", true_at=datetime(2026, 3, 2))
        with pytest.raises(ValueError, match=r"messages\[0\] has no form in JSON"):
            space.add({"speaker": "Maya", "text": {"a"}})
        with pytest.raises(TypeError, match="arguments is 'Porto'"):
            space.use_tool("exact_pattern", "Porto")
        with pytest.raises(ValueError, match="types is"):
            space.events(types="loomlog.fact.recorded")
        with pytest.raises(TypeError, match="after is 3"):
            space.events(after=3)
        with pytest.raises(TypeError, match="memory is None"):
            space.why(None)
        with pytest.raises(LoomlogError, match=r"space is '\.\.'"):
            memory.space("..").recall("x")
        assert server.sent == []


def test_names_are_in_camel_case_and_percent_encoded_on_the_wire() -> None:
    recalled = {**evidence, "leftOut": [{"upTo": 1}], "downstream": {"someId": [{"keyId": 1}]}}
    with scripted_server([reply(recalled), reply(effects)]) as server:
        with Loomlog(server.url + "/base/", key="k1", tenant="a/ü") as memory:
            space = memory.space("a b/ü?#")
            found: Any = space.recall("x", exclude_last="chat=2", from_=date(2026, 3, 2), answer=None)
            space.impact("m/1", limit=2)
        assert found["left_out"] == [{"up_to": 1}]
        assert found["downstream"] == {"someId": [{"key_id": 1}]}
        first, second = server.sent
        assert first.path == "/base/v1/spaces/a%20b%2F%C3%BC%3F%23/recall"
        assert json.loads(first.body) == {"query": "x", "excludeLast": "chat=2", "from": "2026-03-02"}
        assert (first.headers["authorization"], first.headers["x-loomlog-tenant"]) == ("Bearer k1", "a%2F%C3%BC")
        assert second.path.endswith("/memories/m%2F1/impact?limit=2")


def test_an_error_has_the_problem_of_the_server(memory: Loomlog) -> None:
    with pytest.raises(LoomlogError) as refused:
        memory.space("x").recall("x", limit=999)
    assert (refused.value.code, refused.value.status) == ("input-invalid", 400)
    assert refused.value.detail == str(refused.value)
    with scripted_server([problem(409, "id-conflict")]) as server, pytest.raises(LoomlogError) as conflict:
        Loomlog(server.url).space("x").add(moved)
    assert (conflict.value.code, conflict.value.status, conflict.value.title) == ("id-conflict", 409, "a title")
