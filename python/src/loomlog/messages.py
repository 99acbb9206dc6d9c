"""Messages as they are sent: each with its conversation and an identity, in parts that a request takes."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from loomlog.wire import encoded, shown, timed

if TYPE_CHECKING:
    from loomlog.types import Message

_most_messages = 500
_most_bytes = 900_000
"""Of a request's body. A server takes 1,000,000."""


def parts_of(messages: Message | Iterable[Message], conversation: str | None) -> Iterator[bytes]:
    """The bodies of requests. At least one: the log refuses an empty list."""
    part: list[bytes] = []
    size = 0
    for message in _prepared(messages, conversation):
        if len(part) == _most_messages or (part and size + len(message) > _most_bytes):
            yield _list_of(part)
            part, size = [], 0
        part.append(message)
        size += len(message) + 1
    yield _list_of(part)


def _prepared(messages: Message | Iterable[Message], conversation: str | None) -> list[bytes]:
    """Every message is checked before the first one is sent.

    Raises:
        TypeError: A message is no mapping.
        ValueError: A value has no form in JSON, or a time has no time zone.
    """
    given = [messages] if isinstance(messages, Mapping) else messages
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"messages is {shown(given)}: expected a message, or messages")
    return [_sent(message, f"messages[{place}]", conversation) for place, message in enumerate(given)]


def _sent(message: object, field: str, conversation: str | None) -> bytes:
    """A message without an id and a time gets a random id here, so that a lost reply doesn't double it. With a time,
    the log derives the id from the content.
    """
    if not isinstance(message, Mapping):
        raise TypeError(f"{field} is {shown(message)}: expected a mapping, such as {{'speaker': …, 'text': …}}")
    fields = {name: timed(f"{field}.{name}", value) for name, value in message.items() if value is not None}
    if conversation is not None:
        fields.setdefault("conversation", conversation)
    if "at" not in fields:
        fields.setdefault("id", secrets.token_hex(16))
    return encoded(fields, field)


def _list_of(part: list[bytes]) -> bytes:
    return b"[" + b",".join(part) + b"]"
