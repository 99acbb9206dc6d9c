"""A conversation of the memory as a store of LangGraph: each item is an utterance. A value that is replaced or deleted
is retracted. Filters and namespaces are those of LangGraph's own store in memory, which holds the items of a batch.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp, Result, SearchItem, SearchOp
from langgraph.store.base.embed import get_text_at_path
from langgraph.store.memory import InMemoryStore

from loomlog.labelled import LabelledItems, NewItem, StoredItem
from loomlog.wire import shown

if TYPE_CHECKING:
    from loomlog import Space

_label = "langgraph"
_most_ranked = 200
"""Most memories of a recall."""
_most_text_bytes = 60_000
"""As `LabelledItems` cuts it."""
_most_item_bytes = 258_000
"""A server takes 262,144 bytes of an utterance, the names of its author and its conversation among them."""
Path = tuple[tuple[str, ...], str]
"""The namespace and the key of an item."""
Found = TypeVar("Found", bound=Item)


@dataclass(frozen=True)
class _Change:
    added: list[NewItem]
    old: list[StoredItem]
    reason: Literal["deleted", "replaced"]


class LoomlogStore(BaseStore):
    """A store whose query is a recall, so that it needs no embedder. Threads may share it. Its asynchronous calls run
    in threads.

    Args:
        space: That of `Loomlog`, with a key for the scopes `append`, `recall` and `correct`, if there are keys.
        conversation: The conversation of the items. It belongs to the store alone.
        agent: The author of the items.
    """

    def __init__(self, space: Space, *, conversation: str = _label, agent: str = "agent") -> None:
        self._space = space
        self._conversation = conversation
        self._agent = agent
        self._items = LabelledItems(space, conversation, _label)
        self._turn = threading.Lock()
        """One batch at a time, so that no two items have the same time."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads see the items before the batch. Of several writes to one key, the last counts.

        Raises:
            LoomlogError: The server refuses an operation, or none answers.
            NotImplementedError: An item has a time to live.
            ValueError: An item has no form in JSON, or one that the server would refuse. No operation has an effect.
        """
        operations = list(ops)
        puts = {(put.namespace, put.key): put for put in operations if isinstance(put, PutOp)}
        for put in puts.values():
            _check(put)
        with self._turn:
            versions: dict[Path, list[StoredItem]] = {}
            for stored in self._items.read():
                versions.setdefault(_path_of(stored), []).append(stored)
            current = {path: each[-1] for path, each in versions.items()}
            results = self._read(operations, current)
            self._write([self._change_of(put, versions.get(path, [])) for path, put in puts.items()])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, operations: list[Op], current: Mapping[Path, StoredItem]) -> list[Result]:
        state = InMemoryStore()
        state.batch(
            [PutOp(namespace, key, _value_of(stored)) for (namespace, key), stored in current.items()],
        )
        reads = [_without_query(operation, len(current)) for operation in operations]
        results = state.batch(reads)
        for place, (operation, result) in enumerate(zip(operations, results, strict=True)):
            if isinstance(operation, SearchOp):
                results[place] = self._ranked(operation, cast("list[SearchItem]", result), current)
            elif isinstance(operation, GetOp) and result is not None:
                results[place] = _with_times(cast("Item", result), current)
        return results

    def _ranked(
        self, search: SearchOp, items: list[SearchItem], current: Mapping[Path, StoredItem]
    ) -> list[SearchItem]:
        """The items in the order in which recall finds them, without a query in that of the store."""
        timed = [_with_times(item, current) for item in items]
        if not search.query:
            return timed
        found = self._space.recall(search.query, kind="utterance", conversation=self._conversation, limit=_most_ranked)[
            "memories"
        ]
        scores = {memory["id"]: memory["score"] for memory in found}
        scored: list[SearchItem] = []
        for item in timed:
            stored = current[item.namespace, item.key]
            if stored.id in scores and stored.item.get("isIndexed") is not False:
                item.score = scores[stored.id]
                scored.append(item)
        scored.sort(key=lambda item: item.score or 0.0, reverse=True)
        return scored[search.offset : search.offset + search.limit]

    def _write(self, changes: list[_Change]) -> None:
        """All new versions are durable before the first old one is retracted."""
        self._items.add([new for change in changes for new in change.added], speaker=self._agent)
        for reason in ("replaced", "deleted"):
            old = [stored for change in changes if change.reason == reason for stored in change.old]
            self._items.retract(old, reason)

    def _change_of(self, put: PutOp, versions: list[StoredItem]) -> _Change:
        if put.value is None:
            return _Change([], versions, "deleted")
        before = versions[-1] if versions else None
        if before is not None and _is_same(before, put):
            # Older ones are still there if their retraction was refused, or if several processes wrote at once.
            return _Change([], versions[:-1], "replaced")
        item = _item_of(put, _now_ms() if before is None else before.item["createdAt"])
        return _Change([NewItem(item, _text_of(put))], versions, "replaced")


def _check(put: PutOp) -> None:
    """Before the first operation has an effect. An item that the log can't give back as it is would be lost.

    Raises:
        NotImplementedError: The item has a time to live.
        ValueError: The item has no form in JSON or in UTF-8, such as one with NaN or a lone surrogate, or it is too
            large.
    """
    names = [*put.namespace, put.key]
    if not names[:-1] or not all(isinstance(name, str) for name in names):
        raise ValueError(f"the item {names} has no place: expected a namespace and a key of strings")
    place = f"{shown(put.key)} in {put.namespace}"
    if put.ttl is not None:
        raise NotImplementedError(f"the ttl of {place} is {shown(put.ttl)}: expected none, since items don't expire")
    if put.value is not None and not isinstance(put.value, dict):
        raise ValueError(f"the value of {place} is {shown(put.value)}: expected a dictionary")
    try:
        _json_of([names, put.value, put.index]).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the item {place} has no form in JSON: {error}") from error
    if put.value is not None:
        _check_record(put, place)


def _check_record(put: PutOp, place: str) -> None:
    """Refuses what the server would refuse, when earlier items of the batch are in the log already."""
    if not _is_seen(put.key):
        raise ValueError(f"the key {place} is blank: expected a character that is seen")
    is_paths = isinstance(put.index, (list, tuple)) and all(isinstance(path, str) for path in put.index)
    if put.index is not None and put.index is not False and not is_paths:
        raise ValueError(f"the index of {place} is {shown(put.index)}: expected a list of paths, False or None")
    size = len(_json_of([_json_of(_item_of(put, _now_ms())), _text_of(put)]).encode())
    if size > _most_item_bytes:
        raise ValueError(f"the item {place} has {size} bytes with its text: expected at most {_most_item_bytes}")


def _item_of(put: PutOp, created_at: object) -> dict[str, object]:
    return {
        "namespace": list(put.namespace),
        "key": put.key,
        "value": put.value,
        "createdAt": created_at,
        **_index_of(put),
    }


def _index_of(put: PutOp) -> dict[str, object]:
    """The fields of an item that decide its words, beside its value."""
    paths = list(put.index) if isinstance(put.index, (list, tuple)) else None
    return {"isIndexed": put.index is not False, "paths": paths}


def _is_same(before: StoredItem, put: PutOp) -> bool:
    """False also if the words are unknown: an item of another adapter may have no paths."""
    is_index_same = all(name in before.item and before.item[name] == value for name, value in _index_of(put).items())
    return is_index_same and _json_of(before.item["value"]) == _json_of(put.value)


def _json_of(value: object) -> str:
    """NaN and infinity have no form in JSON, and would make the whole store unreadable elsewhere."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _path_of(stored: StoredItem) -> Path:
    return tuple(cast("list[str]", stored.item["namespace"])), cast("str", stored.item["key"])


def _value_of(stored: StoredItem) -> dict[str, Any]:
    return cast("dict[str, Any]", stored.item["value"])


def _without_query(operation: Op, items: int) -> Op:
    """A search with a query takes every item that its filter lets through, and ranks them."""
    if not isinstance(operation, SearchOp) or not operation.query:
        return operation
    return operation._replace(query=None, offset=0, limit=items)


def _with_times(item: Found, current: Mapping[Path, StoredItem]) -> Found:
    stored = current[item.namespace, item.key]
    item.created_at = _datetime_of(cast("int", stored.item["createdAt"]))
    item.updated_at = _datetime_of(stored.at)
    return item


def _now_ms() -> int:
    return int(datetime.now(timezone.utc).timestamp() * 1000)


def _datetime_of(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, timezone.utc)


def _text_of(put: PutOp) -> str:
    """Its words, or its key where none of them are seen: the log refuses a text without any."""
    words = "\n".join(_words_of(put)).strip()
    text = words.encode(errors="replace")[:_most_text_bytes].decode(errors="ignore")
    return text if _is_seen(text) else put.key


def _is_seen(text: str) -> bool:
    return any(each.isprintable() and not each.isspace() for each in text)


def _words_of(put: PutOp) -> Iterator[str]:
    """The texts that a query finds: all of the value, or those at the paths of the index."""
    if put.index is None:
        yield from _texts_in(put.value)
    elif put.index is not False:
        for path in put.index:
            yield from get_text_at_path(put.value, path)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts_in(each)
