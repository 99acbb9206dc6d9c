/** The types of the HTTP API, generated from docs/openapi.json by generate-types.ts. */

/** A message in either form. */
export type Message = Utterance | ChatMessage
/** A CloudEvent of the feed. Its type tells the record that `data` has. */
export type FeedEvent =
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

/** A message in the form of loomlog. */
export interface Utterance {
  /** 1 to 256 characters. Default: derived from `Idempotency-Key`; without, from the content with its time. */
  readonly id?: string
  /** The thread, 1 to 256 characters. Default: that of the request. */
  readonly conversation?: string
  /** The person or agent: 1 to 256 characters, none of them a control, bidirectional, zero-width or separator character. Stored in NFC, trimmed. */
  readonly speaker: string
  readonly role?: 'human' | 'agent' | 'tool' | 'system'
  /** ISO 8601 with a time zone. Default: now. Without `at`, a retry needs the same `id` or the same `Idempotency-Key`, and is compared without the time; else it is another utterance. */
  readonly at?: string
  /** At most 65,536 bytes. */
  readonly text: string
  readonly attachments?: readonly {
    /** Such as `image`. */
    readonly kind: string
    /** The description in words. */
    readonly description: string
    /** The address. */
    readonly uri?: string | null
  }[]
  readonly metadata?: {
    readonly [k: string]: string
  }
}
/** A chat message (OpenAI). */
export interface ChatMessage {
  /** 1 to 256 characters. Default: derived from `Idempotency-Key`; without, from the content with its time. */
  readonly id?: string
  /** The thread, 1 to 256 characters. Default: that of the request. */
  readonly conversation?: string
  /** human, agent, system or tool. */
  readonly role: 'user' | 'assistant' | 'system' | 'developer' | 'tool' | 'function'
  /** Text or parts. Parts other than text become attachments. */
  readonly content?: string | readonly unknown[] | null
  /** The speaker. Default: the role. */
  readonly name?: string
  /** Each call becomes a line of the text: `name(arguments)`. */
  readonly tool_calls?: readonly unknown[] | null
  /** Becomes a label of the utterance. */
  readonly tool_call_id?: string | null
  readonly refusal?: string | null
  /** ISO 8601, or seconds or milliseconds since 1970. Default: now. Without `at`, a retry needs the same `id` or the same `Idempotency-Key`, and is compared without the time; else it is another utterance. */
  readonly at?: string | number
  readonly metadata?: {
    readonly [k: string]: string
  }
}
/** The events are durable: the next recall finds them. */
export interface AppendReply {
  /**
   * Ids of the events, in the order of the request.
   *
   * Items: The id of the event.
   */
  readonly ids?: readonly string[]
  /** Number of events that this request added. */
  readonly appended: number
  /** Number of events that the log already had, with the same content. */
  readonly known: number
  /** `PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`. */
  readonly position: string
  /** The last of these states that the events have reached. */
  readonly reached: 'appended' | 'derived' | 'in-views'
}
/** The end is in the log. */
export interface EndReply {
  /**
   * Ids of the events, in the order of the request.
   *
   * Items: The id of the event.
   */
  readonly ids: readonly string[]
  /** Number of events that this request added. */
  readonly appended: number
  /** Number of events that the log already had, with the same content. */
  readonly known: number
  /** `PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`. */
  readonly position: string
}
export interface RecallBody {
  /** The question. */
  readonly query: string
  /** Further spaces of the tenant; 16 in all. The memories of all spaces are ranked together. */
  readonly also?: string | readonly string[]
  /** `combined` (default): utterances, ranked also by their facts and events. `content`: the same without events. `trace_event`: events, each with the other events of its timelines. `documents`: documents by their summary, and parts of documents by their words. */
  readonly mode?: 'content' | 'trace_event' | 'combined' | 'documents'
  /** Instead of a mode: only these kinds, each searched by itself: utterance, box, fact, event, document, profile, and those of extensions. */
  readonly kind?: string | readonly string[]
  /** Maximum number of memories. Default: 10; with a budget, as many as fit. */
  readonly limit?: number
  /** Maximum number of tokens (cl100k) of the evidence. Default: no limit. */
  readonly budget?: number
  /** Only these speakers. */
  readonly speaker?: string | readonly string[]
  /** Only these conversations. */
  readonly conversation?: string | readonly string[]
  /** Spoken or happened at or after this time. A day (its beginning, UTC), or a time with a zone. */
  readonly from?: string
  /** Spoken or happened before this time. A day (its beginning, UTC), or a time with a zone. */
  readonly to?: string
  /** `LABEL=VALUE`: only utterances that carry all of these labels. */
  readonly metadata?: string | readonly string[]
  /** Ids of memories to leave out, with every memory that is derived from these alone. */
  readonly exclude?: string | readonly string[]
  /** CONVERSATION=COUNT: leaves out the last COUNT utterances of a conversation, for a caller that has them at hand. */
  readonly excludeLast?: string | readonly string[]
  /** Only memories that were true at this time, as far as known. Default: now. A day (its beginning, UTC), or a time with a zone. */
  readonly trueAt?: string
  /** Only memories that the log had accepted by this time. Default: now. A day (its beginning, UTC), or a time with a zone. */
  readonly knownAt?: string
  /** `yes`: also an answer in words by the model, with citations, or the reason for none. */
  readonly answer?: ('yes' | 'no') | boolean
  /** `yes`: a model searches the space with the tools; not with `mode`, `kind`, filters and times. */
  readonly agentic?: ('yes' | 'no') | boolean
  /** `yes`: also every candidate with its score, its outcome, and the contribution of each feature. */
  readonly explain?: ('yes' | 'no') | boolean
  /** `model`: a model first analyzes the question, in one call. Default: `rules`. */
  readonly understanding?: 'rules' | 'model'
  /** The id or name of a generation to read instead of the live one. */
  readonly generation?: string
  /** A `position` of the space: waits until the views have every record before it. */
  readonly after?: string
  /** `derived`: also waits for the memories that the stages derive from these records so far. */
  readonly reach?: 'raw' | 'derived'
  /** Longest wait for `after`, in ms; after it the reply is 503 `views-behind`. Default: 5000. */
  readonly wait?: number
}
/** The evidence. */
export interface RecallReply {
  /** `TENANT/SPACE` */
  readonly space: string
  /** The question. */
  readonly query: string
  /** The generation that was read. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
  readonly answer?: CitedAnswer
  /** The evidence, best first; within a budget in the order of time. */
  readonly memories: readonly Evidence[]
  /** The evidence as a text to put before a model. */
  readonly text: string
  /** Tokens (cl100k) of the evidence. */
  readonly tokens: number
  /** Memories that were found and not returned. */
  readonly leftOut: readonly LeftOutMemory[]
  /** Records of the log that were not searched; present if views are far behind. */
  readonly unsearched?: number
  /** Why the log was not read. Utterances in no view yet were not searched. */
  readonly logAway?: string
  /** Views that are being rebuilt; present if there are any. */
  readonly rebuilding?: readonly Rebuild[]
  /**
   * Names of spaces or speakers that the memory does not have, with the nearest that the caller may read; present if there are any.
   *
   * Items: A notice.
   */
  readonly notices?: readonly string[]
  /** Memories that were found, and left out because reading them failed; present if there are any. */
  readonly failed?: readonly FailedMemory[]
  readonly understood?: QuestionAnalysis
  /** With `explain`: the log-odds that every candidate begins with. */
  readonly bias?: number
  /** With `explain`: every candidate. */
  readonly candidates?: readonly Candidate[]
  /** With `agentic`: the steps of the model. */
  readonly steps?: readonly SearchStep[]
  /** With `agentic`: the end of the search. `finished`: the model named the evidence. `unnamed`: it named none. `steps`, `tokens`: the limit that it reached. */
  readonly stopped?: 'finished' | 'unnamed' | 'steps' | 'tokens'
}
/** An answer by a model from the evidence. */
export interface CitedAnswer {
  /** The answer in words; null: none, for the reason in `why`. */
  readonly answer: string | null
  /** Items: The id of a memory of the evidence. */
  readonly cites: readonly string[]
  /** The name of the model; null without one. */
  readonly by: string | null
  /** The reason for no answer. */
  readonly why: string | null
}
/** A memory that was found. */
export interface Evidence {
  /** Unique in its space. */
  readonly id: string
  /** `TENANT/SPACE` */
  readonly space: string
  /** The kind of the memory. */
  readonly kind: string
  /** The text of the memory. */
  readonly text: string
  /** The person or agent who said it; empty if there is no single one. */
  readonly speaker: string
  /** The thread; empty if there is no single one. */
  readonly conversation: string
  /** When it was spoken or happened, in ms since 1970; null: at no single time. */
  readonly at: number | null
  /** The order of memories with the same time. */
  readonly offset: number
  /** Event time in which it was true. */
  readonly valid: {
    /** In ms since 1970; null: unknown. */
    readonly from: number | null
    /** In ms since 1970; null: it has not ended. */
    readonly to: number | null
  }
  /** Log time from which the memory knew it, until it was retired. */
  readonly known: {
    /** In ms since 1970. */
    readonly from: number
    /** In ms since 1970; null: it is current. */
    readonly to: number | null
  }
  /** Items: The id of an utterance or a correction. */
  readonly sources: readonly string[]
  /** `rules`, or the name of the model; null for an utterance. */
  readonly method: string | null
  /** Higher is better. */
  readonly score: number
  /**
   * Present if this memory is outdated.
   *
   * Items: The id of a memory that replaces this one.
   */
  readonly replacedBy?: readonly string[]
  /**
   * Beside `replacedBy`: present if other sentences of the text still hold.
   *
   * Items: A sentence that no longer holds.
   */
  readonly outdated?: readonly string[]
  /**
   * Present if all its facts are retracted.
   *
   * Items: The id of a correction that retracted facts of this utterance.
   */
  readonly retractedBy?: readonly string[]
  /** Present if conclusions from this utterance ended: all of them, or some. */
  readonly ended?: 'all' | 'some'
  /** The id of the memory whose score this one has, because its own is lower. */
  readonly raisedBy?: string
  /** The timelines of an event. */
  readonly traces?: readonly {
    /** The id of the timeline. */
    readonly id: string
    /** The matter of the timeline. */
    readonly title: string
    /** The place of the event in it, from 1. */
    readonly position: number
    /** The events of the timeline that were read. */
    readonly events: number
  }[]
  /** Tokens (cl100k) of the text. */
  readonly tokens: number
}
/** A memory that was found and not returned. */
export interface LeftOutMemory {
  /** Unique in its space. */
  readonly id: string
  /** `TENANT/SPACE` */
  readonly space: string
  /** The kind of the memory. */
  readonly kind: string
  /** Higher is better. */
  readonly score: number
  /** `limit`: others were better. `budget`: its tokens did not fit. `unlikely`: below the floor that evidence within a budget has. */
  readonly why: 'limit' | 'budget' | 'unlikely'
}
/** A part of a view that lacks records because it is built or rebuilt. */
export interface Rebuild {
  /** The topic of the view. */
  readonly topic: string
  /** The partition of the topic. */
  readonly partition: number
  /** The offsets below this one are in the view. */
  readonly reached: number
  /** The end of the partition when the view was found behind. */
  readonly end: number
}
/** A memory that was found, and left out because reading it failed. */
export interface FailedMemory {
  /** Unique in its space. */
  readonly id: string
  /** `TENANT/SPACE` */
  readonly space: string
  /** The kind of the memory. */
  readonly kind: string
  /** The error. */
  readonly why: string
}
/** The analysis of a question. */
export interface QuestionAnalysis {
  /** `rules`, or the name of the model. */
  readonly by: string
  /** Items: Information that an answer needs. */
  readonly requires: readonly string[]
  /** Items: A query to search; the first is the question itself. */
  readonly queries: readonly string[]
  /** Items: A keyword. */
  readonly keywords: readonly string[]
  /** Items: The name of a person. */
  readonly persons: readonly string[]
  /** Items: The name of a thing. */
  readonly entities: readonly string[]
  /** The time that the question names. */
  readonly time: string | null
  /** The place that the question names. */
  readonly location: string | null
  /** The reason if rules replaced the model. */
  readonly note: string | null
}
/** A candidate of an explained recall. */
export interface Candidate {
  /** Unique in its space. */
  readonly id: string
  /** `TENANT/SPACE` */
  readonly space: string
  /** The kind of the memory. */
  readonly kind: string
  /** The text of the memory. */
  readonly text: string
  /** Items: The id of an utterance or a correction. */
  readonly sources: readonly string[]
  /** Higher is better. */
  readonly score: number
  /** Tokens (cl100k); within a budget, with the number of the item. */
  readonly tokens: number
  /** `taken`: it is among the memories. The others are the reasons of `leftOut`. */
  readonly outcome: 'taken' | 'limit' | 'budget' | 'unlikely'
  /** The contributions other than 0, largest first. */
  readonly contributions: readonly Contribution[]
  /** The id of the memory whose score this one has, because its own is lower. */
  readonly raisedBy?: string
}
/** The share of one feature in a score. */
export interface Contribution {
  /** The name of the feature. */
  readonly feature: string
  /** The part of recall that the feature belongs to. */
  readonly part: 'conversation' | 'neighbours' | 'facts' | 'events' | 'meaning' | 'speaker' | 'wants' | 'words' | 'form'
  /** The value of the feature. */
  readonly value: number
  /** The weight of the feature. */
  readonly weight: number
  /** Value times weight. */
  readonly contribution: number
}
/** A step of a search by a model. */
export interface SearchStep {
  /** The name of the tool. */
  readonly tool: string
  /** The input of the tool, as JSON. */
  readonly input: string
  /** Memories that the tool showed. */
  readonly shown: number
}
export interface ContextBody {
  /** The question. Without one: the current state of the people of the newest utterances, and these utterances. */
  readonly query?: string
  /** Maximum number of tokens (cl100k) of the text. Default: 2000. */
  readonly budget?: number
  /** Only these speakers. */
  readonly speaker?: string | readonly string[]
  /** Only these conversations. */
  readonly conversation?: string | readonly string[]
  /** Spoken or happened at or after this time. A day (its beginning, UTC), or a time with a zone. */
  readonly from?: string
  /** Spoken or happened before this time. A day (its beginning, UTC), or a time with a zone. */
  readonly to?: string
  /** `LABEL=VALUE`: only utterances that carry all of these labels. */
  readonly metadata?: string | readonly string[]
  /** Ids of memories to leave out, with every memory that is derived from these alone. */
  readonly exclude?: string | readonly string[]
  /** CONVERSATION=COUNT: leaves out the last COUNT utterances of a conversation, for a caller that has them at hand. */
  readonly excludeLast?: string | readonly string[]
  /** Only memories that were true at this time, as far as known. Default: now. A day (its beginning, UTC), or a time with a zone. */
  readonly trueAt?: string
  /** Only memories that the log had accepted by this time. Default: now. A day (its beginning, UTC), or a time with a zone. */
  readonly knownAt?: string
  /** A `position` of the space: waits until the views have every record before it. */
  readonly after?: string
  /** `derived`: also waits for the memories that the stages derive from these records so far. */
  readonly reach?: 'raw' | 'derived'
  /** Longest wait for `after`, in ms; after it the reply is 503 `views-behind`. Default: 5000. */
  readonly wait?: number
  /** `model`: a model first analyzes the question, in one call. Default: `rules`. */
  readonly understanding?: 'rules' | 'model'
  /** The speaker of the request: the context has the standing instructions of this person, and those for everybody. Default: those of all, each with its author. */
  readonly for?: string
}
/** The context. */
export interface ContextReply {
  /** `TENANT/SPACE` */
  readonly space: string
  /** The generation that was read. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
  /** The numbered items of the text, item 1 first. */
  readonly items: readonly ContextItem[]
  /** The text to put before a model. */
  readonly text: string
  /** Tokens (cl100k) of the text. */
  readonly tokens: number
  /** Records of the log that were not searched; present if views are far behind. */
  readonly unsearched?: number
  /** Why the log was not read. Utterances in no view yet were not searched. */
  readonly logAway?: string
  /** Views that are being rebuilt; present if there are any. */
  readonly rebuilding?: readonly Rebuild[]
  /**
   * Names of spaces or speakers that the memory does not have, with the nearest that the caller may read; present if there are any.
   *
   * Items: A notice.
   */
  readonly notices?: readonly string[]
  /** Memories that were found, and left out because reading them failed; present if there are any. */
  readonly failed?: readonly FailedMemory[]
  readonly understood?: QuestionAnalysis
}
/** A numbered item of a context. */
export interface ContextItem {
  /** Unique in its space. */
  readonly id: string
  /** `TENANT/SPACE` */
  readonly space: string
  /** The kind of the memory. */
  readonly kind: string
  /** The text of the memory. */
  readonly text: string
  /** The person or agent who said it; empty if there is no single one. */
  readonly speaker: string
  /** The thread; empty if there is no single one. */
  readonly conversation: string
  /** When it was spoken or happened, in ms since 1970; null: at no single time. */
  readonly at: number | null
  /** The order of memories with the same time. */
  readonly offset: number
  /** Event time in which it was true. */
  readonly valid: {
    /** In ms since 1970; null: unknown. */
    readonly from: number | null
    /** In ms since 1970; null: it has not ended. */
    readonly to: number | null
  }
  /** Log time from which the memory knew it, until it was retired. */
  readonly known: {
    /** In ms since 1970. */
    readonly from: number
    /** In ms since 1970; null: it is current. */
    readonly to: number | null
  }
  /** Items: The id of an utterance or a correction. */
  readonly sources: readonly string[]
  /** `rules`, or the name of the model; null for an utterance. */
  readonly method: string | null
  /** Higher is better. */
  readonly score: number
  /**
   * Present if this memory is outdated.
   *
   * Items: The id of a memory that replaces this one.
   */
  readonly replacedBy?: readonly string[]
  /**
   * Beside `replacedBy`: present if other sentences of the text still hold.
   *
   * Items: A sentence that no longer holds.
   */
  readonly outdated?: readonly string[]
  /**
   * Present if all its facts are retracted.
   *
   * Items: The id of a correction that retracted facts of this utterance.
   */
  readonly retractedBy?: readonly string[]
  /** Present if conclusions from this utterance ended: all of them, or some. */
  readonly ended?: 'all' | 'some'
  /** The id of the memory whose score this one has, because its own is lower. */
  readonly raisedBy?: string
  /** The timelines of an event. */
  readonly traces?: readonly {
    /** The id of the timeline. */
    readonly id: string
    /** The matter of the timeline. */
    readonly title: string
    /** The place of the event in it, from 1. */
    readonly position: number
    /** The events of the timeline that were read. */
    readonly events: number
  }[]
  /** Tokens (cl100k) of the text. */
  readonly tokens: number
  /** `instruction`: a standing instruction. `holds`: an entry that is true now, or was, with its end. `timeline`: an event of the matter. `evidence`: an utterance. */
  readonly part: 'instruction' | 'holds' | 'timeline' | 'evidence'
}
export interface Correction {
  /** `add` states something that is in no utterance. */
  readonly action: 'replace' | 'pin' | 'retract' | 'add'
  /** Id of a fact or an entry; not with `add`. */
  readonly memory?: string
  /** The right wording, with `replace` and `add`. */
  readonly text?: string
  /** The time from which the text holds, with `replace`; the memory holds until then. Without it the memory never held. A day (its beginning, UTC), or a time with a zone. */
  readonly from?: string
  /** The conversation of an added statement. Default: `corrections`. */
  readonly conversation?: string
  /** The author. */
  readonly by: string
  /** An agent can't correct the words of a person. */
  readonly role?: 'human' | 'agent'
  /** The reason, in words. */
  readonly reason?: string
}
/** The correction is in the log. */
export interface CorrectionReply {
  /**
   * Ids of the events, in the order of the request.
   *
   * Items: The id of the event.
   */
  readonly ids: readonly string[]
  /** Number of events that this request added. */
  readonly appended: number
  /** Number of events that the log already had, with the same content. */
  readonly known: number
  /** `PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`. */
  readonly position: string
  /** The events: the first has the new words, and the others retract the same statement elsewhere. */
  readonly corrections: readonly CorrectionEvent[]
}
/** A person, or an agent, corrects what the memory says. It rides in the order of its space, and is applied in every derivation. */
export interface CorrectionEvent {
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
  readonly action: 'unknown' | 'replace' | 'add' | 'pin' | 'retract'
  /** What is corrected; null for add. */
  readonly target: {
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
  } | null
  /** The new words; null for retract. */
  readonly text: string | null
  /** What kind of statement the new words are. */
  readonly kind: 'event' | 'state' | 'preference' | 'plan'
  /** Who or what the new words are about; empty for retract. */
  readonly subject: string
  /** The verb phrase of the new words. */
  readonly relation: string
  /** The rest of the new words. */
  readonly object: string
  /** When what the new words say happened or holds, where that is known. */
  readonly when: {
    /** Its start, inclusive, UTC. */
    readonly from: number
    /** Its end, exclusive, UTC. */
    readonly to: number
    /** For people: 2023-05-07, May 2023, 2022. */
    readonly text: string
  } | null
  /** People named in the new words. */
  readonly persons: readonly string[]
  /** Telling words of the new words. */
  readonly keywords: readonly string[]
  /** From when the new words hold (event time); the corrected memory holds until then. null: the corrected memory never held. */
  readonly from: number | null
  /** Who asked for it. */
  readonly by: string
  /** What kind of speaker asked: an agent never corrects what a person said. */
  readonly role: 'human' | 'agent' | 'tool' | 'system'
  /** Why, in their words. */
  readonly reason: string | null
  /** When it was asked for (event time). */
  readonly at: number
  /** When the log accepted it (log time). */
  readonly appendedAt: number
  /** The key or token that brought it, `key:ID` or `token:SUBJECT`; null: none was needed, or it was not recorded yet. */
  readonly principal: string | null
  /** The key that the fields tagged PII are encrypted with; null: they are plain text. */
  readonly keyId: string | null
}
export interface Retraction {
  /**
   * Only these utterances.
   *
   *
   * Items: The id of an utterance.
   */
  readonly utterances?: readonly string[]
  /** Utterances of this person or agent. */
  readonly speaker?: string
  /** Utterances of this conversation. */
  readonly conversation?: string
  /** Only memories of this derivation. */
  readonly derivation?: string
  /** Utterances that this key or token brought: `key:ID` or `token:SUBJECT`. */
  readonly principal?: string
  /** Utterances from this time on. A day (its beginning, UTC), or a time with a zone. */
  readonly from?: string
  /** Utterances before this time. A day (its beginning, UTC), or a time with a zone. */
  readonly to?: string
  /** The author. */
  readonly by: string
  readonly role?: 'human' | 'agent'
  /** The reason, in words. */
  readonly reason?: string | null
  /** Only list the affected memories. */
  readonly dryRun?: boolean
}
/** The retraction is in the log. */
export interface RetractionReply {
  /**
   * Ids of the events, in the order of the request.
   *
   * Items: The id of the event.
   */
  readonly ids: readonly string[]
  /** Number of events that this request added. */
  readonly appended: number
  /** Number of events that the log already had, with the same content. */
  readonly known: number
  /** `PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`. */
  readonly position?: string
  /** Nothing is changed: no event is appended. */
  readonly dryRun: boolean
  /**
   * Ids of `utterances` in the request that no utterance has, or only a retracted one, or one of a person if the author is an agent.
   *
   * Items: An id.
   */
  readonly unknown: readonly string[]
  /** The retracted utterances. */
  readonly utterances: readonly {
    /** The id of the utterance. */
    readonly id: string
    /** The thread. */
    readonly conversation: string
    /** Its text. */
    readonly text: string
  }[]
  /** The affected memories by table. */
  readonly downstream: {
    /** Memories derived from the utterances. */
    readonly [k: string]: readonly {
      /** The id of the memory. */
      readonly id: string
      /** The text of the memory. */
      readonly text: string
    }[]
  }
}
export interface Forgetting {
  /**
   * Only these.
   *
   *
   * Items: The id of an utterance, or of a correction.
   */
  readonly utterances?: readonly string[]
  /** Utterances of this person or agent, and corrections, retractions and feedback in this name. */
  readonly speaker?: string
  /** Events of this conversation. */
  readonly conversation?: string
  /** Events from this time on. A day (its beginning, UTC), or a time with a zone. */
  readonly from?: string
  /** Events before this time. A day (its beginning, UTC), or a time with a zone. */
  readonly to?: string
  /** Events that were appended before this time, whenever they happened. A day (its beginning, UTC), or a time with a zone. */
  readonly appendedBefore?: string
  /** The whole space. */
  readonly everything?: boolean
  /** The person or program that asks. */
  readonly by: string
  /** Only count what would be destroyed. */
  readonly preview: boolean
}
/** The request is in the log. */
export interface ForgettingReply {
  /** Nothing is changed. */
  readonly preview: boolean
  /** The id of the forgetting; null for a preview, and where there is nothing to forget. */
  readonly id: string | null
  /** Utterances that are destroyed. */
  readonly utterances: number
  /** Conversations in which one is. */
  readonly conversations: number
  /** Corrections, retractions and feedback that are destroyed. */
  readonly corrections: number
  /** Source events that the space keeps. */
  readonly kept: number
  /**
   * Ids of `utterances` in the request that no utterance has.
   *
   * Items: An id.
   */
  readonly unknown: readonly string[]
  /** Memories that rest on them, by table. They are derived again from the rest. */
  readonly impact: {
    readonly [k: string]: number
  }
  /** Utterances that stay, and name the selected speaker. */
  readonly mentions: readonly {
    /** The id of the utterance. */
    readonly id: string
    /** The thread. */
    readonly conversation: string
    /** Its text. */
    readonly text: string
  }[]
}
export interface ForgettingDetails {
  /** The id of the forgetting. */
  readonly id: string
  /** The last step that is complete. */
  readonly status: 'requested' | 'rewritten' | 'passed' | 'listed' | 'destroyed' | 'certified'
  /** The signed certificate, for `loomlog forget verify`; null: it is not certified yet. */
  readonly certificate: {
    readonly [k: string]: unknown
  } | null
}
export interface Lineage {
  /** The id of the memory. */
  readonly id: string
  /** utterance, correction, box, fact, link, entry or document. */
  readonly kind: string
  /** The text of the memory. */
  readonly text: string
  /** The derivation; null for an utterance. */
  readonly derivation: string | null
  /** `rules`, or the name of the model; null for an utterance. */
  readonly method: string | null
  /** Items: The key of a recorded answer that the memory was derived with. */
  readonly completions: readonly string[]
  /** The record of the memory in the log. */
  readonly record: {
    /** The topic. */
    readonly topic: string
    /** The partition of the topic. */
    readonly partition: number
    /** The offset in the partition. */
    readonly offset: number
  }
  /** These recorded answers. */
  readonly asked: readonly UsedAnswer[]
  /** The memories that it was derived from. */
  readonly causes: readonly Cause[]
  readonly cost: Cost
  /** The generation that was read. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
}
/** A recorded answer that a memory was derived with. */
export interface UsedAnswer {
  /** The key of the recorded answer. */
  readonly key: string
  /** The task of the ask. */
  readonly task: string
  /** The name of the model. */
  readonly model: string
  /** The hash of the prompt's text; null for an embedding that rules asked for. */
  readonly prompt: string | null
  /** Calls of the model. */
  readonly attempts: number
  /** Tokens of the input. */
  readonly inputTokens: number
  /** Tokens of the output. */
  readonly outputTokens: number
  /** By LOOMLOG_PRICES; null: the model has no price. */
  readonly money: number | null
}
/** A memory that another was derived from, with its own causes. */
export interface Cause {
  /** The id of the memory. */
  readonly id: string
  /** utterance, correction, box, fact, link, entry or document. */
  readonly kind: string
  /** The text of the memory. */
  readonly text: string
  /** The derivation; null for an utterance. */
  readonly derivation: string | null
  /** `rules`, or the name of the model; null for an utterance. */
  readonly method: string | null
  /** Items: The key of a recorded answer that the memory was derived with. */
  readonly completions: readonly string[]
  /** The record of the memory in the log. */
  readonly record: {
    /** The topic. */
    readonly topic: string
    /** The partition of the topic. */
    readonly partition: number
    /** The offset in the partition. */
    readonly offset: number
  }
  /** These recorded answers. */
  readonly asked: readonly UsedAnswer[]
  /** The memories that it was derived from. */
  readonly causes: readonly Cause[]
}
/** The cost of recorded answers. */
export interface Cost {
  /** Recorded answers. */
  readonly asks: number
  /** Tokens of the input. */
  readonly inputTokens: number
  /** Tokens of the output. */
  readonly outputTokens: number
  /** By LOOMLOG_PRICES; null without prices. */
  readonly money: number | null
}
export interface Impact {
  /** The id of the memory. */
  readonly id: string
  /** Numbers of derived memories by kind. */
  readonly counts: readonly {
    /** The kind of the derived memories. */
    readonly kind: string
    /** Memories that cite it. */
    readonly evidence: number
    /** Memories with it in their ask. */
    readonly context: number
  }[]
  /** In the order of the stages. */
  readonly effects: readonly Effect[]
  /** Number of memories beyond `limit`. */
  readonly leftOut: number
  readonly cost: Cost
  /** The generation that was read. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
  /** Views that are being rebuilt: memories may be missing; present if there are any. */
  readonly rebuilding?: readonly Rebuild[]
}
/** A memory that was derived from another. */
export interface Effect {
  /** The id of the derived memory. */
  readonly id: string
  /** box, fact, link, entry or document. */
  readonly kind: string
  /** The text of the memory. */
  readonly text: string
  /** `evidence`: it cites the memory; `context`: the memory was part of its ask. */
  readonly by: 'evidence' | 'context'
  /** The id of the direct cause. */
  readonly from: string
  /** The derivation; null for an utterance. */
  readonly derivation: string | null
  /** `rules`, or the name of the model; null for an utterance. */
  readonly method: string | null
  /** Items: The key of a recorded answer that the memory was derived with. */
  readonly completions: readonly string[]
  /** Whether it is current or retired. */
  readonly holds: 'now' | 'no longer'
  /** The record of the memory in the log. */
  readonly record: {
    /** The topic. */
    readonly topic: string
    /** The partition of the topic. */
    readonly partition: number
    /** The offset in the partition. */
    readonly offset: number
  }
}
export interface MemoryPage {
  readonly memories: readonly ListedMemory[]
  /** `cursor` of the next page; null at the end. */
  readonly next: string | null
  /** The generation that was read. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
}
/** A memory of a list. A kind has further fields of its own. */
export interface ListedMemory {
  /** Unique in its space. */
  readonly id: string
  /** The kind of the memory. */
  readonly kind: string
  /** The text of the memory. */
  readonly text: string
  readonly conversation: string
  readonly speaker: string
  /** Items: The id of an utterance or a correction. */
  readonly sources: readonly string[]
  /** When it was spoken or happened, in ms since 1970. */
  readonly at: number | null
  /** Event time from which it is true, in ms since 1970. */
  readonly validFrom?: number | null
  /** Event time at which it ended; null: it is still true. */
  readonly validTo?: number | null
  /** Log time at which the memory learned it. */
  readonly knownFrom: number
  /** Log time at which it was retired; null: it is current. */
  readonly knownTo: number | null
  /** The derivation; null for an utterance. */
  readonly derivation: string | null
  /** `rules`, or the name of the model; null for an utterance. */
  readonly method: string | null
  readonly [k: string]: unknown
}
export interface DocumentReply {
  /** The id of the document. */
  readonly id: string
  /** `topic` or `profile`. */
  readonly kind: string
  /** The title. */
  readonly title: string
  /** The person or thing of a profile. */
  readonly entity: string | null
  /** The summary. */
  readonly summary: string
  readonly parts: readonly {
    readonly heading: string
    readonly entries: readonly {
      /** The id of the entry. */
      readonly id: string
      readonly statement: string
      /** Items: The id of an utterance. */
      readonly sources: readonly string[]
    }[]
  }[]
  /** Whether there are further entries, beyond 2,000. */
  readonly more: boolean
  /** The document as Markdown. */
  readonly text: string
  /** The generation that was read. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
}
export interface ToolReply {
  /**
   * The result.
   *
   * Items: A line, which begins with the id of its memory.
   */
  readonly lines: readonly string[]
  /**
   * Ids of the memories in `lines`.
   *
   * Items: The id of a memory.
   */
  readonly ids: readonly string[]
  /** Whether there are further lines. */
  readonly more: boolean
  /** Records of the log that were not searched; present if views are far behind. */
  readonly unsearched?: number
  /** Why the log was not read. Utterances in no view yet were not searched. */
  readonly logAway?: string
  /** Views that are being rebuilt; present if there are any. */
  readonly rebuilding?: readonly Rebuild[]
  /**
   * Names of spaces or speakers that the memory does not have, with the nearest that the caller may read; present if there are any.
   *
   * Items: A notice.
   */
  readonly notices?: readonly string[]
  /** The generation that was read. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
}
export interface Problem {
  /** `urn:loomlog:problem:CODE`, or `about:blank` if the status is the whole reason. */
  readonly type: string
  /** The code in words. */
  readonly title: string
  /** The status of the reply. */
  readonly status: number
  /** The field, its value and the expected one, or the reason. */
  readonly detail: string
  /** Faults of the body. */
  readonly errors?: readonly {
    /** JSON pointer into the body. */
    readonly pointer: string
    /** The fault. */
    readonly detail: string
  }[]
}
/** What became of a correction, or of an undoing, in the generation that the feed follows. */
export interface CorrectionPublished {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.correction.applied'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  /** The id of the memory or correction. */
  readonly subject: string
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The source event. */
    readonly correction: string
    /** replace, add, pin, retract, or undo. null: it passed before the feed had this field. */
    readonly action: string | null
    /** Who asked for it. null: it passed before the feed had this field. */
    readonly by: string | null
    /** What became of it. Several may tell of one: the best outcome counts, applied before unsure before missed. */
    readonly outcome: 'applied' | 'unsure' | 'missed'
    /** Ids of the facts that were retracted. */
    readonly retracted: readonly string[]
    /** How many facts were not recorded because of it. */
    readonly withheld: number
    /** Ids of the facts that say perhaps the same, and were left. */
    readonly unsure: readonly string[]
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** The description of a document or a profile joins or leaves the feed. */
export interface DocumentPublished {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.document.changed' | 'loomlog.profile.changed'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  /** The id of the memory or correction. */
  readonly subject: string
  readonly change: 'inserted' | 'retracted'
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The id of the memory, as in recall and why. */
    readonly memory: string
    /** Why. */
    readonly because:
      | 'other'
      | 'derived'
      | 'revised'
      | 'corrected'
      | 'undone'
      | 'superseded'
      | 'merged'
      | 'retracted'
      | 'switched'
      | 'forgotten'
    /** A document on a topic, or the profile of one entity. */
    readonly kind: 'topic' | 'profile'
    /** Whose profile it is; null for a topic. */
    readonly entity: string | null
    /** Its title. */
    readonly title: string
    /** What it holds, in a sentence or two. */
    readonly summary: string
    /** How many entries it holds now. */
    readonly entries: number
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** An entry, one line of a document or a profile, joins or leaves the feed. */
export interface EntryPublished {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.entry.recorded' | 'loomlog.entry.retracted'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  /** The id of the memory or correction. */
  readonly subject: string
  readonly change: 'inserted' | 'retracted'
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The id of the memory, as in recall and why. */
    readonly memory: string
    /** Why. */
    readonly because:
      | 'other'
      | 'derived'
      | 'revised'
      | 'corrected'
      | 'undone'
      | 'superseded'
      | 'merged'
      | 'retracted'
      | 'switched'
      | 'forgotten'
    /** The document. */
    readonly document: string
    /** A document on a topic, or the profile of one entity. */
    readonly kind: 'topic' | 'profile'
    /** The document's title. */
    readonly title: string
    /** The heading that the entry stands under. */
    readonly heading: string
    /** The entry. */
    readonly text: string
    /** When it happened or holds, where known. */
    readonly when: {
      /** Its start, inclusive, UTC. */
      readonly from: number
      /** Its end, exclusive, UTC. */
      readonly to: number
      /** For people: 2023-05-07, May 2023, 2022. */
      readonly text: string
    } | null
    /** From when it is held to be true (event time). */
    readonly validFrom: number
    /** The entry that takes its place, where it leaves for another one. */
    readonly replacedBy: string | null
    /** Who said it. */
    readonly speaker: string
    /** What kind of speaker. */
    readonly role: 'human' | 'agent' | 'tool' | 'system'
    /** Ids of the facts it states. */
    readonly facts: readonly string[]
    /** Ids of the utterances behind them. */
    readonly sources: readonly string[]
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** Something that happened, or is planned, joins or leaves the feed. */
export interface EventPublished {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.event.recorded' | 'loomlog.event.retracted'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  /** The id of the memory or correction. */
  readonly subject: string
  readonly change: 'inserted' | 'retracted'
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The id of the memory, as in recall and why. */
    readonly memory: string
    /** Why. */
    readonly because:
      | 'other'
      | 'derived'
      | 'revised'
      | 'corrected'
      | 'undone'
      | 'superseded'
      | 'merged'
      | 'retracted'
      | 'switched'
      | 'forgotten'
    /** The box it was told in. */
    readonly box: string
    /** The thread it was told in. */
    readonly conversation: string
    /** What happened, self-contained. */
    readonly text: string
    /** When it happened, where that was said. */
    readonly when: {
      /** Its start, inclusive, UTC. */
      readonly from: number
      /** Its end, exclusive, UTC. */
      readonly to: number
      /** For people: 2023-05-07, May 2023, 2022. */
      readonly text: string
    } | null
    /** When it was told. */
    readonly toldAt: number
    /** Who took part. */
    readonly persons: readonly string[]
    /** Ids of the utterances that tell it. */
    readonly sources: readonly string[]
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** A fact, a self-contained restatement of something said, joins or leaves the feed. */
export interface FactPublished {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.fact.recorded' | 'loomlog.fact.retracted'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  /** The id of the memory or correction. */
  readonly subject: string
  readonly change: 'inserted' | 'retracted'
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The id of the memory, as in recall and why. */
    readonly memory: string
    /** Why. */
    readonly because:
      | 'other'
      | 'derived'
      | 'revised'
      | 'corrected'
      | 'undone'
      | 'superseded'
      | 'merged'
      | 'retracted'
      | 'switched'
      | 'forgotten'
    /** The box it was found in. */
    readonly box: string
    /** The thread it was said in. */
    readonly conversation: string
    /** The restatement. */
    readonly text: string
    /** Something that happened, that holds, that somebody likes or wants, or that is planned. */
    readonly kind: 'event' | 'state' | 'preference' | 'plan'
    /** Who or what it is about. */
    readonly subject: string
    /** The verb phrase that ties subject and object: lives in, adopted. */
    readonly relation: string
    /** The rest of the statement; may be empty. */
    readonly object: string
    /** Who said it. */
    readonly speaker: string
    /** What kind of speaker: an agent's guess never becomes a person's fact. */
    readonly role: 'human' | 'agent' | 'tool' | 'system'
    /** When it was said. */
    readonly saidAt: number
    /** When it happened or holds, where that was said. */
    readonly when: {
      /** Its start, inclusive, UTC. */
      readonly from: number
      /** Its end, exclusive, UTC. */
      readonly to: number
      /** For people: 2023-05-07, May 2023, 2022. */
      readonly text: string
    } | null
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
    /** The correction that states it, with its action and author; null: it was derived, or it passed before the feed had this field. */
    readonly statedBy: {
      /** The correction, a source event. */
      readonly id: string
      /** replace, add or pin. */
      readonly action: string
      /** Who made it. */
      readonly by: string
      /** Ids of the facts that it took the place of, in this derivation. */
      readonly replaced: readonly string[]
    } | null
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** Something of the space was forgotten. Every memory that the space had has left right before this record, with the reason forgotten; those that are derived from the kept source events join after it. A reader deletes all that it holds of the space from before this record. */
export interface ForgettingPublished {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.subject.forgotten'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The id of the forgetting. It does not name what is forgotten. */
    readonly forgetting: string
    /** How many memories have left right before it. */
    readonly retracted: number
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** The feed of the space follows another generation from here on. The differences come right after it, with the reason switched. */
export interface GenerationSwitched {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.generation.switched'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The generation before; null: the feed of the space begins. */
    readonly from: string | null
    /** How many memories join right after it. */
    readonly inserted: number
    /** How many memories leave right after it. */
    readonly retracted: number
    /** The partition of utterances that holds the space. */
    readonly partition: number
    /** The first offset of utterances that the new generation may not reflect yet. It may be lower than an earlier mark of the space. */
    readonly upTo: number
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** The place of an event in a trace, the timeline of one matter, joins or leaves the feed. */
export interface LinkPublished {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.events.linked' | 'loomlog.events.unlinked'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  /** The id of the memory or correction. */
  readonly subject: string
  readonly change: 'inserted' | 'retracted'
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The id of the memory, as in recall and why. */
    readonly memory: string
    /** Why. */
    readonly because:
      | 'other'
      | 'derived'
      | 'revised'
      | 'corrected'
      | 'undone'
      | 'superseded'
      | 'merged'
      | 'retracted'
      | 'switched'
      | 'forgotten'
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
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** Everything that the generation made of the utterances below a position is in the feed of the space before this record. */
export interface ProgressMarked {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.progress.marked'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The partition of utterances that holds the space. */
    readonly partition: number
    /** The first offset that may not be reflected yet. An append answers with such a position as partition@offset. */
    readonly upTo: number
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** A sealed box, consecutive utterances on one topic, joins or leaves the feed. */
export interface TopicPublished {
  readonly specversion: '1.0'
  /** Never published again with another meaning. */
  readonly id: string
  /** The space: `/tenants/TENANT/spaces/SPACE`. */
  readonly source: string
  readonly type: 'loomlog.topic.sealed' | 'loomlog.topic.retracted'
  /** Log time of the source event behind it. */
  readonly time: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  /** The id of the memory or correction. */
  readonly subject: string
  readonly change: 'inserted' | 'retracted'
  readonly datacontenttype: 'application/json'
  readonly data: {
    /** The id of the memory, as in recall and why. */
    readonly memory: string
    /** Why. */
    readonly because:
      | 'other'
      | 'derived'
      | 'revised'
      | 'corrected'
      | 'undone'
      | 'superseded'
      | 'merged'
      | 'retracted'
      | 'switched'
      | 'forgotten'
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
  }
  /** Only if the event is traced. */
  readonly traceparent?: string
}
/** A tool of agentic retrieval. */
export interface Tool {
  /** The name of the tool. */
  readonly name: string
  /** The description for the model. */
  readonly description: string
  /** JSON Schema of the input. */
  readonly input: {
    readonly [k: string]: unknown
  }
}
