/** `loomlog parked list|show|retry`: inputs that could not be processed, whole, each with the reason. */
import { type ParkedInput, parkedById, readParked, retryParked } from '@loomlog/app/parked'
import { detailsOf, type ParkedDetails, type ParkedRetry } from '@loomlog/app/parked-operations'
import { escapeUnseen } from '@loomlog/errors/invalid-input'
import type { Host } from '@loomlog/host/open'
import { cell, dateTimeText, faint, type Output, print, printJson } from '../print.ts'

export async function parkedIn(host: Host): Promise<readonly ParkedInput[]> {
  return readParked(host)
}

export function printParked(parked: readonly ParkedInput[], { json }: Output): void {
  if (json) {
    printJson(parked)
    return
  }
  if (parked.length === 0) print('nothing is parked')
  for (const { id, stage, code, at, reason } of parked)
    print([id, stage, code, dateTimeText(at), reason].map(cell).join('  '))
}

export async function parkedDetails(id: string, host: Host): Promise<ParkedDetails> {
  return detailsOf(await parkedById(id, host), host)
}

export function printDetails(details: ParkedDetails, { json }: Output): void {
  const { value, event, ...input } = details
  if (json) {
    printJson({ ...input, value })
    return
  }
  for (const [field, each] of Object.entries(input))
    print(`${field.padEnd(12)}${each === null ? faint('none') : cell(String(each))}`)
  print(
    event === null
      ? `bytes       ${Buffer.from(value, 'base64').toString('hex')}`
      : escapeUnseen(JSON.stringify(event, null, 2)),
  )
}

export async function retry(id: string, by: string, host: Host): Promise<ParkedRetry> {
  const { retry, stage, position } = await retryParked(id, by, host)
  return { retry: retry.id, attempt: retry.attempt, stage, position }
}

export function printRetry(id: string, { retry, attempt, stage }: ParkedRetry, { json }: Output): void {
  if (json) printJson({ retry, attempt })
  else print(`attempt ${attempt} of ${id} is in the log: ${stage} handles it in its turn`)
}
