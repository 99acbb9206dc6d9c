/**
 * What stands in the log and not yet in the view: read from the log at the time of the question, and matched by words. So an
 * utterance is found as soon as it is acknowledged, before any processor or view has seen it.
 */
import { terms } from '@loomlog/language/terms'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { wordsOf } from '@loomlog/schemas/words'
import { heldShare } from './hybrid.ts'
import type { Recalled, RecallOptions } from './recall.ts'

export interface TailRequest {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  readonly options: RecallOptions
}

export async function readTail({ space, query, options }: TailRequest): Promise<Recalled[]> {
  const partition = options.views.partitionOf(space)
  const view = await options.views.view('utterances', space)
  const seen = view ? (await view.shard.watermark('utterances')).offset : 0
  const wanted = new Set(terms(query))
  const found = new Map<string, Recalled>()
  const reading = {
    topic: 'utterances',
    partitions: [partition],
    from: new Map([[partition, seen]]),
    until: 'end',
  } as const
  for await (const records of options.log.read(reading)) {
    for (const record of records) {
      if (record.key !== space) continue
      const event = await options.codec.decode(record.value)
      if (event.type !== 'UtteranceAppended' || found.has(event.id)) continue
      const share = heldShare(wanted, `${event.speaker}: ${wordsOf(event)}`)
      if (share > 0) found.set(event.id, { ...memoryOfTail(event), score: share })
    }
  }
  return [...found.values()]
}

function memoryOfTail(event: UtteranceAppended) {
  return {
    id: event.id,
    kind: 'utterance' as const,
    text: `${event.speaker}: ${wordsOf(event)}`,
    speaker: event.speaker,
    conversation: event.conversation,
    at: event.at,
    valid: { from: null, to: null },
    known: { from: event.appendedAt, to: null },
    sources: [event.id],
    method: null,
  }
}
