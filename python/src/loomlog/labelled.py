"""Items of a store in a conversation of the memory: each is an utterance, with the item as JSON in a label and its
words as the text. Times are the order of the items. Those of one object are one ms apart at least. The adapters for
TypeScript write the same records, so both may share a conversation.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from loomlog import Space
    from loomlog.types import ListedMemory, Message

_wait_ms = 30_000
"""Longest wait until written items can be read."""
_page_items = 500
_most_text_bytes = 60_000
"""A server takes 65,536."""
_most_retracted = 1_000
"""Most ids of a retraction."""
_epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class StoredItem:
    id: str
    """That of the utterance."""
    at: int
    """In ms since 1970."""
    item: Mapping[str, object]


@dataclass(frozen=True)
class NewItem:
    item: Mapping[str, object]
    text: str


class LabelledItems:
    def __init__(self, space: Space, conversation: str, label: str) -> None:
        self._space = space
        self._conversation = conversation
        self._label = label
        self._newest = 0
        """The time of the newest item, as far as known."""

    def read(self) -> list[StoredItem]:
        """In their order, with every item that any process has written before."""
        opening = json.dumps([self._label, self._conversation], ensure_ascii=False, separators=(",", ":"))
        # Is in the log once. Each further time it only gives the position after every write.
        position = self._space.add(
            {
                "id": hashlib.sha256(opening.encode()).hexdigest()[:32],
                "speaker": self._label,
                "role": "system",
                "text": "(session)",
            },
            conversation=self._conversation,
        )["position"]
        # The cheapest call that waits for the views; its result is of no use.
        self._space.recall(self._conversation, after=position, wait=_wait_ms, kind="document", limit=1)
        stored = sorted(self._stored(), key=lambda each: each.at)
        self._newest = max(self._newest, stored[-1].at if stored else 0)
        return stored

    def add(self, items: Sequence[NewItem], *, speaker: str) -> None:
        """After a read, so that their times are after those of the others."""
        if items:
            self._space.add([self._message_of(each, speaker) for each in items], conversation=self._conversation)

    def retract(self, stored: Sequence[StoredItem], reason: str) -> None:
        ids = [each.id for each in stored]
        for first in range(0, len(ids), _most_retracted):
            self._space.retract(
                conversation=self._conversation,
                by=self._label,
                role="human",
                utterances=ids[first : first + _most_retracted],
                reason=reason,
            )

    def _message_of(self, new: NewItem, speaker: str) -> Message:
        self._newest = max(time.time_ns() // 1_000_000, self._newest + 1)
        return {
            # Without an id it would be derived from the content: equal items of one ms would be one utterance.
            "id": str(uuid.uuid4()),
            "speaker": speaker,
            "role": "agent",
            "at": _time_of(self._newest),
            "text": new.text.strip().encode(errors="replace")[:_most_text_bytes].decode(errors="ignore"),
            "metadata": {self._label: json.dumps(new.item, ensure_ascii=False, allow_nan=False, separators=(",", ":"))},
        }

    def _stored(self) -> Iterator[StoredItem]:
        cursor: str | None = None
        while True:
            page = self._space.list("utterance", conversation=self._conversation, limit=_page_items, cursor=cursor)
            for memory in page["memories"]:
                item = self._item_in(memory)
                if item is not None and memory["at"] is not None:
                    yield StoredItem(memory["id"], memory["at"], item)
            cursor = page["next"]
            if cursor is None:
                return

    def _item_in(self, memory: ListedMemory) -> Mapping[str, object] | None:
        """A label is JSON of its name and its value. None: another message of the conversation."""
        labels = cast("list[str]", cast("Mapping[str, object]", memory)["labels"])
        value = dict(json.loads(label) for label in labels).get(self._label)
        return None if value is None else _parsed(value)


def _parsed(text: str) -> Mapping[str, object] | None:
    """None: the value is no item, so that a foreign message doesn't make the others unreadable."""
    try:
        item = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_item = (
        isinstance(item, dict)
        and isinstance(item.get("key"), str)
        and isinstance(item.get("namespace"), list)
        and all(isinstance(name, str) for name in item["namespace"])
        and isinstance(item.get("value"), dict)
        and isinstance(item.get("createdAt"), int)
    )
    return item if is_item else None


def _time_of(ms: int) -> datetime:
    return _epoch + timedelta(milliseconds=ms)
