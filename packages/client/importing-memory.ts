/** A memory that also takes whole files of conversations, with their ends. `loomlog ingest` uses it. */
import { LoomlogError } from '@loomlog/errors'
import type { AppendCounts, AppendOptions } from '@loomlog/intake/append'
import type { ImportedEvent } from '@loomlog/intake/formats'
import type { Memory } from './memory.ts'

export interface ImportingMemory extends Memory {
  /**
   * Appends utterances and ends of conversations, each once: a repeated append changes nothing. On a log, an id with
   * other content, or an event of another tenant, refuses all of them. On a server, spaces are appended one after the
   * other, an id with other content refuses only the events from its request on, and all are of the client's tenant.
   * @throws LoomlogError, `id-conflict` among others; `RefusedEvent` where a server refuses an event
   */
  append(events: readonly ImportedEvent[], options: ImportAppendOptions): Promise<AppendedEvents>
}

/** A server refused this event, its whole request, and the events after it. */
export class RefusedEvent extends LoomlogError {
  readonly event: ImportedEvent

  constructor(event: ImportedEvent, cause: LoomlogError) {
    super(cause.code, cause.errors?.[0]?.detail ?? cause.message, { cause })
    this.event = event
  }
}

export interface ImportAppendOptions extends AppendOptions {
  /** Default: the tenant of the memory. A server refuses one that the key doesn't write. */
  readonly tenant?: string
}

export interface AppendedEvents extends AppendCounts {
  /** By space: `PARTITION@OFFSET`, after its events. */
  readonly positions: { readonly [space: string]: string }
}
