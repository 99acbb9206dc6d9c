"""The types of the HTTP API, generated from docs/openapi.json. Their names are those of the API in snake_case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Literal, TypedDict


class _UtteranceAttachmentsRequired(TypedDict):
    kind: str
    """Such as `image`."""
    description: str
    """The description in words."""


class UtteranceAttachments(_UtteranceAttachmentsRequired, total=False):
    uri: str | None
    """The address."""


class _UtteranceRequired(TypedDict):
    speaker: str
    """The person or agent: 1 to 256 characters, none of them a control, bidirectional, zero-width or separator
    character. Stored in NFC, trimmed.
    """
    text: str
    """At most 65,536 bytes."""


class Utterance(_UtteranceRequired, total=False):
    """A message in the form of loomlog."""

    id: str | None
    """1 to 256 characters. Default: derived from `Idempotency-Key`; without, from the content with its time."""
    conversation: str | None
    """The thread, 1 to 256 characters. Default: that of the request."""
    role: Literal["human", "agent", "tool", "system"] | None
    at: str | datetime | None
    """ISO 8601 with a time zone. Default: now. Without `at`, a retry needs the same `id` or the same
    `Idempotency-Key`, and is compared without the time; else it is another utterance.
    """
    attachments: Sequence[UtteranceAttachments] | None
    metadata: Mapping[str, str] | None


class _ChatMessageRequired(TypedDict):
    role: Literal["user", "assistant", "system", "developer", "tool", "function"]
    """human, agent, system or tool."""


class ChatMessage(_ChatMessageRequired, total=False):
    """A chat message (OpenAI)."""

    id: str | None
    """1 to 256 characters. Default: derived from `Idempotency-Key`; without, from the content with its time."""
    conversation: str | None
    """The thread, 1 to 256 characters. Default: that of the request."""
    content: str | Sequence[object] | None
    """Text or parts. Parts other than text become attachments."""
    name: str | None
    """The speaker. Default: the role."""
    tool_calls: Sequence[object] | None
    """Each call becomes a line of the text: `name(arguments)`."""
    tool_call_id: str | None
    """Becomes a label of the utterance."""
    refusal: str | None
    at: str | datetime | float | None
    """ISO 8601, or seconds or milliseconds since 1970. Default: now. Without `at`, a retry needs the same `id`
    or the same `Idempotency-Key`, and is compared without the time; else it is another utterance.
    """
    metadata: Mapping[str, str] | None


class AddedEvents(TypedDict):
    """The end is in the log."""

    ids: list[str]
    """Ids of the events, in the order of the request."""
    appended: int
    """Number of events that this request added."""
    known: int
    """Number of events that the log already had, with the same content."""
    position: str
    """`PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`."""


class RecallOptions(TypedDict, total=False):
    also: str | Sequence[str] | None
    """Further spaces of the tenant; 16 in all. The memories of all spaces are ranked together."""
    mode: Literal["content", "trace_event", "combined", "documents"] | None
    """`combined` (default): utterances, ranked also by their facts and events. `content`: the same without
    events. `trace_event`: events, each with the other events of its timelines. `documents`: documents by
    their summary, and parts of documents by their words.
    """
    kind: str | Sequence[str] | None
    """Instead of a mode: only these kinds, each searched by itself: utterance, box, fact, event, document,
    profile, and those of extensions.
    """
    limit: int | None
    """Maximum number of memories. Default: 10; with a budget, as many as fit."""
    budget: int | None
    """Maximum number of tokens (cl100k) of the evidence. Default: no limit."""
    speaker: str | Sequence[str] | None
    """Only these speakers."""
    conversation: str | Sequence[str] | None
    """Only these conversations."""
    from_: str | date | None
    """Spoken or happened at or after this time. A day (its beginning, UTC), or a time with a zone."""
    to: str | date | None
    """Spoken or happened before this time. A day (its beginning, UTC), or a time with a zone."""
    metadata: str | Sequence[str] | None
    """`LABEL=VALUE`: only utterances that carry all of these labels."""
    exclude: str | Sequence[str] | None
    """Ids of memories to leave out, with every memory that is derived from these alone."""
    exclude_last: str | Sequence[str] | None
    """CONVERSATION=COUNT: leaves out the last COUNT utterances of a conversation, for a caller that has them
    at hand.
    """
    true_at: str | date | None
    """Only memories that were true at this time, as far as known. Default: now. A day (its beginning, UTC), or
    a time with a zone.
    """
    known_at: str | date | None
    """Only memories that the log had accepted by this time. Default: now. A day (its beginning, UTC), or a
    time with a zone.
    """
    answer: Literal["yes", "no"] | bool | None
    """`yes`: also an answer in words by the model, with citations, or the reason for none."""
    agentic: Literal["yes", "no"] | bool | None
    """`yes`: a model searches the space with the tools; not with `mode`, `kind`, filters and times."""
    explain: Literal["yes", "no"] | bool | None
    """`yes`: also every candidate with its score, its outcome, and the contribution of each feature."""
    understanding: Literal["rules", "model"] | None
    """`model`: a model first analyzes the question, in one call. Default: `rules`."""
    generation: str | None
    """The id or name of a generation to read instead of the live one."""
    after: str | None
    """A `position` of the space: waits until the views have every record before it."""
    reach: Literal["raw", "derived"] | None
    """`derived`: also waits for the memories that the stages derive from these records so far."""
    wait: int | None
    """Longest wait for `after`, in ms; after it the reply is 503 `views-behind`. Default: 5000."""


class _RecallReplyRequired(TypedDict):
    space: str
    """`TENANT/SPACE`"""
    query: str
    """The question."""
    generation: str | None
    """The generation that was read."""
    epoch: int
    """Rises with every change of the live generation."""
    memories: list[Evidence]
    """The evidence, best first; within a budget in the order of time."""
    text: str
    """The evidence as a text to put before a model."""
    tokens: int
    """Tokens (cl100k) of the evidence."""
    left_out: list[LeftOutMemory]
    """Memories that were found and not returned."""


class RecallReply(_RecallReplyRequired, total=False):
    """The evidence."""

    answer: CitedAnswer
    unsearched: int
    """Records of the log that were not searched; present if views are far behind."""
    log_away: str
    """Why the log was not read. Utterances in no view yet were not searched."""
    rebuilding: list[Rebuild]
    """Views that are being rebuilt; present if there are any."""
    notices: list[str]
    """Names of spaces or speakers that the memory does not have, with the nearest that the caller may read;
    present if there are any.
    """
    failed: list[FailedMemory]
    """Memories that were found, and left out because reading them failed; present if there are any."""
    understood: QuestionAnalysis
    bias: float
    """With `explain`: the log-odds that every candidate begins with."""
    candidates: list[Candidate]
    """With `explain`: every candidate."""
    steps: list[SearchStep]
    """With `agentic`: the steps of the model."""
    stopped: Literal["finished", "unnamed", "steps", "tokens"]
    """With `agentic`: the end of the search. `finished`: the model named the evidence. `unnamed`: it named
    none. `steps`, `tokens`: the limit that it reached.
    """


class ContextOptions(TypedDict, total=False):
    budget: int | None
    """Maximum number of tokens (cl100k) of the text. Default: 2000."""
    speaker: str | Sequence[str] | None
    """Only these speakers."""
    conversation: str | Sequence[str] | None
    """Only these conversations."""
    from_: str | date | None
    """Spoken or happened at or after this time. A day (its beginning, UTC), or a time with a zone."""
    to: str | date | None
    """Spoken or happened before this time. A day (its beginning, UTC), or a time with a zone."""
    metadata: str | Sequence[str] | None
    """`LABEL=VALUE`: only utterances that carry all of these labels."""
    exclude: str | Sequence[str] | None
    """Ids of memories to leave out, with every memory that is derived from these alone."""
    exclude_last: str | Sequence[str] | None
    """CONVERSATION=COUNT: leaves out the last COUNT utterances of a conversation, for a caller that has them
    at hand.
    """
    true_at: str | date | None
    """Only memories that were true at this time, as far as known. Default: now. A day (its beginning, UTC), or
    a time with a zone.
    """
    known_at: str | date | None
    """Only memories that the log had accepted by this time. Default: now. A day (its beginning, UTC), or a
    time with a zone.
    """
    after: str | None
    """A `position` of the space: waits until the views have every record before it."""
    reach: Literal["raw", "derived"] | None
    """`derived`: also waits for the memories that the stages derive from these records so far."""
    wait: int | None
    """Longest wait for `after`, in ms; after it the reply is 503 `views-behind`. Default: 5000."""
    understanding: Literal["rules", "model"] | None
    """`model`: a model first analyzes the question, in one call. Default: `rules`."""
    for_: str | None
    """The speaker of the request: the context has the standing instructions of this person, and those for
    everybody. Default: those of all, each with its author.
    """


class _ContextReplyRequired(TypedDict):
    space: str
    """`TENANT/SPACE`"""
    generation: str | None
    """The generation that was read."""
    epoch: int
    """Rises with every change of the live generation."""
    items: list[ContextItem]
    """The numbered items of the text, item 1 first."""
    text: str
    """The text to put before a model."""
    tokens: int
    """Tokens (cl100k) of the text."""


class ContextReply(_ContextReplyRequired, total=False):
    """The context."""

    unsearched: int
    """Records of the log that were not searched; present if views are far behind."""
    log_away: str
    """Why the log was not read. Utterances in no view yet were not searched."""
    rebuilding: list[Rebuild]
    """Views that are being rebuilt; present if there are any."""
    notices: list[str]
    """Names of spaces or speakers that the memory does not have, with the nearest that the caller may read;
    present if there are any.
    """
    failed: list[FailedMemory]
    """Memories that were found, and left out because reading them failed; present if there are any."""
    understood: QuestionAnalysis


class _CorrectionRequired(TypedDict):
    action: Literal["replace", "pin", "retract", "add"]
    """`add` states something that is in no utterance."""
    by: str
    """The author."""


class Correction(_CorrectionRequired, total=False):
    memory: str | None
    """Id of a fact or an entry; not with `add`."""
    text: str | None
    """The right wording, with `replace` and `add`."""
    from_: str | date | None
    """The time from which the text holds, with `replace`; the memory holds until then. Without it the memory
    never held. A day (its beginning, UTC), or a time with a zone.
    """
    conversation: str | None
    """The conversation of an added statement. Default: `corrections`."""
    role: Literal["human", "agent"] | None
    """An agent can't correct the words of a person."""
    reason: str | None
    """The reason, in words."""


class CorrectionReply(TypedDict):
    """The correction is in the log."""

    ids: list[str]
    """Ids of the events, in the order of the request."""
    appended: int
    """Number of events that this request added."""
    known: int
    """Number of events that the log already had, with the same content."""
    position: str
    """`PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`."""
    corrections: list[CorrectionEvent]
    """The events: the first has the new words, and the others retract the same statement elsewhere."""


class _RetractionRequired(TypedDict):
    by: str
    """The author."""


class Retraction(_RetractionRequired, total=False):
    utterances: Sequence[str] | None
    """Only these utterances."""
    speaker: str | None
    """Utterances of this person or agent."""
    conversation: str | None
    """Utterances of this conversation."""
    derivation: str | None
    """Only memories of this derivation."""
    principal: str | None
    """Utterances that this key or token brought: `key:ID` or `token:SUBJECT`."""
    from_: str | date | None
    """Utterances from this time on. A day (its beginning, UTC), or a time with a zone."""
    to: str | date | None
    """Utterances before this time. A day (its beginning, UTC), or a time with a zone."""
    role: Literal["human", "agent"] | None
    reason: str | None
    """The reason, in words."""
    dry_run: bool | None
    """Only list the affected memories."""


class RetractionReplyUtterances(TypedDict):
    id: str
    """The id of the utterance."""
    conversation: str
    """The thread."""
    text: str
    """Its text."""


class RetractionReplyDownstream(TypedDict):
    id: str
    """The id of the memory."""
    text: str
    """The text of the memory."""


class _RetractionReplyRequired(TypedDict):
    ids: list[str]
    """Ids of the events, in the order of the request."""
    appended: int
    """Number of events that this request added."""
    known: int
    """Number of events that the log already had, with the same content."""
    dry_run: bool
    """Nothing is changed: no event is appended."""
    unknown: list[str]
    """Ids of `utterances` in the request that no utterance has, or only a retracted one, or one of a person if
    the author is an agent.
    """
    utterances: list[RetractionReplyUtterances]
    """The retracted utterances."""
    downstream: dict[str, list[RetractionReplyDownstream]]
    """The affected memories by table."""


class RetractionReply(_RetractionReplyRequired, total=False):
    """The retraction is in the log."""

    position: str
    """`PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`."""


class _ForgettingRequired(TypedDict):
    by: str
    """The person or program that asks."""
    preview: bool
    """Only count what would be destroyed."""


class Forgetting(_ForgettingRequired, total=False):
    utterances: Sequence[str] | None
    """Only these."""
    speaker: str | None
    """Utterances of this person or agent, and corrections, retractions and feedback in this name."""
    conversation: str | None
    """Events of this conversation."""
    from_: str | date | None
    """Events from this time on. A day (its beginning, UTC), or a time with a zone."""
    to: str | date | None
    """Events before this time. A day (its beginning, UTC), or a time with a zone."""
    appended_before: str | date | None
    """Events that were appended before this time, whenever they happened. A day (its beginning, UTC), or a
    time with a zone.
    """
    everything: bool | None
    """The whole space."""


class ForgettingReplyMentions(TypedDict):
    id: str
    """The id of the utterance."""
    conversation: str
    """The thread."""
    text: str
    """Its text."""


class ForgettingReply(TypedDict):
    """The request is in the log."""

    preview: bool
    """Nothing is changed."""
    id: str | None
    """The id of the forgetting; null for a preview, and where there is nothing to forget."""
    utterances: int
    """Utterances that are destroyed."""
    conversations: int
    """Conversations in which one is."""
    corrections: int
    """Corrections, retractions and feedback that are destroyed."""
    kept: int
    """Source events that the space keeps."""
    unknown: list[str]
    """Ids of `utterances` in the request that no utterance has."""
    impact: dict[str, int]
    """Memories that rest on them, by table. They are derived again from the rest."""
    mentions: list[ForgettingReplyMentions]
    """Utterances that stay, and name the selected speaker."""


class ForgettingDetails(TypedDict):
    id: str
    """The id of the forgetting."""
    status: Literal["requested", "rewritten", "passed", "listed", "destroyed", "certified"]
    """The last step that is complete."""
    certificate: dict[str, object] | None
    """The signed certificate, for `loomlog forget verify`; null: it is not certified yet."""


class LineageRecord(TypedDict):
    """The record of the memory in the log."""

    topic: str
    """The topic."""
    partition: int
    """The partition of the topic."""
    offset: int
    """The offset in the partition."""


class Lineage(TypedDict):
    id: str
    """The id of the memory."""
    kind: str
    """utterance, correction, box, fact, link, entry or document."""
    text: str
    """The text of the memory."""
    derivation: str | None
    """The derivation; null for an utterance."""
    method: str | None
    """`rules`, or the name of the model; null for an utterance."""
    completions: list[str]
    record: LineageRecord
    """The record of the memory in the log."""
    asked: list[UsedAnswer]
    """These recorded answers."""
    causes: list[Cause]
    """The memories that it was derived from."""
    cost: Cost
    generation: str | None
    """The generation that was read."""
    epoch: int
    """Rises with every change of the live generation."""


class ImpactCounts(TypedDict):
    kind: str
    """The kind of the derived memories."""
    evidence: int
    """Memories that cite it."""
    context: int
    """Memories with it in their ask."""


class _ImpactRequired(TypedDict):
    id: str
    """The id of the memory."""
    counts: list[ImpactCounts]
    """Numbers of derived memories by kind."""
    effects: list[Effect]
    """In the order of the stages."""
    left_out: int
    """Number of memories beyond `limit`."""
    cost: Cost
    generation: str | None
    """The generation that was read."""
    epoch: int
    """Rises with every change of the live generation."""


class Impact(_ImpactRequired, total=False):
    rebuilding: list[Rebuild]
    """Views that are being rebuilt: memories may be missing; present if there are any."""


class MemoryPage(TypedDict):
    memories: list[ListedMemory]
    next: str | None
    """`cursor` of the next page; null at the end."""
    generation: str | None
    """The generation that was read."""
    epoch: int
    """Rises with every change of the live generation."""


class DocumentReplyPartsEntries(TypedDict):
    id: str
    """The id of the entry."""
    statement: str
    sources: list[str]


class DocumentReplyParts(TypedDict):
    heading: str
    entries: list[DocumentReplyPartsEntries]


class DocumentReply(TypedDict):
    id: str
    """The id of the document."""
    kind: str
    """`topic` or `profile`."""
    title: str
    """The title."""
    entity: str | None
    """The person or thing of a profile."""
    summary: str
    """The summary."""
    parts: list[DocumentReplyParts]
    more: bool
    """Whether there are further entries, beyond 2,000."""
    text: str
    """The document as Markdown."""
    generation: str | None
    """The generation that was read."""
    epoch: int
    """Rises with every change of the live generation."""


class _ToolReplyRequired(TypedDict):
    lines: list[str]
    """The result."""
    ids: list[str]
    """Ids of the memories in `lines`."""
    more: bool
    """Whether there are further lines."""
    generation: str | None
    """The generation that was read."""
    epoch: int
    """Rises with every change of the live generation."""


class ToolReply(_ToolReplyRequired, total=False):
    unsearched: int
    """Records of the log that were not searched; present if views are far behind."""
    log_away: str
    """Why the log was not read. Utterances in no view yet were not searched."""
    rebuilding: list[Rebuild]
    """Views that are being rebuilt; present if there are any."""
    notices: list[str]
    """Names of spaces or speakers that the memory does not have, with the nearest that the caller may read;
    present if there are any.
    """


class CorrectionPublishedData(TypedDict):
    correction: str
    """The source event."""
    action: str | None
    """replace, add, pin, retract, or undo. null: it passed before the feed had this field."""
    by: str | None
    """Who asked for it. null: it passed before the feed had this field."""
    outcome: Literal["applied", "unsure", "missed"]
    """What became of it. Several may tell of one: the best outcome counts, applied before unsure before
    missed.
    """
    retracted: list[str]
    """Ids of the facts that were retracted."""
    withheld: int
    """How many facts were not recorded because of it."""
    unsure: list[str]
    """Ids of the facts that say perhaps the same, and were left."""


class _CorrectionPublishedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.correction.applied"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    subject: str
    """The id of the memory or correction."""
    datacontenttype: Literal["application/json"]
    data: CorrectionPublishedData
    offset: str
    """Continues after this event, as `after`."""


class CorrectionPublished(_CorrectionPublishedRequired, total=False):
    """What became of a correction, or of an undoing, in the generation that the feed follows."""

    traceparent: str
    """Only if the event is traced."""


class DocumentPublishedData(TypedDict):
    memory: str
    """The id of the memory, as in recall and why."""
    because: Literal["other", "derived", "revised", "corrected", "undone", "superseded", "merged", "retracted", "switched", "forgotten"]
    """Why."""
    kind: Literal["topic", "profile"]
    """A document on a topic, or the profile of one entity."""
    entity: str | None
    """Whose profile it is; null for a topic."""
    title: str
    """Its title."""
    summary: str
    """What it holds, in a sentence or two."""
    entries: int
    """How many entries it holds now."""


class _DocumentPublishedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.document.changed", "loomlog.profile.changed"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    subject: str
    """The id of the memory or correction."""
    change: Literal["inserted", "retracted"]
    datacontenttype: Literal["application/json"]
    data: DocumentPublishedData
    offset: str
    """Continues after this event, as `after`."""


class DocumentPublished(_DocumentPublishedRequired, total=False):
    """The description of a document or a profile joins or leaves the feed."""

    traceparent: str
    """Only if the event is traced."""


EntryPublishedDataWhen = TypedDict(
    "EntryPublishedDataWhen",
    {
        # Its start, inclusive, UTC.
        "from": "int",
        # Its end, exclusive, UTC.
        "to": "int",
        # For people: 2023-05-07, May 2023, 2022.
        "text": "str",
    },
)

class EntryPublishedData(TypedDict):
    memory: str
    """The id of the memory, as in recall and why."""
    because: Literal["other", "derived", "revised", "corrected", "undone", "superseded", "merged", "retracted", "switched", "forgotten"]
    """Why."""
    document: str
    """The document."""
    kind: Literal["topic", "profile"]
    """A document on a topic, or the profile of one entity."""
    title: str
    """The document's title."""
    heading: str
    """The heading that the entry stands under."""
    text: str
    """The entry."""
    when: EntryPublishedDataWhen | None
    """When it happened or holds, where known."""
    valid_from: int
    """From when it is held to be true (event time)."""
    replaced_by: str | None
    """The entry that takes its place, where it leaves for another one."""
    speaker: str
    """Who said it."""
    role: Literal["human", "agent", "tool", "system"]
    """What kind of speaker."""
    facts: list[str]
    """Ids of the facts it states."""
    sources: list[str]
    """Ids of the utterances behind them."""


class _EntryPublishedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.entry.recorded", "loomlog.entry.retracted"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    subject: str
    """The id of the memory or correction."""
    change: Literal["inserted", "retracted"]
    datacontenttype: Literal["application/json"]
    data: EntryPublishedData
    offset: str
    """Continues after this event, as `after`."""


class EntryPublished(_EntryPublishedRequired, total=False):
    """An entry, one line of a document or a profile, joins or leaves the feed."""

    traceparent: str
    """Only if the event is traced."""


EventPublishedDataWhen = TypedDict(
    "EventPublishedDataWhen",
    {
        # Its start, inclusive, UTC.
        "from": "int",
        # Its end, exclusive, UTC.
        "to": "int",
        # For people: 2023-05-07, May 2023, 2022.
        "text": "str",
    },
)

class EventPublishedData(TypedDict):
    memory: str
    """The id of the memory, as in recall and why."""
    because: Literal["other", "derived", "revised", "corrected", "undone", "superseded", "merged", "retracted", "switched", "forgotten"]
    """Why."""
    box: str
    """The box it was told in."""
    conversation: str
    """The thread it was told in."""
    text: str
    """What happened, self-contained."""
    when: EventPublishedDataWhen | None
    """When it happened, where that was said."""
    told_at: int
    """When it was told."""
    persons: list[str]
    """Who took part."""
    sources: list[str]
    """Ids of the utterances that tell it."""


class _EventPublishedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.event.recorded", "loomlog.event.retracted"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    subject: str
    """The id of the memory or correction."""
    change: Literal["inserted", "retracted"]
    datacontenttype: Literal["application/json"]
    data: EventPublishedData
    offset: str
    """Continues after this event, as `after`."""


class EventPublished(_EventPublishedRequired, total=False):
    """Something that happened, or is planned, joins or leaves the feed."""

    traceparent: str
    """Only if the event is traced."""


FactPublishedDataWhen = TypedDict(
    "FactPublishedDataWhen",
    {
        # Its start, inclusive, UTC.
        "from": "int",
        # Its end, exclusive, UTC.
        "to": "int",
        # For people: 2023-05-07, May 2023, 2022.
        "text": "str",
    },
)

class FactPublishedDataStatedBy(TypedDict):
    id: str
    """The correction, a source event."""
    action: str
    """replace, add or pin."""
    by: str
    """Who made it."""
    replaced: list[str]
    """Ids of the facts that it took the place of, in this derivation."""


class FactPublishedData(TypedDict):
    memory: str
    """The id of the memory, as in recall and why."""
    because: Literal["other", "derived", "revised", "corrected", "undone", "superseded", "merged", "retracted", "switched", "forgotten"]
    """Why."""
    box: str
    """The box it was found in."""
    conversation: str
    """The thread it was said in."""
    text: str
    """The restatement."""
    kind: Literal["event", "state", "preference", "plan"]
    """Something that happened, that holds, that somebody likes or wants, or that is planned."""
    subject: str
    """Who or what it is about."""
    relation: str
    """The verb phrase that ties subject and object: lives in, adopted."""
    object: str
    """The rest of the statement; may be empty."""
    speaker: str
    """Who said it."""
    role: Literal["human", "agent", "tool", "system"]
    """What kind of speaker: an agent's guess never becomes a person's fact."""
    said_at: int
    """When it was said."""
    when: FactPublishedDataWhen | None
    """When it happened or holds, where that was said."""
    location: str | None
    """Where, if that was said."""
    persons: list[str]
    """People named."""
    entities: list[str]
    """Other proper names."""
    sources: list[str]
    """Ids of the utterances that it restates."""
    correction: str | None
    """The correction that states it; null: it was derived."""
    stated_by: FactPublishedDataStatedBy | None
    """The correction that states it, with its action and author; null: it was derived, or it passed before the
    feed had this field.
    """


class _FactPublishedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.fact.recorded", "loomlog.fact.retracted"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    subject: str
    """The id of the memory or correction."""
    change: Literal["inserted", "retracted"]
    datacontenttype: Literal["application/json"]
    data: FactPublishedData
    offset: str
    """Continues after this event, as `after`."""


class FactPublished(_FactPublishedRequired, total=False):
    """A fact, a self-contained restatement of something said, joins or leaves the feed."""

    traceparent: str
    """Only if the event is traced."""


class ForgettingPublishedData(TypedDict):
    forgetting: str
    """The id of the forgetting. It does not name what is forgotten."""
    retracted: int
    """How many memories have left right before it."""


class _ForgettingPublishedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.subject.forgotten"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    datacontenttype: Literal["application/json"]
    data: ForgettingPublishedData
    offset: str
    """Continues after this event, as `after`."""


class ForgettingPublished(_ForgettingPublishedRequired, total=False):
    """Something of the space was forgotten. Every memory that the space had has left right before this record,
    with the reason forgotten; those that are derived from the kept source events join after it. A reader
    deletes all that it holds of the space from before this record.
    """

    traceparent: str
    """Only if the event is traced."""


GenerationSwitchedData = TypedDict(
    "GenerationSwitchedData",
    {
        # The generation before; null: the feed of the space begins.
        "from": "str | None",
        # How many memories join right after it.
        "inserted": "int",
        # How many memories leave right after it.
        "retracted": "int",
        # The partition of utterances that holds the space.
        "partition": "int",
        # The first offset of utterances that the new generation may not reflect yet. It may be lower than an
        # earlier mark of the space.
        "up_to": "int",
    },
)

class _GenerationSwitchedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.generation.switched"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    datacontenttype: Literal["application/json"]
    data: GenerationSwitchedData
    offset: str
    """Continues after this event, as `after`."""


class GenerationSwitched(_GenerationSwitchedRequired, total=False):
    """The feed of the space follows another generation from here on. The differences come right after it, with
    the reason switched.
    """

    traceparent: str
    """Only if the event is traced."""


class LinkPublishedData(TypedDict):
    memory: str
    """The id of the memory, as in recall and why."""
    because: Literal["other", "derived", "revised", "corrected", "undone", "superseded", "merged", "retracted", "switched", "forgotten"]
    """Why."""
    trace: str
    """The trace."""
    title: str
    """What the trace is about."""
    event: str
    """The event."""
    previous: str | None
    """The trace's event before it in the order of telling; null for the first."""
    score: float
    """How sure the link is, 0 to 1."""
    position: int
    """How many events the trace held before this one."""


class _LinkPublishedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.events.linked", "loomlog.events.unlinked"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    subject: str
    """The id of the memory or correction."""
    change: Literal["inserted", "retracted"]
    datacontenttype: Literal["application/json"]
    data: LinkPublishedData
    offset: str
    """Continues after this event, as `after`."""


class LinkPublished(_LinkPublishedRequired, total=False):
    """The place of an event in a trace, the timeline of one matter, joins or leaves the feed."""

    traceparent: str
    """Only if the event is traced."""


class ProgressMarkedData(TypedDict):
    partition: int
    """The partition of utterances that holds the space."""
    up_to: int
    """The first offset that may not be reflected yet. An append answers with such a position as
    partition@offset.
    """


class _ProgressMarkedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.progress.marked"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    datacontenttype: Literal["application/json"]
    data: ProgressMarkedData
    offset: str
    """Continues after this event, as `after`."""


class ProgressMarked(_ProgressMarkedRequired, total=False):
    """Everything that the generation made of the utterances below a position is in the feed of the space
    before this record.
    """

    traceparent: str
    """Only if the event is traced."""


class TopicPublishedData(TypedDict):
    memory: str
    """The id of the memory, as in recall and why."""
    because: Literal["other", "derived", "revised", "corrected", "undone", "superseded", "merged", "retracted", "switched", "forgotten"]
    """Why."""
    conversation: str
    """The thread it is part of."""
    topic: str
    """What it is about, in a few words."""
    keywords: list[str]
    """Its telling words, strongest first."""
    utterances: list[str]
    """Ids of its utterances, in order."""
    started_at: int
    """When its first utterance was said."""
    ended_at: int
    """When its last utterance was said."""


class _TopicPublishedRequired(TypedDict):
    specversion: Literal["1.0"]
    id: str
    """Never published again with another meaning."""
    source: str
    """The space: `/tenants/TENANT/spaces/SPACE`."""
    type: Literal["loomlog.topic.sealed", "loomlog.topic.retracted"]
    time: str
    """Log time of the source event behind it."""
    tenant: str
    space: str
    generation: str
    subject: str
    """The id of the memory or correction."""
    change: Literal["inserted", "retracted"]
    datacontenttype: Literal["application/json"]
    data: TopicPublishedData
    offset: str
    """Continues after this event, as `after`."""


class TopicPublished(_TopicPublishedRequired, total=False):
    """A sealed box, consecutive utterances on one topic, joins or leaves the feed."""

    traceparent: str
    """Only if the event is traced."""


EvidenceValid = TypedDict(
    "EvidenceValid",
    {
        # In ms since 1970; null: unknown.
        "from": "int | None",
        # In ms since 1970; null: it has not ended.
        "to": "int | None",
    },
)

EvidenceKnown = TypedDict(
    "EvidenceKnown",
    {
        # In ms since 1970.
        "from": "int",
        # In ms since 1970; null: it is current.
        "to": "int | None",
    },
)

class EvidenceTraces(TypedDict):
    id: str
    """The id of the timeline."""
    title: str
    """The matter of the timeline."""
    position: int
    """The place of the event in it, from 1."""
    events: int
    """The events of the timeline that were read."""


class _EvidenceRequired(TypedDict):
    id: str
    """Unique in its space."""
    space: str
    """`TENANT/SPACE`"""
    kind: str
    """The kind of the memory."""
    text: str
    """The text of the memory."""
    speaker: str
    """The person or agent who said it; empty if there is no single one."""
    conversation: str
    """The thread; empty if there is no single one."""
    at: int | None
    """When it was spoken or happened, in ms since 1970; null: at no single time."""
    offset: int
    """The order of memories with the same time."""
    valid: EvidenceValid
    """Event time in which it was true."""
    known: EvidenceKnown
    """Log time from which the memory knew it, until it was retired."""
    sources: list[str]
    method: str | None
    """`rules`, or the name of the model; null for an utterance."""
    score: float
    """Higher is better."""
    tokens: int
    """Tokens (cl100k) of the text."""


class Evidence(_EvidenceRequired, total=False):
    """A memory that was found."""

    replaced_by: list[str]
    """Present if this memory is outdated."""
    outdated: list[str]
    """Beside `replacedBy`: present if other sentences of the text still hold."""
    retracted_by: list[str]
    """Present if all its facts are retracted."""
    ended: Literal["all", "some"]
    """Present if conclusions from this utterance ended: all of them, or some."""
    raised_by: str
    """The id of the memory whose score this one has, because its own is lower."""
    traces: list[EvidenceTraces]
    """The timelines of an event."""


ContextItemValid = TypedDict(
    "ContextItemValid",
    {
        # In ms since 1970; null: unknown.
        "from": "int | None",
        # In ms since 1970; null: it has not ended.
        "to": "int | None",
    },
)

ContextItemKnown = TypedDict(
    "ContextItemKnown",
    {
        # In ms since 1970.
        "from": "int",
        # In ms since 1970; null: it is current.
        "to": "int | None",
    },
)

class ContextItemTraces(TypedDict):
    id: str
    """The id of the timeline."""
    title: str
    """The matter of the timeline."""
    position: int
    """The place of the event in it, from 1."""
    events: int
    """The events of the timeline that were read."""


class _ContextItemRequired(TypedDict):
    id: str
    """Unique in its space."""
    space: str
    """`TENANT/SPACE`"""
    kind: str
    """The kind of the memory."""
    text: str
    """The text of the memory."""
    speaker: str
    """The person or agent who said it; empty if there is no single one."""
    conversation: str
    """The thread; empty if there is no single one."""
    at: int | None
    """When it was spoken or happened, in ms since 1970; null: at no single time."""
    offset: int
    """The order of memories with the same time."""
    valid: ContextItemValid
    """Event time in which it was true."""
    known: ContextItemKnown
    """Log time from which the memory knew it, until it was retired."""
    sources: list[str]
    method: str | None
    """`rules`, or the name of the model; null for an utterance."""
    score: float
    """Higher is better."""
    tokens: int
    """Tokens (cl100k) of the text."""
    part: Literal["instruction", "holds", "timeline", "evidence"]
    """`instruction`: a standing instruction. `holds`: an entry that is true now, or was, with its end.
    `timeline`: an event of the matter. `evidence`: an utterance.
    """


class ContextItem(_ContextItemRequired, total=False):
    """A numbered item of a context."""

    replaced_by: list[str]
    """Present if this memory is outdated."""
    outdated: list[str]
    """Beside `replacedBy`: present if other sentences of the text still hold."""
    retracted_by: list[str]
    """Present if all its facts are retracted."""
    ended: Literal["all", "some"]
    """Present if conclusions from this utterance ended: all of them, or some."""
    raised_by: str
    """The id of the memory whose score this one has, because its own is lower."""
    traces: list[ContextItemTraces]
    """The timelines of an event."""


class LeftOutMemory(TypedDict):
    """A memory that was found and not returned."""

    id: str
    """Unique in its space."""
    space: str
    """`TENANT/SPACE`"""
    kind: str
    """The kind of the memory."""
    score: float
    """Higher is better."""
    why: Literal["limit", "budget", "unlikely"]
    """`limit`: others were better. `budget`: its tokens did not fit. `unlikely`: below the floor that evidence
    within a budget has.
    """


class FailedMemory(TypedDict):
    """A memory that was found, and left out because reading it failed."""

    id: str
    """Unique in its space."""
    space: str
    """`TENANT/SPACE`"""
    kind: str
    """The kind of the memory."""
    why: str
    """The error."""


class Rebuild(TypedDict):
    """A part of a view that lacks records because it is built or rebuilt."""

    topic: str
    """The topic of the view."""
    partition: int
    """The partition of the topic."""
    reached: int
    """The offsets below this one are in the view."""
    end: int
    """The end of the partition when the view was found behind."""


class QuestionAnalysis(TypedDict):
    """The analysis of a question."""

    by: str
    """`rules`, or the name of the model."""
    requires: list[str]
    queries: list[str]
    keywords: list[str]
    persons: list[str]
    entities: list[str]
    time: str | None
    """The time that the question names."""
    location: str | None
    """The place that the question names."""
    note: str | None
    """The reason if rules replaced the model."""


class CitedAnswer(TypedDict):
    """An answer by a model from the evidence."""

    answer: str | None
    """The answer in words; null: none, for the reason in `why`."""
    cites: list[str]
    by: str | None
    """The name of the model; null without one."""
    why: str | None
    """The reason for no answer."""


class Contribution(TypedDict):
    """The share of one feature in a score."""

    feature: str
    """The name of the feature."""
    part: Literal["conversation", "neighbours", "facts", "events", "meaning", "speaker", "wants", "words", "form"]
    """The part of recall that the feature belongs to."""
    value: float
    """The value of the feature."""
    weight: float
    """The weight of the feature."""
    contribution: float
    """Value times weight."""


class _CandidateRequired(TypedDict):
    id: str
    """Unique in its space."""
    space: str
    """`TENANT/SPACE`"""
    kind: str
    """The kind of the memory."""
    text: str
    """The text of the memory."""
    sources: list[str]
    score: float
    """Higher is better."""
    tokens: int
    """Tokens (cl100k); within a budget, with the number of the item."""
    outcome: Literal["taken", "limit", "budget", "unlikely"]
    """`taken`: it is among the memories. The others are the reasons of `leftOut`."""
    contributions: list[Contribution]
    """The contributions other than 0, largest first."""


class Candidate(_CandidateRequired, total=False):
    """A candidate of an explained recall."""

    raised_by: str
    """The id of the memory whose score this one has, because its own is lower."""


class SearchStep(TypedDict):
    """A step of a search by a model."""

    tool: str
    """The name of the tool."""
    input: str
    """The input of the tool, as JSON."""
    shown: int
    """Memories that the tool showed."""


class CauseRecord(TypedDict):
    """The record of the memory in the log."""

    topic: str
    """The topic."""
    partition: int
    """The partition of the topic."""
    offset: int
    """The offset in the partition."""


class Cause(TypedDict):
    """A memory that another was derived from, with its own causes."""

    id: str
    """The id of the memory."""
    kind: str
    """utterance, correction, box, fact, link, entry or document."""
    text: str
    """The text of the memory."""
    derivation: str | None
    """The derivation; null for an utterance."""
    method: str | None
    """`rules`, or the name of the model; null for an utterance."""
    completions: list[str]
    record: CauseRecord
    """The record of the memory in the log."""
    asked: list[UsedAnswer]
    """These recorded answers."""
    causes: list[Cause]
    """The memories that it was derived from."""


class UsedAnswer(TypedDict):
    """A recorded answer that a memory was derived with."""

    key: str
    """The key of the recorded answer."""
    task: str
    """The task of the ask."""
    model: str
    """The name of the model."""
    prompt: str | None
    """The hash of the prompt's text; null for an embedding that rules asked for."""
    attempts: int
    """Calls of the model."""
    input_tokens: int
    """Tokens of the input."""
    output_tokens: int
    """Tokens of the output."""
    money: float | None
    """By LOOMLOG_PRICES; null: the model has no price."""


class Cost(TypedDict):
    """The cost of recorded answers."""

    asks: int
    """Recorded answers."""
    input_tokens: int
    """Tokens of the input."""
    output_tokens: int
    """Tokens of the output."""
    money: float | None
    """By LOOMLOG_PRICES; null without prices."""


class EffectRecord(TypedDict):
    """The record of the memory in the log."""

    topic: str
    """The topic."""
    partition: int
    """The partition of the topic."""
    offset: int
    """The offset in the partition."""


Effect = TypedDict(
    "Effect",
    {
        # The id of the derived memory.
        "id": "str",
        # box, fact, link, entry or document.
        "kind": "str",
        # The text of the memory.
        "text": "str",
        # `evidence`: it cites the memory; `context`: the memory was part of its ask.
        "by": "Literal[\"evidence\", \"context\"]",
        # The id of the direct cause.
        "from": "str",
        # The derivation; null for an utterance.
        "derivation": "str | None",
        # `rules`, or the name of the model; null for an utterance.
        "method": "str | None",
        "completions": "list[str]",
        # Whether it is current or retired.
        "holds": "Literal[\"now\", \"no longer\"]",
        # The record of the memory in the log.
        "record": "EffectRecord",
    },
)

class CorrectionEventTarget(TypedDict):
    memory: str
    """Its id when the correction was made; for people."""
    kind: str
    """fact or event."""
    text: str
    """What it says."""
    subject: str
    """Who or what it is about; empty where that is not known."""
    relation: str
    """The verb phrase of a fact."""
    object: str
    """The rest of a fact."""
    said_at: int
    """When it was said: what takes its place stands at its time."""
    sources: list[str]
    """Its evidence: ids of utterances, or of corrections; at least one."""
    others: list[str]
    """What else is known from the same evidence, and must stay."""


CorrectionEventWhen = TypedDict(
    "CorrectionEventWhen",
    {
        # Its start, inclusive, UTC.
        "from": "int",
        # Its end, exclusive, UTC.
        "to": "int",
        # For people: 2023-05-07, May 2023, 2022.
        "text": "str",
    },
)

CorrectionEvent = TypedDict(
    "CorrectionEvent",
    {
        "type": "Literal[\"MemoryCorrected\"]",
        # Derived from the content.
        "id": "str",
        # The security boundary.
        "tenant": "str",
        # The unit of memory, order and isolation within the tenant.
        "space": "str",
        # Its place in the space, as the first stage counted it and passed it on; null in utterances.
        "seq": "int | None",
        # The conversation that the evidence stands in: the lane that the correction rides in.
        "conversation": "str",
        # What is to happen.
        "action": "Literal[\"unknown\", \"replace\", \"add\", \"pin\", \"retract\"]",
        # What is corrected; null for add.
        "target": "CorrectionEventTarget | None",
        # The new words; null for retract.
        "text": "str | None",
        # What kind of statement the new words are.
        "kind": "Literal[\"event\", \"state\", \"preference\", \"plan\"]",
        # Who or what the new words are about; empty for retract.
        "subject": "str",
        # The verb phrase of the new words.
        "relation": "str",
        # The rest of the new words.
        "object": "str",
        # When what the new words say happened or holds, where that is known.
        "when": "CorrectionEventWhen | None",
        # People named in the new words.
        "persons": "list[str]",
        # Telling words of the new words.
        "keywords": "list[str]",
        # From when the new words hold (event time); the corrected memory holds until then. null: the corrected
        # memory never held.
        "from": "int | None",
        # Who asked for it.
        "by": "str",
        # What kind of speaker asked: an agent never corrects what a person said.
        "role": "Literal[\"human\", \"agent\", \"tool\", \"system\"]",
        # Why, in their words.
        "reason": "str | None",
        # When it was asked for (event time).
        "at": "int",
        # When the log accepted it (log time).
        "appended_at": "int",
        # The key or token that brought it, `key:ID` or `token:SUBJECT`; null: none was needed, or it was not
        # recorded yet.
        "principal": "str | None",
        # The key that the fields tagged PII are encrypted with; null: they are plain text.
        "key_id": "str | None",
    },
)

class _ListedMemoryRequired(TypedDict):
    id: str
    """Unique in its space."""
    kind: str
    """The kind of the memory."""
    text: str
    """The text of the memory."""
    conversation: str
    speaker: str
    sources: list[str]
    at: int | None
    """When it was spoken or happened, in ms since 1970."""
    known_from: int
    """Log time at which the memory learned it."""
    known_to: int | None
    """Log time at which it was retired; null: it is current."""
    derivation: str | None
    """The derivation; null for an utterance."""
    method: str | None
    """`rules`, or the name of the model; null for an utterance."""


class ListedMemory(_ListedMemoryRequired, total=False):
    """A memory of a list. A kind has further fields of its own."""

    valid_from: int | None
    """Event time from which it is true, in ms since 1970."""
    valid_to: int | None
    """Event time at which it ended; null: it is still true."""


Message = Utterance | ChatMessage
"""A message in either form."""

MemoryEvent = CorrectionPublished | DocumentPublished | EntryPublished | EventPublished | FactPublished | ForgettingPublished | GenerationSwitched | LinkPublished | ProgressMarked | TopicPublished
"""A CloudEvent of the feed. Its type tells the record that `data` has."""


MAP_FIELDS = frozenset(("downstream", "impact", "metadata",))
"""Fields whose keys are data and not names: they stay as they are."""
