/** `loomlog parked list|show|retry`: inputs that could not be processed, whole, each with the reason. */
import type { ParkedInput } from '@loomlog/app/parked'
import type { ParkedDetails, ParkedRetry } from '@loomlog/app/parked-operations'
import { escapeUnseen } from '@loomlog/errors/invalid-input'
import { cell, dateTimeText, faint, type Output, print, printJson } from '../print.ts'

export function printParked(parked: readonly ParkedInput[], { json }: Output): void {
  if (json) {
    printJson(parked)
    return
  }
  if (parked.length === 0) print('nothing is parked')
  for (const { id, stage, code, at, reason } of parked)
    print([id, stage, code, dateTimeText(at), reason].map(cell).join('  '))
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

export function printRetry(id: string, { retry, attempt, stage }: ParkedRetry, { json }: Output): void {
  if (json) printJson({ retry, attempt })
  else print(`attempt ${attempt} of ${id} is in the log: ${stage} handles it in its turn`)
}
