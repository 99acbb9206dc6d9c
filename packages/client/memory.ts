/**
 * The memory of a tenant: one interface, with two implementations. `serverMemory` works on a server, and `logMemory` of
 * packages/app on a log in this process. The parameters, the results and the errors of both are those of the HTTP API.
 */
import type { AcceptedCorrection, Correction } from '@loomlog/corrections/accept-correction'
import type { Retraction, RetractionPlan } from '@loomlog/corrections/retraction'
import type { AppendCounts, AppendOptions } from '@loomlog/intake/append'
import type { ImportedEvent } from '@loomlog/intake/formats'
import type { Cost, PricedImpact, PricedLineage } from '@loomlog/recall/answer-costs'
import type { ContextParameters, RecallParameters } from '@loomlog/recall/recall-body'
import type { ContextReply, GenerationRead, RecallReply, ToolReply } from '@loomlog/recall/recall-reply'

export interface Memory {
  /** Each call checks the name. */
  space(name: string): MemorySpace
  /**
   * Appends utterances and ends of conversations, each once: a repeated append changes nothing. On a log, an id with
   * other content, or an event of another tenant, refuses all of them. On a server, an id with other content refuses
   * only those from its request on, and all are of the client's tenant.
   * @throws LoomlogError, `id-conflict` among others
   */
  append(events: readonly ImportedEvent[], options: AppendOptions): Promise<AppendedEvents>
  /**
   * The feed of the tenant, from its beginning; with `follow`, further events as they arrive, until the signal aborts.
   */
  events(reading: FeedReading): AsyncIterable<object>
  /** Writes the queued records of recalls. */
  close(): Promise<void>
}

/** The parameters are those of the HTTP API. */
export interface MemorySpace {
  recall(question: string, parameters: RecallParameters): Promise<RecalledMemories>
  /** @param question undefined: the context has the newest entries and utterances */
  context(question: string | undefined, parameters: ContextParameters): Promise<ContextReply>
  /** The events are in the log on return. The pipeline applies them. */
  correct(correction: Correction): Promise<AcceptedCorrection & WithPosition>
  retract(retraction: Retraction): Promise<RetractedMemories>
  /** The sources of a memory, down to the utterances. */
  why(id: string): Promise<PricedLineage & { readonly cost: Cost } & GenerationRead>
  /** The memories derived from this one. */
  impact(id: string, options: { readonly limit: number }): Promise<PricedImpact & GenerationRead>
  useTool(name: string, input: unknown): Promise<ToolReply>
}

export interface AppendedEvents extends AppendCounts {
  /** By space: `PARTITION@OFFSET`, after its events. */
  readonly positions: { readonly [space: string]: string }
}

export interface FeedReading {
  readonly until: 'end' | 'follow'
  readonly signal: AbortSignal
}

export interface WithPosition {
  /** `PARTITION@OFFSET`, after the events. */
  readonly position: string
}

export interface RecalledMemories extends RecallReply {
  /** Views that lack records, since no pipeline runs; only on a log. */
  readonly behind?: readonly { readonly topic: string; readonly records: number }[]
}

/** A dry run has no position. */
export type RetractedMemories = Omit<RetractionPlan, 'events'> & AppendCounts & Partial<WithPosition>
