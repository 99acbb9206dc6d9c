"""The calls of a space, without I/O. `client.py` makes methods of them, with and without asyncio."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar, cast
from urllib.parse import quote

from loomlog.errors import Fault, LoomlogError
from loomlog.exchange import Call, Request, Retries, Server, exchanged
from loomlog.messages import parts_of
from loomlog.types import (
    AddedEvents,
    ContextOptions,
    ContextReply,
    Correction,
    CorrectionReply,
    DocumentReply,
    Forgetting,
    ForgettingDetails,
    ForgettingReply,
    Impact,
    Lineage,
    MemoryPage,
    Message,
    RecallOptions,
    RecallReply,
    Retraction,
    RetractionReply,
    ToolReply,
)
from loomlog.wire import body_of, encoded, has_shape, is_utf8, shown

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

R = TypeVar("R")


@dataclass(frozen=True)
class SpaceCalls:
    server: Server
    name: str

    def add(self, messages: Message | Iterable[Message], *, conversation: str | None = None) -> Call[AddedEvents]:
        """Appends a message, or messages in their order. They are durable on return, and recall finds them at once;
        boxes and facts follow. Messages with an id or a time may be added again, which changes nothing; one without
        either is a new message in each call.

        Any number is sent in parts. A part that is refused leaves the earlier ones in the log, and the error says how
        many messages those are.

        Args:
            messages: In the form of loomlog (`speaker`, `text`) or of chat messages (`role`, `content`).
            conversation: The conversation of messages that name none.
        """
        ids: list[str] = []
        total = AddedEvents(ids=ids, appended=0, known=0, position="")
        for body in parts_of(messages, conversation):
            try:
                reply = yield from self._post("/utterances", body, AddedEvents)
            except LoomlogError as error:
                raise _with_place(error, len(ids)) from error
            ids.extend(reply["ids"])
            total["appended"] += reply["appended"]
            total["known"] += reply["known"]
            total["position"] = reply["position"]
        return total

    def recall(self, question: str, **options: Unpack[RecallOptions]) -> Call[RecallReply]:
        """Evidence for a question, best first, and as a text to put before a model."""
        body = body_of(options, _names(RecallOptions))
        # A model is paid for each try.
        asks_model = any(body.get(name) in (True, "yes") for name in ("answer", "agentic"))
        retries: Retries = "none" if asks_model or body.get("understanding") == "model" else "few"
        return (yield from self._post("/recall", encoded({**body, "query": question}, "recall"), RecallReply, retries))

    def context(self, question: str | None = None, **options: Unpack[ContextOptions]) -> Call[ContextReply]:
        """The text for an agent's prompt within a budget of tokens: instructions, what holds now, and evidence. Without
        a question: the newest entries and utterances.
        """
        body = body_of(options, _names(ContextOptions))
        asked = {} if question is None else {"query": question}
        return (yield from self._post("/context", encoded({**body, **asked}, "context"), ContextReply))

    def correct(self, **correction: Unpack[Correction]) -> Call[CorrectionReply]:
        """Corrects a fact or an entry, or adds a statement. It is durable on return, and applied again in every
        derivation.
        """
        body = body_of(correction, _names(Correction))
        return (yield from self._post("/corrections", encoded(body, "correct"), CorrectionReply))

    def retract(self, **retraction: Unpack[Retraction]) -> Call[RetractionReply]:
        """Retracts every memory with a given origin. With `dry_run=True` it lists them, and changes nothing."""
        body = body_of(retraction, _names(Retraction))
        return (yield from self._post("/retractions", encoded(body, "retract"), RetractionReply))

    def forget(self, **forgetting: Unpack[Forgetting]) -> Call[ForgettingReply]:
        """Destroys utterances for ever, and everything that was made of them; with `preview=True` it only counts them.
        The request is durable on return, and is carried out afterwards: `forgetting` says how far it is.
        """
        body = body_of(forgetting, _names(Forgetting))
        return (yield from self._post("/forgettings", encoded(body, "forget"), ForgettingReply))

    def forgetting(self, forgetting: str) -> Call[ForgettingDetails]:
        """How far a forgetting is, and its certificate."""
        return (yield from self._get(f"/forgettings/{segment('forgetting', forgetting)}", ForgettingDetails))

    def why(self, memory: str) -> Call[Lineage]:
        """The sources of a memory, down to the utterances."""
        return (yield from self._get(f"/memories/{segment('memory', memory)}/why", Lineage))

    def impact(self, memory: str, *, limit: int | None = None) -> Call[Impact]:
        """The memories that are derived from this one, at most `limit` (default: 100)."""
        return (yield from self._get(f"/memories/{segment('memory', memory)}/impact", Impact, limit=limit))

    def list(
        self,
        kind: str,
        *,
        conversation: str | None = None,
        state: Literal["current", "all"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Call[MemoryPage]:
        """A page of the memories of one kind, in the order in which the memory learned them.

        Args:
            kind: `utterance`, `box`, `fact`, `event`, `link`, `entry`, `document`, `profile`, or one of an extension.
            conversation: Only memories of this conversation.
            state: `all`: also retired memories. Default: `current`.
            limit: 1 to 500. Default: 100.
            cursor: `next` of the page before.
        """
        query = {"conversation": conversation, "state": state, "limit": limit, "cursor": cursor}
        return (yield from self._get("/memories", MemoryPage, kind=kind, **query))

    def document(self, document: str) -> Call[DocumentReply]:
        """A document or a profile: its entries under their headings, and all as Markdown."""
        return (yield from self._get(f"/documents/{segment('document', document)}", DocumentReply))

    def use_tool(self, name: str, arguments: Mapping[str, object]) -> Call[ToolReply]:
        """Uses a retrieval tool that models have, such as `exact_pattern`. The arguments are those of its schema."""
        if not isinstance(arguments, Mapping):
            raise TypeError(f"arguments is {shown(arguments)}: expected a mapping, such as {{'pattern': …}}")
        body = encoded(dict(arguments), "arguments")
        return (yield from self._post(f"/tools/{segment('name', name)}", body, ToolReply))

    def end(self, *, conversation: str | None = None) -> Call[AddedEvents]:
        """Ends a conversation, so that its last box is sealed now and not after a pause; or without one ends the
        space, so that a model processes the boxes and facts that wait for others. End the conversations first.
        """
        to = "/end" if conversation is None else f"/conversations/{segment('conversation', conversation)}/end"
        return (yield from self._post(to, b"{}", AddedEvents))

    @property
    def path(self) -> str:
        return f"/v1/spaces/{segment('space', self.name)}"

    def _post(self, to: str, body: bytes, shape: type[R], retries: Retries = "few") -> Call[R]:
        """May be sent again: a repeated message has an id or a time, and corrections and ends have one effect."""
        request = Request("POST", self.path + to, body=body)
        content = yield from exchanged(self.server, request, retries, partial(has_shape, shape))
        return cast("R", content.json)

    def _get(self, to: str, shape: type[R], **query: str | int | None) -> Call[R]:
        pairs = tuple((name, str(value)) for name, value in query.items() if value is not None)
        request = Request("GET", self.path + to, query=pairs)
        content = yield from exchanged(self.server, request, "few", partial(has_shape, shape))
        return cast("R", content.json)


def segment(field: str, name: str) -> str:
    """A name in a path. A URL has no segment `.` or `..`."""
    if not isinstance(name, str):
        raise TypeError(f"{field} is {name!r}: expected a string")
    if name in ("", ".", ".."):
        raise LoomlogError("not-found", f"{field} is {name!r}: there is nothing with this name")
    if not is_utf8(name):
        raise ValueError(f"{field} is {name!r}: expected text without lone surrogates")
    return quote(name, safe="")


def _names(options: type) -> frozenset[str]:
    """The keys of a TypedDict."""
    return cast("frozenset[str]", vars(options)["__required_keys__"] | vars(options)["__optional_keys__"])


def _with_place(error: LoomlogError, before: int) -> LoomlogError:
    """Faults name the message by its place among all messages of the call, and not among those of its part."""
    if before == 0:
        return error
    faults = tuple(
        Fault(
            pointer=re.sub(r"^/(\d+)", lambda place: f"/{int(place[1]) + before}", fault["pointer"]),
            detail=fault["detail"],
        )
        for fault in error.faults
    )
    detail = f"{error.detail}; the first {before} messages are in the log"
    return LoomlogError(error.code, detail, status=error.status, title=error.title, faults=faults)
