/** Appends the events of a file to a server, in requests of consecutive utterances of one space. */
import { isLoomlogError } from '@loomlog/errors'
import type { ImportedEvent } from '@loomlog/intake/formats'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { type AppendedEvents, type ImportAppendOptions, RefusedEvent } from './importing-memory.ts'
import { type LoomlogClient, path } from './loomlog-client.ts'

/** Utterances in one request, and bytes of its body; servers take 1,000,000. */
const maxUtterances = 500
const maxBytes = 900_000

interface AppendReply {
  readonly appended: number
  readonly known: number
  readonly position: string
}

export async function appendEvents(
  client: LoomlogClient,
  events: readonly ImportedEvent[],
  { signal, onProgress, tenant }: ImportAppendOptions,
): Promise<AppendedEvents> {
  const server = tenant === undefined ? client : client.inTenant(tenant)
  const total = { appended: 0, known: 0 }
  const positions: { [space: string]: string } = {}
  let reported = 0
  const report = (least: number) => {
    if (total.appended - reported < least) return
    reported = total.appended
    onProgress?.(reported)
  }
  const note = (space: string, { appended, known, position }: AppendReply) => {
    total.appended += appended
    total.known += known
    positions[space] = position
    report(maxUtterances)
  }
  async function appended(space: string, utterances: readonly UtteranceAppended[]): Promise<AppendReply> {
    try {
      return await server.post(path`/v1/spaces/${space}/utterances`, utterances.map(inputOf))
    } catch (error) {
      throw refusalOf(error, utterances)
    }
  }
  let batch: UtteranceAppended[] = []
  let bytes = 0
  async function flush(): Promise<void> {
    const [first] = batch
    if (first !== undefined) note(first.space, await appended(first.space, batch))
    batch = []
    bytes = 0
  }
  // Lines of many spaces may alternate, and a request is of one.
  for (const event of [...Map.groupBy(events, ({ space }) => space).values()].flat()) {
    if (signal?.aborted) break
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
  report(1)
  return { ...total, positions }
}

function bytesOf(event: UtteranceAppended): number {
  return new TextEncoder().encode(JSON.stringify(inputOf(event))).length + 1
}

/** Without a time that the writer didn't give: with one, the same message at another time of the file is a conflict. */
function inputOf({ at, isTimeGiven, ...utterance }: UtteranceAppended): object {
  const { id, conversation, speaker, role, text, attachments, metadata } = utterance
  const time = isTimeGiven ? { at: new Date(at).toISOString() } : {}
  return { id, conversation, speaker, role, ...time, text, attachments, metadata }
}

const refusals: readonly string[] = ['input-invalid', 'id-conflict', 'not-allowed']

/** The refused event: the one that the server points to, else the first of the request. Other errors stay. */
function refusalOf(error: unknown, utterances: readonly UtteranceAppended[]): unknown {
  if (!isLoomlogError(error) || !refusals.includes(error.code)) return error
  const index = Number(error.errors?.[0]?.pointer.split('/')[1] ?? 0)
  const event = utterances[index]
  return event === undefined ? error : new RefusedEvent(event, error)
}
