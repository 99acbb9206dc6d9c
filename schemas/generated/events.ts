// Generated from the .avsc files by schemas/generate.ts; do not edit.

/**
 * Nothing more was said for a while, or an importer reached the end of a session; seals the open box. Ignored if
 * something was said since.
 */
export type ConversationPaused = {
  readonly type: 'ConversationPaused'
  /** hash(conversation, afterUtterance). */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The thread in the space. */
  readonly conversation: string
  /** The id of the last utterance that the writer had seen. */
  readonly afterUtterance: string
  /** When the pause began (event time). */
  readonly at: number
  /** When the log accepted it (log time). */
  readonly appendedAt: number
}

/** What kind of speaker this is. A kind that old code does not know reads as system, never as a person. */
export type Role = 'human' | 'agent' | 'tool' | 'system'

/** Nothing that comes from these utterances is to be remembered any more: undo by cause. The log keeps them. */
export type EvidenceRetracted = {
  readonly type: 'EvidenceRetracted'
  /** Derived from the content. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** Its place in the space, as the first stage counted it and passed it on; null in utterances. */
  readonly seq: number | null
  /** The thread they stand in; one event for each conversation concerned. */
  readonly conversation: string
  /** Their ids; at least one. */
  readonly utterances: readonly string[]
  /** Only what this derivation made of them is concerned, and what was made of that; null: everything. */
  readonly derivation: string | null
  /** Who asked for it. */
  readonly by: string
  /** What kind of speaker asked: an agent never corrects what a person said. */
  readonly role: Role
  /** Why, in their words. */
  readonly reason: string | null
  /** When it was asked for (event time). */
  readonly at: number
  /** When the log accepted it (log time). */
  readonly appendedAt: number
  /**
   * The key or token that brought it, `key:ID` or `token:SUBJECT`; null: none was needed, or it was not recorded yet.
   */
  readonly principal: string | null
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Somebody judged an answer of the memory. Not handled yet: refused on append. */
export type FeedbackGiven = {
  readonly type: 'FeedbackGiven'
  /** Derived from the content. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The id of the recall that is judged. */
  readonly recall: string
  /** -1: wrong, 0: of no use, 1: right. */
  readonly rating: number
  /** Their words. */
  readonly comment: string | null
  /** Who judges. */
  readonly by: string
  /** When it was said (event time). */
  readonly at: number
  /** When the log accepted it (log time). */
  readonly appendedAt: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** What a correction does. unknown is never written: it is what a newer action reads as, and changes nothing. */
export type CorrectionAction = 'unknown' | 'replace' | 'add' | 'pin' | 'retract'

/**
 * The memory that is corrected, as content: a later derivation finds it by its evidence and what it says, never by its
 * id.
 */
export type CorrectedMemory = {
  /** Its id when the correction was made; for people. */
  readonly memory: string
  /** fact or event. */
  readonly kind: string
  /** What it says. */
  readonly text: string
  /** Who or what it is about; empty where that is not known. */
  readonly subject: string
  /** The verb phrase of a fact. */
  readonly relation: string
  /** The rest of a fact. */
  readonly object: string
  /** When it was said: what takes its place stands at its time. */
  readonly saidAt: number
  /** Its evidence: ids of utterances, or of corrections; at least one. */
  readonly sources: readonly string[]
  /** What else is known from the same evidence, and must stay. */
  readonly others: readonly string[]
}

/** What kind of statement it is. */
export type FactKind = 'event' | 'state' | 'preference' | 'plan'

/** A stretch of event time, as exact as it is known. */
export type EventTime = {
  /** Its start, inclusive, UTC. */
  readonly from: number
  /** Its end, exclusive, UTC. */
  readonly to: number
  /** For people: 2023-05-07, May 2023, 2022. */
  readonly text: string
}

/**
 * A person, or an agent, corrects what the memory says. It rides in the order of its space, and is applied in every
 * derivation.
 */
export type MemoryCorrected = {
  readonly type: 'MemoryCorrected'
  /** Derived from the content. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** Its place in the space, as the first stage counted it and passed it on; null in utterances. */
  readonly seq: number | null
  /** The conversation that the evidence stands in: the lane that the correction rides in. */
  readonly conversation: string
  /** What is to happen. */
  readonly action: CorrectionAction
  /** What is corrected; null for add. */
  readonly target: CorrectedMemory | null
  /** The new words; null for retract. */
  readonly text: string | null
  /** What kind of statement the new words are. */
  readonly kind: FactKind
  /** Who or what the new words are about; empty for retract. */
  readonly subject: string
  /** The verb phrase of the new words. */
  readonly relation: string
  /** The rest of the new words. */
  readonly object: string
  /** When what the new words say happened or holds, where that is known. */
  readonly when: EventTime | null
  /** People named in the new words. */
  readonly persons: readonly string[]
  /** Telling words of the new words. */
  readonly keywords: readonly string[]
  /**
   * From when the new words hold (event time); the corrected memory holds until then. null: the corrected memory never
   * held.
   */
  readonly from: number | null
  /** Who asked for it. */
  readonly by: string
  /** What kind of speaker asked: an agent never corrects what a person said. */
  readonly role: Role
  /** Why, in their words. */
  readonly reason: string | null
  /** When it was asked for (event time). */
  readonly at: number
  /** When the log accepted it (log time). */
  readonly appendedAt: number
  /**
   * The key or token that brought it, `key:ID` or `token:SUBJECT`; null: none was needed, or it was not recorded yet.
   */
  readonly principal: string | null
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** A person asks for a parked input to be tried again; handled by its stage, in the space's order. */
export type RetryRequested = {
  readonly type: 'RetryRequested'
  /** hash(parked id, attempt). */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The id of the parked input. */
  readonly parked: string
  /** The stage that parked it. */
  readonly stage: string
  /** The id of the event that could not be answered. */
  readonly input: string
  /** How often it will have been tried with this one; 2 for the first retry. */
  readonly attempt: number
  /** Who asks. */
  readonly by: string
  /** When it was asked (event time). */
  readonly at: number
  /** When the log accepted it (log time). */
  readonly appendedAt: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/**
 * Nothing more was said in the space for a long while, or an importer reached the end of its file; later stages process
 * the boxes and facts that wait for more. It follows the pauses of the conversations.
 */
export type SpacePaused = {
  readonly type: 'SpacePaused'
  /** hash(space, afterUtterance). */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The id of the last utterance that the writer had seen in the space. */
  readonly afterUtterance: string
  /** When the pause began (event time). */
  readonly at: number
  /** When the log accepted it (log time). */
  readonly appendedAt: number
}

/**
 * Everything before this record in its space is void, and its bytes are destroyed. The source events that are kept
 * follow it, with their ids and times, in their order. It does not name what is forgotten.
 */
export type SubjectForgotten = {
  readonly type: 'SubjectForgotten'
  /** Derived from the forgetting. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /**
   * Its place in the space, as the first stage counted it and passed it on: 0, since the space begins again; null in
   * utterances.
   */
  readonly seq: number | null
  /** Always empty: a log that forgets a name does not keep it. */
  readonly subject: string
  /** The id of the forgetting that it belongs to. */
  readonly forgetting: string
  /** How many source events follow it. */
  readonly kept: number
  /** Who asked. */
  readonly by: string
  /** When it was asked (event time). */
  readonly at: number
  /** When the log accepted it (log time). */
  readonly appendedAt: number
  /**
   * The key or token that brought it, `key:ID` or `token:SUBJECT`; null: none was needed, or it was not recorded yet.
   */
  readonly principal: string | null
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Something shown along with the words. */
export type Attachment = {
  /** image, file, link… */
  readonly kind: string
  /** What it shows, in words. */
  readonly description: string
  /** Where it is, where known. */
  readonly uri: string | null
}

/** A person or an agent said something, or a tool was called or answered. */
export type UtteranceAppended = {
  readonly type: 'UtteranceAppended'
  /** Given by the writer, or derived from the content; unique in its space. The first record of an id wins. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The thread in the space. */
  readonly conversation: string
  /** Who said it, by the name used in the conversation. */
  readonly speaker: string
  /** What kind of speaker. */
  readonly role: Role
  /** When it was said (event time). */
  readonly at: number
  /**
   * Whether the writer gave `at`. If not, it is the time of the append, and a repetition of the id is compared without
   * it.
   */
  readonly isTimeGiven: boolean
  /** When the log accepted it (log time). */
  readonly appendedAt: number
  /** The words. */
  readonly text: string
  /** What was shown along with the words. */
  readonly attachments: readonly Attachment[]
  /** The writer's own labels. */
  readonly metadata: { readonly [key: string]: string }
  /**
   * The key or token that brought it, `key:ID` or `token:SUBJECT`; null: none was needed, or it was not recorded yet.
   */
  readonly principal: string | null
  /**
   * Whether standing instructions in it hold: its key or token had the scope `instruct`, or none was needed. Older
   * utterances hold them.
   */
  readonly canInstruct: boolean
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Where a derived event comes from. */
export type Lineage = {
  /** The derivation (one stage's exact recipe) that made it. */
  readonly derivation: string
  /** rules, or the model that answered. Rules never pose as a model. */
  readonly method: string
  /** Ids of the events it came from, the direct cause first. */
  readonly causes: readonly string[]
  /** Keys of the recorded answers it used. */
  readonly completions: readonly string[]
}

/** Why a batch of facts ended. */
export type BatchEnd = 'pause' | 'facts' | 'tokens' | 'content'

/**
 * A batch of facts is consolidated: the entries of its facts are written in the same step. It measures the preservation
 * of the memory.
 */
export type BatchConsolidated = {
  readonly type: 'BatchConsolidated'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** Ids of the facts of the batch, in order. */
  readonly facts: readonly string[]
  /** Why it ended: a pause, enough facts, enough tokens, the content of its last window. */
  readonly closedBy: BatchEnd
  /** The number of plans that a model was asked for: 2 if the first one was refused; 0 by rules. */
  readonly plans: number
  /** Entries written. */
  readonly written: number
  /** Entries that were merged into others. */
  readonly merged: number
  /** Entries that ended. */
  readonly superseded: number
  /**
   * Merges, ends and summaries of the last plan that were not followed, because they lose or invent a name, a number or
   * a date, or concern another subject.
   */
  readonly refused: number
  /**
   * Ids of merged entries with a name, a number or a date that the entry in their place lacks, and of facts in no
   * entry. Empty, or the consolidator has a fault.
   */
  readonly lost: readonly string[]
  /** Entries of the batch's slots that hold beside another value of their slot. */
  readonly contradictions: number
}

/** An utterance as it stands in a box. */
export type BoxUtterance = {
  /** The utterance's id. */
  readonly id: string
  /** Its place in the space. */
  readonly seq: number
  /** Who said it. */
  readonly speaker: string
  /** What kind of speaker. */
  readonly role: Role
  /** When it was said. */
  readonly at: number
  /** The words. */
  readonly text: string
  /** What was shown along with the words. */
  readonly attachments: readonly Attachment[]
}

/** Why the box ended. */
export type Cut = 'shift' | 'gap' | 'size' | 'tokens' | 'pause'

/** A memory box is complete: consecutive utterances of one conversation on one topic (Membox, Topic Loom). */
export type BoxSealed = {
  readonly type: 'BoxSealed'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The thread it is part of. */
  readonly conversation: string
  /** In order; at least one. */
  readonly utterances: readonly BoxUtterance[]
  /** Why it ended: a topic shift, a gap in time, too many utterances, too many tokens, a pause. */
  readonly cut: Cut
  /** What it is about, in a few words. */
  readonly topic: string
  /** Its telling words, strongest first. */
  readonly keywords: readonly string[]
  /** When its first utterance was said. */
  readonly startedAt: number
  /** When its last utterance was said. */
  readonly endedAt: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/**
 * applied: it has its effect. unsure: something from the same evidence says perhaps the same, and was left. missed:
 * nothing was found that it could concern, so far.
 */
export type CorrectionOutcome = 'applied' | 'unsure' | 'missed'

/**
 * What became of a correction, or of an undoing, in this derivation. Several may tell of one: the best outcome counts,
 * applied before unsure before missed.
 */
export type CorrectionApplied = {
  readonly type: 'CorrectionApplied'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The thread that it rode in. */
  readonly conversation: string
  /** The source event. */
  readonly correction: string
  /** What became of it. */
  readonly outcome: CorrectionOutcome
  /** Ids of the facts that were retracted. */
  readonly retracted: readonly string[]
  /** From when the new words hold, where the correction says so (event time). */
  readonly from: number | null
  /** Ids of the facts that hold until then. */
  readonly ended: readonly string[]
  /** How many facts were not recorded because of it; what is recorded after a correction is held against it. */
  readonly withheld: number
  /** Ids of the facts that say perhaps the same, and were left. */
  readonly unsure: readonly string[]
}

/** What a document is about. */
export type DocumentKind = 'topic' | 'profile'

/** A document's title and summary, as they are after an entry was written or retired. */
export type DocumentDescribed = {
  readonly type: 'DocumentDescribed'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The document. */
  readonly document: string
  /** A document on a topic, or the profile of one entity. */
  readonly kind: DocumentKind
  /** Whose profile it is; null for a topic. */
  readonly entity: string | null
  /** Its title. */
  readonly title: string
  /** What it holds, in a sentence or two. */
  readonly summary: string
  /** How many entries it holds now. */
  readonly entries: number
  /** Entries that bear the title, told where a retraction changed it. */
  readonly retitled: readonly string[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Why an entry no longer holds. */
export type RetireReason = 'superseded' | 'merged' | 'retracted'

/** An entry no longer holds: newer evidence replaces it, or it said the same as another. */
export type EntryRetired = {
  readonly type: 'EntryRetired'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The document. */
  readonly document: string
  /** The entry that is retired. */
  readonly entry: string
  /** The entry that takes its place. */
  readonly by: string | null
  /** Why. */
  readonly reason: RetireReason
  /** Until when it is held to be true (event time). */
  readonly validTo: number
}

/** A sourced entry is written into a topic document or a profile (Infini Memory, consolidation; TriMem, profiles). */
export type EntryWritten = {
  readonly type: 'EntryWritten'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The document. */
  readonly document: string
  /** A document on a topic, or the profile of one entity. */
  readonly kind: DocumentKind
  /** The document's title. */
  readonly title: string
  /** The heading that the entry stands under. */
  readonly heading: string
  /** Whether several entries may hold side by side under its heading; false: the newest is the answer. */
  readonly isOneOfSeveral: boolean
  /** Other words with which somebody may look for what stands under its heading, from a model. */
  readonly askedAs: readonly string[]
  /** The entry. */
  readonly text: string
  /** When it happened or holds, where known. */
  readonly when: EventTime | null
  /** From when it is held to be true (event time). */
  readonly validFrom: number
  /** Until when it says that it holds, exclusive; null: it names no end. */
  readonly until: number | null
  /** When it was said, the latest time if several times; null: an earlier version did not record it. */
  readonly saidAt: number | null
  /** The kind of its fact. */
  readonly factKind: FactKind
  /** Who said it. */
  readonly speaker: string
  /** What kind of speaker. */
  readonly role: Role
  /** Ids of the facts it states; at least one. */
  readonly facts: readonly string[]
  /** Ids of the utterances behind them; at least one. */
  readonly sources: readonly string[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/**
 * An event joins a trace: the timeline of one matter across boxes. An event may belong to several (Membox, Trace
 * Weaver).
 */
export type EventLinked = {
  readonly type: 'EventLinked'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The trace; its id comes from its first event. */
  readonly trace: string
  /** The event that joins. */
  readonly event: string
  /** The box the event was told in. */
  readonly box: string
  /** The trace's event before it in the order of telling; null for the first. */
  readonly previous: string | null
  /** What the trace is about. */
  readonly title: string
  /** How sure the link is, 0 to 1. */
  readonly score: number
  /** How many events the trace held before this one. */
  readonly position: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Something that happened, or is planned, as told in one box (Membox, Trace Weaver). */
export type EventRecorded = {
  readonly type: 'EventRecorded'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The box it was told in. */
  readonly box: string
  /** The thread it was told in. */
  readonly conversation: string
  /** What happened, self-contained. */
  readonly text: string
  /** When it happened, where that was said. */
  readonly when: EventTime | null
  /** When it was told. */
  readonly toldAt: number
  /** Who took part. */
  readonly persons: readonly string[]
  /** Telling words. */
  readonly keywords: readonly string[]
  /** Ids of the utterances that tell it; at least one. */
  readonly sources: readonly string[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Why a memory is retracted: somebody corrected it, or its evidence was undone. */
export type RetractReason = 'corrected' | 'undone'

/** An event is no longer part of the memory. Its place in its traces stays empty: positions never move. */
export type EventRetracted = {
  readonly type: 'EventRetracted'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The event. */
  readonly event: string
  /** The links of it to traces, which end with it. */
  readonly links: readonly string[]
  /** The source event that asked for it. */
  readonly correction: string
  /** Why. */
  readonly cause: RetractReason
}

/** A name, number or part of a date that no source of a fact has. */
export type InferredWord = {
  /** In lower case. */
  readonly word: string
  /** Id of the utterance that has it or, for a part of a date, that tells the time it is counted from. */
  readonly from: string
}

/** The correction that a fact comes from. */
export type Correction = {
  /** The correction, a source event. */
  readonly id: string
  /** replace, add or pin. */
  readonly action: string
  /** Who made it. */
  readonly by: string
  /** Ids of the facts that it took the place of, in this derivation. */
  readonly replaced: readonly string[]
  /** Ids of the facts that hold until this one begins, in this derivation. */
  readonly ended: readonly string[]
}

/** A self-contained restatement of something said: no pronouns, absolute dates, its sources (TriMem, atomic facts). */
export type FactRecorded = {
  readonly type: 'FactRecorded'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The box it was found in. */
  readonly box: string
  /** The thread it was said in. */
  readonly conversation: string
  /** The restatement. */
  readonly text: string
  /** Something that happened, that holds, that somebody likes or wants, or that is planned. */
  readonly kind: FactKind
  /** Who or what it is about. */
  readonly subject: string
  /** The verb phrase that ties subject and object: lives in, adopted. */
  readonly relation: string
  /** The rest of the statement; may be empty. */
  readonly object: string
  /** Who said it. */
  readonly speaker: string
  /** What kind of speaker: an agent's guess never becomes a person's fact. */
  readonly role: Role
  /** When it was said. */
  readonly saidAt: number
  /** When it happened or holds, where that was said. */
  readonly when: EventTime | null
  /** The end of what it says, exclusive, where that was said: the end of a state, the deadline of a plan. */
  readonly until: number | null
  /** Whether its words say that something changed, ended, or was wrong before. */
  readonly isChange: boolean
  /** Whether a person says by it how an agent shall act from now on. */
  readonly isInstruction: boolean
  /** Where, if that was said. */
  readonly location: string | null
  /** People named. */
  readonly persons: readonly string[]
  /** Other proper names. */
  readonly entities: readonly string[]
  /** Telling words. */
  readonly keywords: readonly string[]
  /** Ids of the utterances that it restates; at least one. */
  readonly sources: readonly string[]
  /** Names, numbers and parts of dates that the sources lack, with where they come from. */
  readonly inferred: readonly InferredWord[]
  /** Set where a person or an agent stated it by a correction; such a fact outranks what was derived. */
  readonly correction: Correction | null
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** A fact is no longer part of the memory. */
export type FactRetracted = {
  readonly type: 'FactRetracted'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The thread it was said in. */
  readonly conversation: string
  /** The fact. */
  readonly fact: string
  /** The source event that asked for it. */
  readonly correction: string
  /** Why. */
  readonly cause: RetractReason
}

/**
 * An ungrounded fact: after a second ask it still has a name, a number or a date that neither its sources nor the lines
 * around them have. No stage, view or feed has it.
 */
export type FactWithheld = {
  readonly type: 'FactWithheld'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The box it was found in. */
  readonly box: string
  /** The thread it was said in. */
  readonly conversation: string
  /** The restatement. */
  readonly text: string
  /** Who said it. */
  readonly speaker: string
  /** What kind of speaker: an agent's guess never becomes a person's fact. */
  readonly role: Role
  /** When it was said. */
  readonly saidAt: number
  /** Ids of the utterances that it restates; at least one. */
  readonly sources: readonly string[]
  /** Its words without a source, in lower case. */
  readonly missing: readonly string[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Utterances of a sealed box were undone: the box shows them no longer. */
export type LinesRetracted = {
  readonly type: 'LinesRetracted'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The thread that the box is part of. */
  readonly conversation: string
  /** The box. */
  readonly box: string
  /** The utterances that it no longer shows. */
  readonly utterances: readonly string[]
  /** How many of its utterances are left; 0: the box is retired. */
  readonly left: number
}

/** A trace has another title, because an event that gave it its title was retracted. */
export type TraceRetitled = {
  readonly type: 'TraceRetitled'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The trace. */
  readonly trace: string
  /** What it is about now. */
  readonly title: string
  /** The links that bear the title. */
  readonly links: readonly string[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Why a window ended. */
export type WindowEnd = 'pause' | 'utterances' | 'tokens' | 'content'

/** The matter of a box, as its reader names it. */
export type BoxTopic = {
  /** The box. */
  readonly box: string
  /** A few words. */
  readonly topic: string
}

/**
 * The facts of a window are extracted: they are the FactRecorded events before it. A window without an answer has none.
 * A pause of a space where no box waits is a window without boxes.
 */
export type WindowExtracted = {
  readonly type: 'WindowExtracted'
  /** hash(stage, cause, ordinal): the same cause gives the same id in every derivation. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The place in the space of the source event that caused it. */
  readonly seq: number
  /** Its place among the events of that cause, from 0. */
  readonly ordinal: number
  /** When the log accepted the source event that caused it (log time). */
  readonly knownAt: number
  /** Where it comes from. */
  readonly lineage: Lineage
  /** The thread of its last box; empty without boxes. */
  readonly conversation: string
  /** Its boxes, in order. */
  readonly boxes: readonly string[]
  /** The number of its utterances. */
  readonly utterances: number
  /** The number of its facts. */
  readonly facts: number
  /** Why its last box ended. */
  readonly cut: Cut
  /** Why it ended. */
  readonly closedBy: WindowEnd
  /**
   * Topics of its boxes, where the answer names them; each takes the place of the topic that the box was sealed with.
   */
  readonly topics: readonly BoxTopic[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** The answer to an ask, recorded before it is used; never paid for twice. The lowest offset of a key wins. */
export type AnswerRecorded = {
  readonly type: 'AnswerRecorded'
  /** hash(tenant, space, model, parameters, prompt, schema, input, attempt). */
  readonly key: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** What was asked for: classify-shift, embed… */
  readonly task: string
  /** Who answered. */
  readonly model: string
  /** The answer as JSON; null where there is none, or where it is a vector. */
  readonly answer: string | null
  /** An embedding as int8, scaled so that its largest component is 127 or -127; null where the answer is none. */
  readonly vector: Uint8Array | null
  /** Why there is no answer; null where there is one. May quote the answer that was refused. */
  readonly none: string | null
  /** How often the model was asked: 2 where the first answer was invalid. Requests that failed are not in it. */
  readonly attempts: number
  /**
   * Requests that were sent to an endpoint for it, also those that failed; 0 for an answer from this process; null in
   * answers of earlier versions.
   */
  readonly calls: number | null
  /** Tokens sent, all attempts together; 0 where not known. */
  readonly inputTokens: number
  /** Tokens received, all attempts together. */
  readonly outputTokens: number
  /** The stage that asked first; null in answers of earlier versions. */
  readonly stage: string | null
  /** The hash of the prompt, as in the recipe; null for embeddings, and in answers of earlier versions. */
  readonly prompt: string | null
  /**
   * Log time of the last forgetting of the space that the stage had passed on: an answer that is used after a later one
   * is recorded again. 0: none.
   */
  readonly since: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** An event that a webhook's receiver did not accept for long. The event itself stays in memory-events. */
export type DeliveryParked = {
  readonly type: 'DeliveryParked'
  /** Its id. */
  readonly webhook: string
  /** The tenant that it belongs to. */
  readonly tenant: string
  /** The CloudEvents id of the event. */
  readonly event: string
  /** The partition of memory-events that holds it. */
  readonly partition: number
  /** Its offset there. */
  readonly offset: number
  /** Why, in a sentence; may be empty. */
  readonly reason: string
  /** How often it was posted. */
  readonly attempts: number
  /** When it was first posted. */
  readonly since: number
  /** When. */
  readonly at: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** The receiver accepted an event that was parked before. */
export type DeliveryReplayed = {
  readonly type: 'DeliveryReplayed'
  /** Its id. */
  readonly webhook: string
  /** The tenant that it belongs to. */
  readonly tenant: string
  /** The CloudEvents id of the event. */
  readonly event: string
  /** When. */
  readonly at: number
}

/** A derivation exists: one stage's exact recipe. Its id is the hash of the recipe. */
export type DerivationDefined = {
  readonly type: 'DerivationDefined'
  /** hash(recipe). */
  readonly id: string
  /** The processor. */
  readonly stage: string
  /** The recipe as canonical JSON. */
  readonly recipe: string
  /** Task to the whole prompt, so that any process can run the derivation; empty where rules answer. */
  readonly prompts: { readonly [key: string]: string }
}

/** A request to destroy source events of a space, and what rests on them. It names people, and is destroyed itself. */
export type ForgettingRequested = {
  readonly type: 'ForgettingRequested'
  /** Random: a hash of the selection could be guessed. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** Only utterances of these ids; null: of any. */
  readonly utterances: readonly string[] | null
  /** Only events of this speaker or author; null: of any. */
  readonly speaker: string | null
  /** Only events of this conversation; null: of any. */
  readonly conversation: string | null
  /** Only events from this time on (event time); null: of any time. */
  readonly from: number | null
  /** Only events before this time; null: of any time. */
  readonly to: number | null
  /** Only events that the log accepted before this time (log time); null: at any time. */
  readonly appendedBefore: number | null
  /** Every event of the space. */
  readonly everything: boolean
  /** Who asked. */
  readonly by: string
  /** The key, the token or the rule of retention (`retention:RULE`) that brought it; null: none was needed. */
  readonly principal: string | null
  /** When it was asked. */
  readonly at: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** How far a forgetting is. */
export type ForgettingStatus = 'requested' | 'rewritten' | 'passed' | 'listed' | 'destroyed' | 'certified'

/** A step of a forgetting is complete, and the next one may begin. */
export type ForgettingStatusChanged = {
  readonly type: 'ForgettingStatusChanged'
  /** Its id. */
  readonly forgetting: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The step that is complete. */
  readonly status: ForgettingStatus
  /** With rewritten and passed: how many markers of the forgetting the log has. */
  readonly markers: number
  /** With rewritten: how many source events the space keeps. */
  readonly kept: number
  /**
   * With rewritten: the key, the token or the rule of retention (`retention:RULE`) that asked; null: none was needed.
   */
  readonly principal: string | null
  /** With certified: the key that verifies the certificate, as base64url of its SPKI. */
  readonly publicKey: string | null
  /** With certified: the certificate's signature (Ed25519), as base64url. */
  readonly signature: string | null
  /** When. */
  readonly at: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** A named set of derivations, one a stage, and a view embedder. */
export type GenerationDefined = {
  readonly type: 'GenerationDefined'
  /** hash(derivations, view embedder). */
  readonly id: string
  /** Stage to derivation. */
  readonly derivations: { readonly [key: string]: string }
  /** The vector space that views are searched in. */
  readonly viewEmbedder: string
  /** What people call it. */
  readonly name: string | null
  /**
   * What was chosen by --set, as stage.key to value; a prompt by the hash of its text. A successor by an upgrade keeps
   * it.
   */
  readonly chosen: { readonly [key: string]: string }
  /** When. */
  readonly at: number
}

/** Why another generation answers. */
export type PromotionCause = 'first' | 'promoted' | 'rolledBack' | 'upgraded'

/**
 * From here on a generation answers, for everyone or for one tenant. Takes effect only where the generation that its
 * writer saw answers still.
 */
export type GenerationPromoted = {
  readonly type: 'GenerationPromoted'
  /** The generation. */
  readonly generation: string
  /** For whom; null: for everyone. */
  readonly tenant: string | null
  /** The generation that answered before; null: none. */
  readonly previous: string | null
  /**
   * first: the log had none. rolledBack: it goes back to what answered before. upgraded: by a new version of loomlog.
   */
  readonly cause: PromotionCause
  /** When. */
  readonly at: number
}

/** What is being done for a generation. */
export type GenerationStatus = 'defined' | 'running' | 'paused' | 'cancelled' | 'retired' | 'removing' | 'removed'

/**
 * A generation is derived from here on, or waits, or is given up. Takes effect only where the generation was in the
 * status that its writer saw.
 */
export type GenerationStatusChanged = {
  readonly type: 'GenerationStatusChanged'
  /** The generation. */
  readonly generation: string
  /**
   * defined: it is only described. running: it is derived. paused: its work waits. cancelled: its work was given up;
   * what there is stays. retired: nobody needs it any more. removing, removed: what only it uses is being deleted, or
   * was.
   */
  readonly status: GenerationStatus
  /** The status that the writer saw. */
  readonly previous: GenerationStatus
  /** The share of the time that it may work beside live work, over 0 and at most 1; null: as before, or the default. */
  readonly share: number | null
  /** When. */
  readonly at: number
}

/** What went wrong with a parked input. */
export type ParkCode = 'undecodable' | 'invalid' | 'conflict' | 'unanswered'

/** An input that could not be processed, kept whole for people. */
export type InputParked = {
  readonly type: 'InputParked'
  /** hash(stage, derivation, topic, tenant and space, input or content, code, attempts). */
  readonly id: string
  /** Null where the bytes could not be decoded. */
  readonly tenant: string | null
  /** Null where the bytes could not be decoded. */
  readonly space: string | null
  /** Who could not process it. */
  readonly stage: string
  /** Under which recipe. */
  readonly derivation: string
  /** Where it was read. */
  readonly topic: string
  /** Where it was read. */
  readonly partition: number
  /** Where it was read. */
  readonly offset: number
  /** The event's id; null where the bytes could not be decoded. */
  readonly input: string | null
  /** What went wrong. */
  readonly code: ParkCode
  /** Why, in a sentence. */
  readonly reason: string
  /** How often it was tried. */
  readonly attempts: number
  /**
   * The original bytes; empty where they are too large for a record: then they stand where topic, partition and offset
   * say.
   */
  readonly value: Uint8Array
  /** When it was parked. */
  readonly at: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** An API key is valid from here on, until it expires or is revoked. Of the key itself only the digest is kept. */
export type KeyCreated = {
  readonly type: 'KeyCreated'
  /** The public part of the key, which names it. */
  readonly id: string
  /** SHA-256 of the whole key, in hex. The key holds 256 random bits, so the digest needs no salt. */
  readonly digest: string
  /** The only tenant that the key reaches; null: every tenant. */
  readonly tenant: string | null
  /** The kinds of request that the key allows: append, recall, subscribe, correct, administer. */
  readonly scopes: readonly string[]
  /** The only spaces that the key reaches; null: every space of the tenant. */
  readonly spaces: readonly string[] | null
  /** The program that uses the key, for lists. */
  readonly label: string
  /** The only authors in whose names the key writes; null: any. */
  readonly speakers: readonly string[] | null
  /** The only roles in which the key writes, among human, agent, tool, system; null: any. */
  readonly roles: readonly string[] | null
  /** The key is invalid from this time on; null: it is valid until it is revoked. */
  readonly expiresAt: number | null
  /**
   * The key that this one replaces: it has the same grants, and its record ends the other in one append. Null: a key of
   * its own.
   */
  readonly replaces: string | null
  /** The replaced key is invalid from this time on, if it doesn't expire earlier; null without one. */
  readonly replacedExpiresAt: number | null
  /** When the key was made. */
  readonly at: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** An API key is invalid from here on, for ever. */
export type KeyRevoked = {
  readonly type: 'KeyRevoked'
  /** The key. */
  readonly id: string
  /** When it was revoked. */
  readonly at: number
}

/** A serving process accepted these API keys within an hour. Kept for a bounded time. */
export type KeysUsed = {
  readonly type: 'KeysUsed'
  /** The keys. */
  readonly ids: readonly string[]
  /** The beginning of the hour, in UTC. */
  readonly hour: number
}

/** A retry of a parked input succeeded, so the input no longer waits for one. */
export type ParkedInputRetried = {
  readonly type: 'ParkedInputRetried'
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The stage that processed it. */
  readonly stage: string
  /** Under which recipe. */
  readonly derivation: string
  /** The id of the event that was parked. Every earlier attempt at it is settled. */
  readonly input: string
  /** How often it was tried, this one included. */
  readonly attempts: number
  /** When the retry was appended (log time). */
  readonly at: number
}

/** A question was answered with evidence of a space: for feedback and audit. Kept for a bounded time. */
export type RecallServed = {
  readonly type: 'RecallServed'
  /** hash(tenant, space, query, evidence, servedAt). */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. A question to several spaces has a record in each. */
  readonly space: string
  /** What was asked, up to 4,000 characters. */
  readonly query: string
  /** The generation that answered. */
  readonly generation: string
  /** Ids of what was shown of this space, in the order shown. */
  readonly evidence: readonly string[]
  /** What the whole answer takes, in cl100k tokens. */
  readonly tokens: number
  /** When it was answered. */
  readonly servedAt: number
  /** The caller: key:ID or token:SUBJECT; null: no key was needed. */
  readonly caller: string | null
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/**
 * A part of the list of records that a forgetting destroys: hashes and counts only, so it stays. Written before the
 * first of them is destroyed.
 */
export type RecordsListed = {
  readonly type: 'RecordsListed'
  /** Its id. */
  readonly forgetting: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** Random; the same in all parts of one list. A list that was interrupted is written again under another name. */
  readonly list: string
  /** From 0 on. */
  readonly part: number
  /** How many parts the list has. */
  readonly parts: number
  /** The random key of the hashes of ids, as base64url; the same in all parts. */
  readonly salt: string
  /** SHA-256 of the bytes of each record of a forgotten source event, as base64url. */
  readonly hashes: readonly string[]
  /** HMAC-SHA-256 of the id of each forgotten source event under the salt, as base64url. */
  readonly ids: readonly string[]
  /** How many records of each type are destroyed, in all topics; in the first part only. */
  readonly counts: { readonly [key: string]: number }
  /** When. */
  readonly at: number
}

/** A request to post a parked event again. */
export type ReplayRequested = {
  readonly type: 'ReplayRequested'
  /** Its id. */
  readonly webhook: string
  /** The tenant that it belongs to. */
  readonly tenant: string
  /** The CloudEvents id of the event. */
  readonly event: string
  /** The caller: a key, or the name of the person or program at the command line. */
  readonly by: string
  /** When. */
  readonly at: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** A caller with a key or a token made a request: who did what, and with which result. Kept for a bounded time. */
export type RequestAudited = {
  readonly type: 'RequestAudited'
  /** key:ID or token:SUBJECT. */
  readonly caller: string
  /** The tenant that the request was for; null: a key for every tenant was refused. */
  readonly tenant: string | null
  /** The space in the path; null: the path has none. */
  readonly space: string | null
  /** The HTTP method. */
  readonly method: string
  /** The path of the route, with the names of its parameters. */
  readonly route: string
  /** The HTTP status of the reply. */
  readonly status: number
  /** Ids of the events that the request appended, or that the log had already. */
  readonly ids: readonly string[]
  /** When the reply was ready. */
  readonly at: number
}

/** Everything in one partition of utterances below this offset is reflected in the partition that holds this record. */
export type WatermarkAdvanced = {
  readonly type: 'WatermarkAdvanced'
  /** The derivation that writes the partition. */
  readonly derivation: string
  /** The first offset of utterances that may not be reflected yet. */
  readonly offset: number
}

/** A webhook: an address that a part of the feed is delivered to. */
export type WebhookCreated = {
  readonly type: 'WebhookCreated'
  /** Its id, a hash of its settings and of the time. */
  readonly id: string
  /** The tenant that it belongs to. */
  readonly tenant: string
  /** The address that events are posted to. */
  readonly url: string
  /** Only events of these spaces; null: of every space of the tenant. */
  readonly spaces: readonly string[] | null
  /** Only events of these CloudEvents types; null: of every type. */
  readonly types: readonly string[] | null
  /** The first offset of memory-events to deliver, by partition. */
  readonly start: readonly number[]
  /** The beginning of the hash of its secret. The secret itself is in no record. */
  readonly secretHash: string
  /** The caller: a key, or the name of the person or program at the command line. */
  readonly by: string
  /** When. */
  readonly at: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Whether events are delivered. */
export type WebhookStatus = 'enabled' | 'paused' | 'disabled' | 'removed'

/** A webhook is paused, resumed, removed, or disabled since its receiver fails or is gone. */
export type WebhookStatusChanged = {
  readonly type: 'WebhookStatusChanged'
  /** Its id. */
  readonly webhook: string
  /** The tenant that it belongs to. */
  readonly tenant: string
  /** The new status. */
  readonly status: WebhookStatus
  /** Why, in a sentence; may be empty. */
  readonly reason: string
  /** The caller: a key, or the name of the person or program at the command line. */
  readonly by: string
  /** When. */
  readonly at: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** What became of a correction, or of an undoing, in the generation that the feed follows. */
export type CorrectionPublished = {
  readonly type: 'CorrectionPublished'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The source event. */
  readonly correction: string
  /** replace, add, pin, retract, or undo. null: it passed before the feed had this field. */
  readonly action: string | null
  /** Who asked for it. null: it passed before the feed had this field. */
  readonly by: string | null
  /** What became of it. Several may tell of one: the best outcome counts, applied before unsure before missed. */
  readonly outcome: CorrectionOutcome
  /** Ids of the facts that were retracted. */
  readonly retracted: readonly string[]
  /** How many facts were not recorded because of it. */
  readonly withheld: number
  /** Ids of the facts that say perhaps the same, and were left. */
  readonly unsure: readonly string[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/**
 * Whether a memory joins the feed or leaves it. A changed memory leaves with its earlier content and joins with the new
 * one.
 */
export type MemoryChange = 'inserted' | 'retracted'

/** Why a memory joins or leaves. A reason that old code does not know reads as other. */
export type ChangeReason = 'other' | 'derived' | 'revised' | 'corrected' | 'undone' | 'superseded' | 'merged' | 'retracted' | 'switched' | 'forgotten'

/** The description of a document or a profile joins or leaves the feed. */
export type DocumentPublished = {
  readonly type: 'DocumentPublished'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The id of the memory, as in recall and why. */
  readonly memory: string
  /** Whether the memory joins the feed or leaves it. */
  readonly change: MemoryChange
  /** Why. */
  readonly because: ChangeReason
  /** A document on a topic, or the profile of one entity. */
  readonly kind: DocumentKind
  /** Whose profile it is; null for a topic. */
  readonly entity: string | null
  /** Its title. */
  readonly title: string
  /** What it holds, in a sentence or two. */
  readonly summary: string
  /** How many entries it holds now. */
  readonly entries: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** An entry, one line of a document or a profile, joins or leaves the feed. */
export type EntryPublished = {
  readonly type: 'EntryPublished'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The id of the memory, as in recall and why. */
  readonly memory: string
  /** Whether the memory joins the feed or leaves it. */
  readonly change: MemoryChange
  /** Why. */
  readonly because: ChangeReason
  /** The document. */
  readonly document: string
  /** A document on a topic, or the profile of one entity. */
  readonly kind: DocumentKind
  /** The document's title. */
  readonly title: string
  /** The heading that the entry stands under. */
  readonly heading: string
  /** The entry. */
  readonly text: string
  /** When it happened or holds, where known. */
  readonly when: EventTime | null
  /** From when it is held to be true (event time). */
  readonly validFrom: number
  /** The entry that takes its place, where it leaves for another one. */
  readonly replacedBy: string | null
  /** Who said it. */
  readonly speaker: string
  /** What kind of speaker. */
  readonly role: Role
  /** Ids of the facts it states. */
  readonly facts: readonly string[]
  /** Ids of the utterances behind them. */
  readonly sources: readonly string[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** Something that happened, or is planned, joins or leaves the feed. */
export type EventPublished = {
  readonly type: 'EventPublished'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The id of the memory, as in recall and why. */
  readonly memory: string
  /** Whether the memory joins the feed or leaves it. */
  readonly change: MemoryChange
  /** Why. */
  readonly because: ChangeReason
  /** The box it was told in. */
  readonly box: string
  /** The thread it was told in. */
  readonly conversation: string
  /** What happened, self-contained. */
  readonly text: string
  /** When it happened, where that was said. */
  readonly when: EventTime | null
  /** When it was told. */
  readonly toldAt: number
  /** Who took part. */
  readonly persons: readonly string[]
  /** Ids of the utterances that tell it. */
  readonly sources: readonly string[]
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/** The correction that states a fact, as the API shows it. */
export type StatedCorrection = {
  /** The correction, a source event. */
  readonly id: string
  /** replace, add or pin. */
  readonly action: string
  /** Who made it. */
  readonly by: string
  /** Ids of the facts that it took the place of, in this derivation. */
  readonly replaced: readonly string[]
}

/** A fact, a self-contained restatement of something said, joins or leaves the feed. */
export type FactPublished = {
  readonly type: 'FactPublished'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The id of the memory, as in recall and why. */
  readonly memory: string
  /** Whether the memory joins the feed or leaves it. */
  readonly change: MemoryChange
  /** Why. */
  readonly because: ChangeReason
  /** The box it was found in. */
  readonly box: string
  /** The thread it was said in. */
  readonly conversation: string
  /** The restatement. */
  readonly text: string
  /** Something that happened, that holds, that somebody likes or wants, or that is planned. */
  readonly kind: FactKind
  /** Who or what it is about. */
  readonly subject: string
  /** The verb phrase that ties subject and object: lives in, adopted. */
  readonly relation: string
  /** The rest of the statement; may be empty. */
  readonly object: string
  /** Who said it. */
  readonly speaker: string
  /** What kind of speaker: an agent's guess never becomes a person's fact. */
  readonly role: Role
  /** When it was said. */
  readonly saidAt: number
  /** When it happened or holds, where that was said. */
  readonly when: EventTime | null
  /** Where, if that was said. */
  readonly location: string | null
  /** People named. */
  readonly persons: readonly string[]
  /** Other proper names. */
  readonly entities: readonly string[]
  /** Ids of the utterances that it restates. */
  readonly sources: readonly string[]
  /** The correction that states it; null: it was derived. */
  readonly correction: string | null
  /**
   * The correction that states it, with its action and author; null: it was derived, or it passed before the feed had
   * this field.
   */
  readonly statedBy: StatedCorrection | null
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/**
 * Something of the space was forgotten. Every memory that the space had has left right before this record, with the
 * reason forgotten; those that are derived from the kept source events join after it. A reader deletes all that it
 * holds of the space from before this record.
 */
export type ForgettingPublished = {
  readonly type: 'ForgettingPublished'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The id of the forgetting. It does not name what is forgotten. */
  readonly forgetting: string
  /** How many memories have left right before it. */
  readonly retracted: number
}

/**
 * The feed of the space follows another generation from here on. The differences come right after it, with the reason
 * switched.
 */
export type GenerationSwitched = {
  readonly type: 'GenerationSwitched'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The generation before; null: the feed of the space begins. */
  readonly from: string | null
  /** How many memories join right after it. */
  readonly inserted: number
  /** How many memories leave right after it. */
  readonly retracted: number
  /** The partition of utterances that holds the space. */
  readonly partition: number
  /**
   * The first offset of utterances that the new generation may not reflect yet. It may be lower than an earlier mark of
   * the space.
   */
  readonly upTo: number
}

/** The place of an event in a trace, the timeline of one matter, joins or leaves the feed. */
export type LinkPublished = {
  readonly type: 'LinkPublished'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The id of the memory, as in recall and why. */
  readonly memory: string
  /** Whether the memory joins the feed or leaves it. */
  readonly change: MemoryChange
  /** Why. */
  readonly because: ChangeReason
  /** The trace. */
  readonly trace: string
  /** What the trace is about. */
  readonly title: string
  /** The event. */
  readonly event: string
  /** The trace's event before it in the order of telling; null for the first. */
  readonly previous: string | null
  /** How sure the link is, 0 to 1. */
  readonly score: number
  /** How many events the trace held before this one. */
  readonly position: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

/**
 * Everything that the generation made of the utterances below a position is in the feed of the space before this
 * record.
 */
export type ProgressMarked = {
  readonly type: 'ProgressMarked'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The partition of utterances that holds the space. */
  readonly partition: number
  /** The first offset that may not be reflected yet. An append answers with such a position as partition@offset. */
  readonly upTo: number
}

/** A sealed box, consecutive utterances on one topic, joins or leaves the feed. */
export type TopicPublished = {
  readonly type: 'TopicPublished'
  /** The CloudEvents id, derived from the cause: published once, and never with another meaning. */
  readonly id: string
  /** The security boundary. */
  readonly tenant: string
  /** The unit of memory, order and isolation within the tenant. */
  readonly space: string
  /** The generation that the feed of the space follows here. */
  readonly generation: string
  /** Log time of the source event behind it; of a switch or a mark: when it was published. */
  readonly at: number
  /** The id of the memory, as in recall and why. */
  readonly memory: string
  /** Whether the memory joins the feed or leaves it. */
  readonly change: MemoryChange
  /** Why. */
  readonly because: ChangeReason
  /** The thread it is part of. */
  readonly conversation: string
  /** What it is about, in a few words. */
  readonly topic: string
  /** Its telling words, strongest first. */
  readonly keywords: readonly string[]
  /** Ids of its utterances, in order. */
  readonly utterances: readonly string[]
  /** When its first utterance was said. */
  readonly startedAt: number
  /** When its last utterance was said. */
  readonly endedAt: number
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}

export type SourceEvent =
  | ConversationPaused
  | EvidenceRetracted
  | FeedbackGiven
  | MemoryCorrected
  | RetryRequested
  | SpacePaused
  | SubjectForgotten
  | UtteranceAppended

export type DerivedEvent =
  | BatchConsolidated
  | BoxSealed
  | CorrectionApplied
  | DocumentDescribed
  | EntryRetired
  | EntryWritten
  | EventLinked
  | EventRecorded
  | EventRetracted
  | FactRecorded
  | FactRetracted
  | FactWithheld
  | LinesRetracted
  | TraceRetitled
  | WindowExtracted

export type SystemEvent =
  | AnswerRecorded
  | DeliveryParked
  | DeliveryReplayed
  | DerivationDefined
  | ForgettingRequested
  | ForgettingStatusChanged
  | GenerationDefined
  | GenerationPromoted
  | GenerationStatusChanged
  | InputParked
  | KeyCreated
  | KeyRevoked
  | KeysUsed
  | ParkedInputRetried
  | RecallServed
  | RecordsListed
  | ReplayRequested
  | RequestAudited
  | WatermarkAdvanced
  | WebhookCreated
  | WebhookStatusChanged

export type PublishedEvent =
  | CorrectionPublished
  | DocumentPublished
  | EntryPublished
  | EventPublished
  | FactPublished
  | ForgettingPublished
  | GenerationSwitched
  | LinkPublished
  | ProgressMarked
  | TopicPublished
