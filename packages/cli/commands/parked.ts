/** `loomlog parked list|show|retry`: inputs that could not be processed, whole, each with the reason. */
import { parkedById, readParked, retryParked } from '@loomlog/app/parked'
import type { Host } from '@loomlog/host/open'
import type { InputParked } from '@loomlog/schemas/events'
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
  const event = await host.codec.decodeOrNull(bytes)
  print(event === null ? `bytes       ${bytes.toString('hex')}` : JSON.stringify(event, null, 2))
}

export async function parkedRetry(
  command: Output & { readonly id: string; readonly by: string },
  host: Host,
): Promise<void> {
  const { retry, stage } = await retryParked(command.id, command.by, host)
  if (command.json) printJson({ retry: retry.id, attempt: retry.attempt })
  else print(`attempt ${retry.attempt} of ${command.id} is in the log: ${stage} handles it in its turn`)
}

function withoutBytes({ value: _, ...rest }: InputParked) {
  return rest
}
