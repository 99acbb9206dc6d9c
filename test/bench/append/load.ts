/** The requests that every side gets, and clients in a closed loop that send them. */
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { utterances } from '../log/workload.ts'
import { type LoopResult, runClosedLoop } from './closed-loop.ts'

export const recordsPerBatch = 100

export interface Load {
  /** Makes the ids unique. */
  readonly run: string
  readonly request: 'one' | 'hundred'
  readonly clients: number
  readonly seconds: number
}

const texts = utterances(4_000)

/** @param send returns once the utterances are durable; they are of one space */
export function sendLoad(
  { run, request, clients, seconds }: Load,
  send: (batch: readonly UtteranceAppended[]) => Promise<void>,
): Promise<LoopResult> {
  const batch = request === 'one' ? one : hundred
  return runClosedLoop((n) => send(batch(run, n)), { clients, seconds })
}

function one(run: string, n: number): readonly UtteranceAppended[] {
  return [{ ...textAt(n), id: `${run}-${n}` }]
}

function hundred(run: string, n: number): readonly UtteranceAppended[] {
  return Array.from({ length: recordsPerBatch }, (_, at) => {
    const index = n * recordsPerBatch + at
    return { ...textAt(index), id: `${run}-${index}`, space: `space-${n % 40}` }
  })
}

function textAt(index: number): UtteranceAppended {
  return texts[index % texts.length] as UtteranceAppended
}
