/**
 * Parked inputs: records that no stage could process, whole, each with the reason. A retry is a source event, handled
 * in the space's order by the stage that parked the input.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { recordOf } from '@loomlog/intake/append'
import { checkedName } from '@loomlog/intake/utterance'
import { maxParkedInputBytes } from '@loomlog/runtime/parking'
import type { InputParked, RetryRequested } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { sendSpan } from '@loomlog/telemetry/record-spans'
import { endSpanAfter } from '@loomlog/telemetry/spans'
import { ParkedInputs } from './parked-inputs.ts'
import { processorsOf } from './processors.ts'

/**
 * Appends the source event that requests the retry; the stage handles it in the space's order.
 * @throws LoomlogError `not-found`; `input-invalid` where a retry can't help
 */
export async function retryParked(
  id: string,
  author: string,
  host: Host,
): Promise<{ readonly retry: RetryRequested; readonly stage: string; readonly position: string }> {
  const by = checkedName(author, 'by')
  const input = await parkedById(id, host)
  const { tenant, space, stage, attempts } = input
  const refused = retryRefusal(input, host)
  if (refused !== null || tenant === null || space === null || input.input === null)
    throw new LoomlogError('input-invalid', `${input.id} can't be retried: ${refused}. It stays parked, whole.`)
  const attempt = attempts + 1
  const now = Date.now()
  const retry: RetryRequested = {
    type: 'RetryRequested',
    id: hash([input.id, attempt]),
    tenant,
    space,
    parked: input.id,
    stage,
    input: input.input,
    attempt,
    by,
    keyId: null,
    at: now,
    appendedAt: now,
  }
  const span = sendSpan('utterances')
  const appending = host.log.append('utterances', [recordOf(retry, host.codec, span?.traceparent)])
  const [at = { partition: 0, offset: 0 }] = await (span === null ? appending : endSpanAfter(span, appending))
  return { retry, stage, position: `${at.partition}@${at.offset + 1}` }
}

/** A parked input without its bytes, which can be many. */
export type ParkedInput = Omit<InputParked, 'value'>

/** Why a retry can't help; null: it may. The reason of a record in a wrong partition says how to append it again. */
export function retryRefusal(
  { code, reason, stage, value }: InputParked,
  host: Pick<Host, 'extensions'>,
): string | null {
  if (code !== 'unanswered') return `it is ${code}: ${reason}`
  const processor = processorsOf(host).find((known) => known.stage === stage)
  if (processor?.retry !== 'again') return `${stage} can't go back on what it decided without it`
  const isKept = value.byteLength > 0 && value.byteLength <= maxParkedInputBytes
  return isKept ? null : `${stage} keeps no input of more than ${maxParkedInputBytes} bytes for a retry`
}

/**
 * The parked inputs that no retry has processed, each with its last attempt, partition by partition in the order of the
 * log.
 */
export async function readParked(host: Host): Promise<readonly ParkedInput[]> {
  const inputs = new ParkedInputs(host, withoutBytes)
  await inputs.read()
  return inputs.open
}

async function* parkedInputs({ log, codec }: Host): AsyncGenerator<InputParked> {
  for await (const records of log.read({ topic: 'parked', until: 'end' })) {
    for (const { value } of records) {
      const event = await codec.decodeOwn(value)
      if (event?.type === 'InputParked') yield event
    }
  }
}

export function withoutBytes({ value: _, ...rest }: InputParked): ParkedInput {
  return rest
}

/** @throws LoomlogError `not-found` */
export async function parkedById(id: string, host: Host): Promise<InputParked> {
  let input: InputParked | null = null
  for await (const known of parkedInputs(host)) if (known.id === id) input = known
  if (input === null)
    throw new LoomlogError('not-found', `there is no parked input ${id}: loomlog parked list shows them`)
  return input
}
