/** The source of a stream of the Durable Streams protocol: messages in one order, with opaque offsets. */

export interface StreamChunk {
  readonly messages: readonly string[]
  /** The offset after the last message that was read or passed over. */
  readonly next: string
  /** Nothing follows at this moment. */
  readonly isUpToDate: boolean
}

export interface StreamSource {
  /** The content type of the bodies. */
  readonly contentType: string
  /** Names the stream in entity tags. */
  readonly name: string
  /** The offset after the last message. */
  tail(): Promise<string>
  /**
   * A bounded number of messages.
   * @param from null: from the beginning
   * @throws LoomlogError `input-invalid` for a text that is no offset of this stream
   */
  read(from: string | null, signal: AbortSignal): Promise<StreamChunk>
  /** Resolves when there may be more after the offset, after `maxWaitMs`, or when the signal aborts. */
  changed(from: string, maxWaitMs: number, signal: AbortSignal): Promise<void>
  /** The body of a reply. */
  body(messages: readonly string[]): Buffer
  /** The lines of an SSE data event, without line breaks. */
  lines(messages: readonly string[]): readonly string[]
}

/** A JSON stream: messages are JSON texts without line breaks, and a body is an array of them. */
export const jsonMessages = {
  contentType: 'application/json',
  body: (messages: readonly string[]) => Buffer.from(`[${messages.join(',')}]`),
  lines: (messages: readonly string[]) => [`[${messages.join(',')}]`],
}
