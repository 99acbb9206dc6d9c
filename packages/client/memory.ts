/**
 * The memory of a tenant: one interface, with two implementations. `openMemory` of the package `loomlog` works on a
 * folder, in this process, and `connect` on a server. The parameters, the results and the errors of both are those of
 * the HTTP API: every call may reject with a `LoomlogError`, which has the code, the status and the faults of a problem
 * of it.
 */
import type {
  ContextBody,
  ContextReply,
  Correction,
  CorrectionReply,
  DocumentReply,
  EndReply,
  FeedEvent,
  Forgetting,
  ForgettingDetails,
  ForgettingReply,
  Impact,
  Lineage,
  MemoryPage,
  Message,
  RecallBody,
  RecallReply,
  Retraction,
  RetractionReply,
  ToolReply,
} from './api.ts'

export interface Memory extends AsyncDisposable {
  /** A space is made by its first message. Each of its calls checks the name: 1 to 256 characters without a slash. */
  space(name: string): MemorySpace
  /** The feed of the tenant: the changes of the memory in every space, each space in its order. */
  events(options?: EventOptions): AsyncIterable<MemoryEvent>
  /** Ends the work in progress. Messages that `add` has acknowledged are in the log. */
  close(): Promise<void>
}

export interface MemorySpace {
  readonly name: string
  /**
   * Appends messages in order. They are durable on return, and recall finds them at once; boxes and facts follow.
   * Until the views have them, the newest 200 are found regardless of their words, and older ones by words in common.
   * Messages with an id or a time may be added again, which changes nothing; one without either is a new message in
   * each call.
   */
  add(message: WithUndefined<Message>, options?: AddOptions): Promise<AddedEvents>
  add(messages: readonly WithUndefined<Message>[], options?: AddOptions): Promise<AddedEvents>
  /** Evidence for a question, best first, and as a text to put before a model. */
  recall(question: string, options?: RecallOptions): Promise<RecalledMemories>
  /**
   * The text for an agent's prompt within a budget of tokens: instructions, what holds now, and evidence.
   * @param question undefined: the newest entries and utterances
   */
  context(question?: string, options?: ContextOptions): Promise<ContextReply>
  /** The correction is durable on return. It is applied in the order of the space, and again in every derivation. */
  correct(correction: WithUndefined<Correction>, options?: CallOptions): Promise<CorrectionReply>
  /** Retracts every memory with a given origin; a dry run lists them. */
  retract(retraction: WithUndefined<Retraction>, options?: CallOptions): Promise<RetractionReply>
  /**
   * Destroys utterances for ever, and everything that was made of them; a preview only counts them. The request is
   * durable on return, and is carried out afterwards: `forgetting` says how far it is.
   */
  forget(forgetting: WithUndefined<Forgetting>, options?: CallOptions): Promise<ForgettingReply>
  /** How far a forgetting is, and its certificate. */
  forgetting(id: string, options?: CallOptions): Promise<ForgettingDetails>
  /** The sources of a memory, down to the utterances. */
  why(id: string, options?: CallOptions): Promise<Lineage>
  /** The memories that are derived from this one. */
  impact(id: string, options?: ImpactOptions): Promise<Impact>
  /** A page of the memories of one kind, in the order in which the memory learned them. */
  list(options: ListOptions): Promise<MemoryPage>
  /** A document or a profile: its entries under their headings, and all as Markdown. */
  document(id: string, options?: CallOptions): Promise<DocumentReply>
  /** Uses a retrieval tool that models have, such as `exact_pattern`. */
  useTool(name: string, input: unknown, options?: CallOptions): Promise<ToolReply>
  /** The feed of the space. */
  events(options?: EventOptions): AsyncIterable<MemoryEvent>
  /**
   * Ends a conversation, so that its last box is sealed now and not after a pause; or without one ends the space, so
   * that a model processes the boxes and facts that wait for others. End the conversations first.
   */
  end(options?: EndOptions): Promise<AddedEvents>
}

/** The ids of the events, their number, and a position after them, which a recall takes as `after`. */
export type AddedEvents = EndReply

export interface CallOptions {
  /** Rejects the call with the signal's reason. An append may be in the log all the same. */
  readonly signal?: AbortSignal | undefined
}

export interface AddOptions extends CallOptions {
  /** The conversation of messages that name none. */
  readonly conversation?: string | undefined
}

/** An optional field may be undefined, which is as if it were absent. */
export type WithUndefined<T> = { readonly [name in keyof T]: undefined extends T[name] ? T[name] | undefined : T[name] }

export type RecallOptions = WithUndefined<Omit<RecallBody, 'query'>> & CallOptions
export type ContextOptions = WithUndefined<Omit<ContextBody, 'query'>> & CallOptions

export interface RecalledMemories extends RecallReply {
  /** Views that lack records, since nothing derives them; only of a memory in this process. */
  readonly behind?: readonly { readonly topic: string; readonly records: number }[]
}

export interface ImpactOptions extends CallOptions {
  /** Most effects of the reply. Default: 100. */
  readonly limit?: number | undefined
}

export interface ListOptions extends CallOptions {
  /** `utterance`, `box`, `fact`, `event`, `link`, `entry`, `document`, `profile`, or a kind of an extension. */
  readonly kind: string
  /** Only memories of this conversation. Default: of all. */
  readonly conversation?: string | undefined
  /** `all`: also retired memories. Default: `current`. */
  readonly state?: 'current' | 'all' | undefined
  /** `newest`: the memories that were learned last come first. Default: `oldest`. */
  readonly order?: 'oldest' | 'newest' | undefined
  /** 1 to 500. Default: 100. */
  readonly limit?: number | undefined
  /** `next` of the page before. Default: the first page. */
  readonly cursor?: string | undefined
}

export interface EndOptions extends CallOptions {
  readonly conversation?: string | undefined
}

export interface EventOptions {
  /** `-1`: from the beginning (default); `now`: only later events; or the `offset` of an event: after that one. */
  readonly after?: string | undefined
  /** Only these types of CloudEvents. Default: all. */
  readonly types?: readonly FeedEvent['type'][] | undefined
  /** False: ends after the last event. Default: waits for further ones. */
  readonly follow?: boolean | undefined
  /** Ends the events. */
  readonly signal?: AbortSignal | undefined
}

/** A CloudEvent of the feed. */
export type MemoryEvent = FeedEvent & {
  /**
   * Continues after this event, as `after`. Delivery is at least once: events that were read together with this one may
   * come again, with the same `id`.
   */
  readonly offset: string
}
