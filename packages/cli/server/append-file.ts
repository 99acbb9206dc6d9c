/** `loomlog ingest --url`: appends the conversations of a file to a server, whose pipeline derives the memory. Repeated, it changes nothing. */
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import type { IngestFile } from '../commands/ingest.ts'
import { count, type Output, print, printJson, printNotice } from '../print.ts'

/** Utterances in one request, and bytes of its body; servers take 1,000,000. */
const maxUtterances = 500
const maxBytes = 900_000

interface AppendReply {
  readonly appended: number
  readonly known: number
  readonly position: string
}

export async function appendToServer(
  server: LoomlogClient,
  { events }: IngestFile,
  { json, signal }: Output & { readonly signal: AbortSignal },
): Promise<void> {
  const total = { appended: 0, known: 0 }
  const positions: { [space: string]: string } = {}
  const note = (space: string, { appended, known, position }: AppendReply) => {
    total.appended += appended
    total.known += known
    positions[space] = position
  }
  let batch: UtteranceAppended[] = []
  let bytes = 0
  async function flush(): Promise<void> {
    const [first] = batch
    if (first !== undefined)
      note(first.space, await server.post(path`/v1/spaces/${first.space}/utterances`, batch.map(inputOf)))
    batch = []
    bytes = 0
  }
  for (const event of events) {
    if (signal.aborted) break
    const eventBytes = event.type === 'UtteranceAppended' ? bytesOf(event) : 0
    const isFull = batch.length === maxUtterances || bytes + eventBytes > maxBytes
    if (isFull || event.type !== 'UtteranceAppended' || batch[0]?.space !== event.space) await flush()
    if (event.type === 'UtteranceAppended') {
      batch.push(event)
      bytes += eventBytes
    } else if (event.type === 'ConversationPaused') {
      const { space, conversation } = event
      note(space, await server.post(path`/v1/spaces/${space}/conversations/${conversation}/end`))
    } else note(event.space, await server.post(path`/v1/spaces/${event.space}/end`))
  }
  await flush()
  if (signal.aborted) printNotice('stopped: appended events stay in the log; the same command resumes from here')
  else if (json) printJson({ ...total, positions })
  else
    print(`${count(total.appended)} events appended, ${count(total.known)} already in the log; the server derives them`)
}

function bytesOf(event: UtteranceAppended): number {
  return Buffer.byteLength(JSON.stringify(inputOf(event))) + 1
}

function inputOf({ id, conversation, speaker, role, at, text, attachments, metadata }: UtteranceAppended): object {
  return { id, conversation, speaker, role, at: new Date(at).toISOString(), text, attachments, metadata }
}
