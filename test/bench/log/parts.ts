/**
 * The parts of loomlog's work on an utterance, each measured alone in a loop over the same records, in µs an utterance.
 */
import type { Log, NewRecord } from '@loomlog/log/port'
import { admit } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type { LoomEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { nullStep } from './null-processor.ts'

export interface PartTimes {
  readonly read: number
  readonly decode: number
  readonly admission: number
  readonly step: number
  readonly encode: number
}

const turns = 3
const handled = ['UtteranceAppended', 'RetryRequested']

interface Loops {
  readonly log: Log
  readonly codec: Codec
  readonly events: readonly UtteranceAppended[]
  readonly records: readonly NewRecord[]
  /** The outputs of a run. */
  readonly outputs: readonly LoomEvent[]
}

export async function measureParts({ log, codec, events, records, outputs }: Loops): Promise<PartTimes> {
  const micros = async (loop: () => Promise<void> | void) => (await best(loop)) / (events.length / 1_000)
  return {
    read: await micros(() => readAll(log)),
    decode: await micros(async () => {
      for (const { value } of records) await codec.decode(value)
    }),
    admission: await micros(() => {
      for (const [at, event] of events.entries()) admit(event, records[at]?.key ?? null, handled, null)
    }),
    step: await micros(() => {
      for (const event of events) {
        nullStep({ ...event, seq: 1 }).next()
        derivedId('null-processor', event.id, 0)
      }
    }),
    encode: await micros(() => {
      for (const event of outputs) codec.encode(event)
    }),
  }
}

async function readAll(log: Log): Promise<void> {
  for await (const _ of log.read({ topic: 'utterances', until: 'end' }));
}

/** The time of the fastest of a few runs, in ms: disturbances only lengthen a run. */
async function best(loop: () => Promise<void> | void): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < turns; turn++) {
    const startedAt = performance.now()
    await loop()
    shortest = Math.min(shortest, performance.now() - startedAt)
  }
  return shortest
}
