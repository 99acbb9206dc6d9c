"""The store of LangGraph on a server of this tree, alone, in a graph, and shared with the store for TypeScript."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, Op, PutOp, SearchOp

from loomlog import Loomlog, Space
from loomlog.labelled import LabelledItems, NewItem
from loomlog.langgraph import LoomlogStore

from .servers import node, root

maya = ("users", "maya")


def keys_of(store: BaseStore, *prefix: str, **search: Any) -> list[str]:
    return ["/".join([*item.namespace, item.key]) for item in store.search(prefix, **search)]


def test_an_item_is_kept_replaced_and_deleted_for_every_store_of_the_conversation(space: Space) -> None:
    store, other = LoomlogStore(space), LoomlogStore(space)
    assert store.get(maya, "home") is None
    store.put(maya, "home", {"text": "Maya lives in Lisbon.", "floor": 2})
    first = other.get(maya, "home")
    assert first is not None
    assert (first.value, first.namespace, first.key) == ({"text": "Maya lives in Lisbon.", "floor": 2}, maya, "home")
    store.put(maya, "home", {"text": "Maya lives in Porto.", "floor": 3})
    second = other.get(maya, "home")
    assert second is not None
    assert second.value == {"text": "Maya lives in Porto.", "floor": 3}
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    store.put(maya, "home", {"text": "Maya lives in Porto.", "floor": 3})
    assert other.get(maya, "home") == second
    found = space.recall("Where does Maya live?", kind="utterance")["text"]
    assert "Porto" in found
    assert "Lisbon" not in found
    store.put(maya, "home", {"text": "Maya lives in Porto.", "floor": 1})
    store.put(maya, "home", {"text": "Maya lives in Porto.", "floor": True})
    third = other.get(maya, "home")
    assert third is not None
    assert third.value["floor"] is True
    store.delete(maya, "home")
    assert other.get(maya, "home") is None
    assert other.list_namespaces() == []
    assert other.search(()) == []


def test_items_are_found_by_namespace_filter_and_query(space: Space) -> None:
    store = LoomlogStore(space)
    puts: list[Op] = [
        PutOp(maya, "cat", {"text": "Maya has a cat called Miso.", "year": 2021}),
        PutOp(maya, "boat", {"text": "Maya repairs the engine of a boat.", "year": 2024}),
        PutOp(("users", "tomas"), "cat", {"text": "Tomas has a cat called Nori.", "year": 2023}),
        PutOp(maya, "hidden", {"text": "Maya hides a cat.", "year": 2020}, index=False),
        PutOp(("docs",), "a", {"title": "On bees", "text": "A cat."}, index=["title"]),
    ]
    assert store.batch(puts) == [None] * 5
    assert len(keys_of(store)) == 5
    assert sorted(keys_of(store, *maya)) == ["users/maya/boat", "users/maya/cat", "users/maya/hidden"]
    assert keys_of(store, "users", filter={"year": {"$gt": 2023}}) == ["users/maya/boat"]
    assert len(keys_of(store, "users", limit=2, offset=3)) == 1
    assert keys_of(store, *maya, query="What is the cat called?")[0] == "users/maya/cat"
    assert "users/maya/hidden" not in keys_of(store, query="cat")
    assert keys_of(store, "users", query="cat", filter={"year": 2023}) == ["users/tomas/cat"]
    ranked = keys_of(store, "users", query="cat")
    assert keys_of(store, "users", query="cat", limit=1, offset=1) == ranked[1:2]
    best, *rest = store.search((), query="bees")
    assert best.key == "a"
    assert best.score is not None
    assert all((item.score or 0) <= best.score for item in rest)
    assert sorted(store.list_namespaces(prefix=("users",))) == [maya, ("users", "tomas")]
    assert sorted(store.list_namespaces(max_depth=1)) == [("docs",), ("users",)]


def test_a_batch_reads_the_items_before_its_writes_and_its_last_write_of_a_key_counts(space: Space) -> None:
    store = LoomlogStore(space)
    results = store.batch(
        [
            GetOp(maya, "home"),
            PutOp(maya, "home", {"text": "Lisbon"}),
            PutOp(maya, "home", {"text": "Porto"}),
            SearchOp(maya),
        ]
    )
    assert results == [None, None, None, []]
    item = asyncio.run(store.aget(maya, "home"))
    assert item is not None
    assert item.value == {"text": "Porto"}


def test_wrong_items_are_refused_and_change_nothing(space: Space) -> None:
    store = LoomlogStore(space)
    with pytest.raises(InvalidNamespaceError):
        store.put((), "x", {})
    wrong: list[Any] = [{"n": float("nan")}, {"n": {1, 2}}, {"n": "half of \ud800"}, [1], "text"]
    puts = [*[PutOp(maya, "x", value) for value in wrong], PutOp(maya, "\ud800", {}), PutOp((), "x", {})]
    number: Any = 3
    for put in [*puts, PutOp(maya, number, {}), PutOp((number,), "x", {})]:
        with pytest.raises(ValueError, match=r"^the (item|value)"):
            store.batch([PutOp(maya, "y", {"a": 1}), put])
    with pytest.raises(NotImplementedError):
        store.put(maya, "x", {}, ttl=5)
    assert store.search(()) == []


def test_a_put_with_another_index_replaces_the_words_that_a_query_finds(space: Space) -> None:
    store = LoomlogStore(space)
    value = {"text": "Maya lives in Porto.", "note": "A cat called Miso."}
    indexes: list[tuple[Any, bool, bool]] = [
        (None, True, True),
        (False, False, False),
        (["text"], True, False),
        (["note"], False, True),
        (None, True, True),
    ]
    for index, is_place_found, is_cat_found in indexes:
        store.put(maya, "home", value, index)
        assert keys_of(store) == ["users/maya/home"]
        text = space.list("utterance", conversation="langgraph", limit=500)["memories"][-1]["text"]
        assert ("Porto" in text, "Miso" in text) == (is_place_found, is_cat_found)
        assert (keys_of(store, query="Porto") != []) == (index is not False)
    before = store.get(maya, "home")
    store.put(maya, "home", value)
    assert store.get(maya, "home") == before


def test_an_item_that_the_server_would_refuse_stops_its_batch_before_the_first_write(space: Space) -> None:
    store = LoomlogStore(space)
    wrong: list[tuple[Any, str]] = [
        (PutOp(maya, "x", {"text": "x" * 300_000}), r"'x' in \('users', 'maya'\) has \d+ bytes .* at most 258000"),
        (PutOp(maya, "x", {"text": "\x01" * 40_000}), "bytes"),
        (PutOp(maya, "", {"text": "hi"}), "the key '' in .* expected a character that is seen"),
        (PutOp(maya, " \ufeff\u200b", {}), "the key"),
        (PutOp(maya, "x", {}, True), "the index of 'x' in .* is True: expected"),  # type: ignore[arg-type]
        (PutOp(maya, "x", {}, "text"), "the index of 'x' in .* is 'text': expected"),  # type: ignore[arg-type]
        (PutOp(maya, "x", {}, [3]), "the index"),  # type: ignore[list-item]
        (PutOp(maya, "x", {}, ["\ud800"]), "the item 'x' in .* has no form in JSON"),
    ]
    for put, message in wrong:
        with pytest.raises(ValueError, match=message):
            store.batch([PutOp(maya, "y", {"a": 1}), put])
    with pytest.raises(NotImplementedError, match=r"the ttl of 'x' in .* is 5"):
        store.batch([PutOp(maya, "y", {"a": 1}), PutOp(maya, "x", {}, ttl=5)])
    assert store.search(()) == []


def test_the_largest_items_and_those_without_words_are_kept(space: Space) -> None:
    store = LoomlogStore(space)
    blank = {"text": "\ufeff \n" + "\u3000" * 30_000 + "hidden"}
    store.batch([PutOp(maya, "large", {"text": "x" * 197_000}), PutOp(maya, "blank", blank)])
    assert sorted(keys_of(store)) == ["users/maya/blank", "users/maya/large"]
    item = store.get(maya, "blank")
    assert item is not None
    assert item.value == blank


def test_every_value_of_json_comes_back(space: Space) -> None:
    store = LoomlogStore(space)
    values: list[dict[str, Any]] = [
        {},
        {"camelCase": {"someKey": [1, 2.5, None, True, {"x": []}]}},
        {"text": "", "emoji": '🦀 ünïcode \u2028 \x00 \\ "', "key": "isIndexed"},
        {"text": "界" * 30_000},
        {"text": "🦀" * 20_000},
    ]
    store.batch([PutOp(("all",), str(place), value) for place, value in enumerate(values)])
    items = store.search((), limit=100)
    assert [item.value for item in sorted(items, key=lambda item: item.key)] == values


def test_items_of_several_threads_are_all_kept(space: Space) -> None:
    store = LoomlogStore(space)
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda n: store.put(("n",), str(n), {"n": n}), range(6)))
        list(threads.map(lambda n: store.put(("n",), str(n), {"n": n, "again": True}), range(6)))
    items = store.search(("n",), limit=100)
    assert sorted(item.value["n"] for item in items) == list(range(6))
    assert all(item.value["again"] for item in items)


def test_items_of_one_instant_are_kept_apart(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LoomlogStore(space)
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    store.batch([PutOp(maya, "cat", {"text": "Miso"}), PutOp(maya, "boat", {"text": "Aurora"})])
    store.delete(maya, "cat")
    assert keys_of(store) == ["users/maya/boat"]


def test_equal_items_of_several_writers_in_one_instant_are_all_kept(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = [LabelledItems(space, "shared", "langgraph") for _ in range(3)]
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    item = {"namespace": list(maya), "key": "home", "value": {"text": "Porto"}, "createdAt": 1, "isIndexed": True}
    for writer in writers:
        writer.add([NewItem(item, "Porto")], speaker="agent")
    assert len(writers[0].read()) == 3


def test_a_refused_retraction_comes_after_every_write_and_is_made_up_for(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LoomlogStore(space)
    store.batch([PutOp(maya, "home", {"text": "Lisbon"}), PutOp(maya, "cat", {"text": "Miso"})])
    changes: list[Op] = [PutOp(maya, "home", {"text": "Porto"}), PutOp(maya, "cat", {"text": "Nori"})]

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("expected the scope correct")

    with monkeypatch.context() as patched:
        patched.setattr(Space, "retract", refuse)
        with pytest.raises(PermissionError):
            store.batch(changes)
    assert sorted(item.value["text"] for item in store.search(maya)) == ["Nori", "Porto"]
    store.batch(changes)
    assert sorted(item.value["text"] for item in store.search(maya)) == ["Nori", "Porto"]
    found = space.list("utterance", conversation="langgraph")["memories"]
    assert sorted(each["text"] for each in found) == ["agent: Nori", "agent: Porto", "langgraph: (session)"]


def test_a_foreign_message_in_the_conversation_hides_no_item(space: Space) -> None:
    store = LoomlogStore(space)
    store.put(maya, "home", {"text": "Porto"})
    for label in ["{", "[]", '{"key":"home"}', '{"namespace":["users","maya"],"key":"home","value":3,"createdAt":1}']:
        space.add({"speaker": "x", "text": label, "metadata": {"langgraph": label}}, conversation="langgraph")
    item = store.get(maya, "home")
    assert item is not None
    assert item.value == {"text": "Porto"}


def in_typescript(url: str, space: Space, *arguments: str) -> Any:
    """Calls the store for TypeScript, in a process of its own."""
    program = [node(), str(root / "test/python/store-program.ts"), url, space.name, *arguments]
    return json.loads(subprocess.run(program, check=True, capture_output=True, text=True).stdout)


def test_agents_in_typescript_and_python_share_a_store(url: str, space: Space) -> None:
    store = LoomlogStore(space)
    store.put(maya, "home", {"text": "Maya lives in Lisbon.", "deep": {"someKey": 1.5}})
    before = store.get(maya, "home")
    assert before is not None
    item = in_typescript(url, space, "get", "home")
    assert item["value"] == before.value
    assert item["createdAt"] == before.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    in_typescript(url, space, "put", "home", json.dumps({"text": "Maya lives in Porto.", "deep": {"someKey": 2}}))
    in_typescript(url, space, "put", "cat", json.dumps({"text": "Maya has a cat called Miso."}))
    in_typescript(url, space, "put", "hidden", json.dumps({"text": "Maya hides a cat."}), "unindexed")
    after = store.get(maya, "home")
    assert after is not None
    assert after.value == {"text": "Maya lives in Porto.", "deep": {"someKey": 2}}
    assert after.created_at == before.created_at
    assert [item.key for item in store.search(maya, query="cat")][:1] == ["cat"]
    assert "hidden" not in [item.key for item in store.search(maya, query="cat")]
    store.delete(maya, "home")
    store.put(maya, "cat", {"text": "Maya has a cat called Nori."})
    assert in_typescript(url, space, "get", "home") is None
    assert in_typescript(url, space, "search", "cat")[0]["value"] == {"text": "Maya has a cat called Nori."}
    utterances = space.list("utterance", conversation="langgraph", state="all", limit=500)["memories"]
    assert [each["text"] for each in utterances].count("langgraph: (session)") == 1


class FakeModel(BaseChatModel):
    """Answers with the line of its instructions that has `lives`, so only a memory makes it answer."""

    @property
    def _llm_type(self) -> str:
        return "fake"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        instructions = "\n".join(str(message.content) for message in messages if isinstance(message, SystemMessage))
        known = [line for line in instructions.split("\n") if "lives" in line]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(known[0] if known else "I don't know."))])


def agent(space: Space, *, asynchronous: bool = False) -> Any:
    """Notes a message that begins with `Note:`, and answers others from its notes."""
    model = FakeModel()

    def reply(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
        asked = str(state["messages"][-1].content)
        if asked.startswith("Note: "):
            store.put(maya, "note", {"text": asked.removeprefix("Note: ")})
            return {"messages": [AIMessage("Noted.")]}
        notes = "\n".join(item.value["text"] for item in store.search(maya, query=asked, limit=3))
        return {"messages": [model.invoke([SystemMessage(notes), *state["messages"]])]}

    async def reply_async(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
        asked = str(state["messages"][-1].content)
        if asked.startswith("Note: "):
            await store.aput(maya, "note", {"text": asked.removeprefix("Note: ")})
            return {"messages": [AIMessage("Noted.")]}
        notes = "\n".join(item.value["text"] for item in await store.asearch(maya, query=asked, limit=3))
        return {"messages": [await model.ainvoke([SystemMessage(notes), *state["messages"]])]}

    builder = StateGraph(MessagesState)
    builder.add_node("reply", reply_async if asynchronous else reply)
    builder.add_edge(START, "reply")
    return builder.compile(checkpointer=InMemorySaver(), store=LoomlogStore(space))


def test_the_second_thread_of_a_graph_answers_from_the_memory_of_the_first(url: str, space: Space) -> None:
    question = "Where does Maya live?"
    first = {"messages": [HumanMessage("Note: Maya lives in Porto.")]}
    second = {"messages": [HumanMessage(question)]}
    unknown = agent(space).invoke(second, {"configurable": {"thread_id": "0"}})
    assert unknown["messages"][-1].content == "I don't know."
    agent(space).invoke(first, {"configurable": {"thread_id": "1"}})
    with Loomlog(url) as other:
        known = agent(other.space(space.name)).invoke(second, {"configurable": {"thread_id": "2"}})
        assert [message.content for message in known["messages"]] == [question, "Maya lives in Porto."]
        later = asyncio.run(
            agent(other.space(space.name), asynchronous=True).ainvoke(second, {"configurable": {"thread_id": "3"}})
        )
        assert later["messages"][-1].content == "Maya lives in Porto."
