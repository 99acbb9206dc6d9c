"""The feed, without I/O: the read side of Durable Streams. Reads chunk by chunk to the end, and then waits for further
events by long-polling. While it follows, a broken connection or a server that restarts or is busy only delays it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from loomlog.errors import LoomlogError
from loomlog.exchange import Call, Request, Retries, Server, exchanged
from loomlog.wire import shown

if TYPE_CHECKING:
    from loomlog.types import MemoryEvent


class FeedReader:
    """The place in a feed. It has ended where it doesn't follow, and has read the last event."""

    def __init__(self, server: Server, path: str, *, after: str, types: Sequence[str] | None, follow: bool) -> None:
        if not isinstance(after, str):
            raise TypeError(f'after is {shown(after)}: expected "-1", "now", or the offset of an event')
        if types is not None and (isinstance(types, str) or len(types) == 0):
            raise ValueError(f"types is {shown(types)}: expected a list with one type at least, or None for all")
        self.has_ended = False
        self._server = server
        self._path = path
        self._offset = after
        self._types = tuple(("type", each) for each in types or ())
        self._follow = follow
        self._live: tuple[tuple[str, str], ...] = ()
        self._has_answered = False

    def read(self) -> Call[list[MemoryEvent]]:
        """The next events, which may be none after a wait.

        Raises:
            LoomlogError: `log-replaced` where the feed was replaced: begin again with `-1`.
        """
        query = (("offset", self._offset), *self._types, *self._live)
        retries: Retries = "endless" if self._follow and self._has_answered else "few"
        content = yield from exchanged(self._server, Request("GET", self._path, query=query), retries, _are_events)
        offset = content.headers.get("stream-next-offset")
        if offset is None:
            detail = f"{self._server.origin}{self._path} is no feed: no header Stream-Next-Offset"
            raise LoomlogError("input-invalid", detail)
        is_up_to_date = content.headers.get("stream-up-to-date") == "true"
        cursor = content.headers.get("stream-cursor")
        # With the cursor no cache repeats a reply.
        live = (("live", "long-poll"), *((("cursor", cursor),) if cursor is not None else ()))
        events = self._with_offsets(content.json or [], offset)
        self._has_answered = True
        self._offset = offset
        self._live = live if is_up_to_date else ()
        self.has_ended = is_up_to_date and not self._follow
        return events

    def _with_offsets(self, events: list[Mapping[str, object]], after: str) -> list[MemoryEvent]:
        """Only the last event of a chunk continues after the chunk: the others come again with those beside them."""
        offsets = [self._offset] * (len(events) - 1) + [after]
        placed = [{**event, "offset": offset} for event, offset in zip(events, offsets, strict=False)]
        return cast("list[MemoryEvent]", placed)


def _are_events(content: object) -> bool:
    """None: there is none for now."""
    return content is None or (isinstance(content, list) and all(isinstance(each, dict) for each in content))
