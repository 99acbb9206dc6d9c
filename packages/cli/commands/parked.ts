/**
 * `loomlog parked list|show|retry`: what could not be processed, whole, with the reason. Retrying appends a source event, which
 * is handled in the space's order by the stage that parked the input.
 */

import { decoded } from '@loomlog/app/derived-events'
import { processors } from '@loomlog/app/processors'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { recordOf } from '@loomlog/intake/append'
import type { InputParked, RetryRequested } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { faint, moment, type Output, print, printJson } from '../print.ts'

export async function parkedList(output: Output, host: Host): Promise<void> {
  const parked = await readParked(host)
  if (output.json) return printJson(parked.map(withoutBytes))
  if (parked.length === 0) print('nothing is parked')
  for (const input of parked) print(`${input.id}  ${input.stage}  ${input.code}  ${moment(input.at)}  ${input.reason}`)
}

export async function parkedShow(command: Output & { readonly id: string }, host: Host): Promise<void> {
  const input = await parkedById(command.id, host)
  const bytes = Buffer.from(input.value)
  if (command.json) return printJson({ ...withoutBytes(input), value: bytes.toString('base64') })
  for (const [field, value] of Object.entries(withoutBytes(input)))
    print(`${field.padEnd(12)}${value ?? faint('none')}`)
  const event = await host.codec.decode(bytes).catch(() => null)
  print(event === null ? `bytes       ${bytes.toString('hex')}` : JSON.stringify(event, null, 2))
}

export async function parkedRetry(
  command: Output & { readonly id: string; readonly by: string },
  host: Host,
): Promise<void> {
  const input = await parkedById(command.id, host)
  const { tenant, space, stage, attempts } = input
  const processor = processors.find((known) => known.stage === stage)
  if (
    input.code !== 'unanswered' ||
    processor?.retry !== 'again' ||
    tenant === null ||
    space === null ||
    input.input === null
  ) {
    const why =
      input.code === 'unanswered' ? `${stage} can't go back on what it decided without it` : `it is ${input.code}`
    throw new LoomlogError('input-invalid', `${input.id} can't be retried: ${why}. It stays parked, whole.`)
  }
  const attempt = attempts + 1
  const now = Date.now()
  const retry: RetryRequested = {
    type: 'RetryRequested',
    id: hash([input.id, attempt]),
    ...{ tenant, space, parked: input.id, stage, input: input.input, attempt, by: command.by, keyId: null },
    ...{ at: now, appendedAt: now },
  }
  await host.log.append('utterances', [recordOf(retry, host.codec)])
  if (command.json) printJson({ retry: retry.id, attempt })
  else print(`attempt ${attempt} of ${input.id} is in the log; ${stage} handles it in its turn`)
}

export async function readParked(host: Host): Promise<InputParked[]> {
  const byId = new Map<string, InputParked>()
  for await (const records of host.log.read({ topic: 'parked', until: 'end' })) {
    for (const record of records) {
      const event = await decoded(record.value, host)
      if (event?.type === 'InputParked') byId.set(event.id, event)
    }
  }
  return [...byId.values()]
}

async function parkedById(id: string, host: Host): Promise<InputParked> {
  const input = (await readParked(host)).find((known) => known.id === id)
  if (!input) throw new LoomlogError('not-found', `nothing is parked as ${id}: loomlog parked list shows what is`)
  return input
}

function withoutBytes({ value: _, ...rest }: InputParked) {
  return rest
}
