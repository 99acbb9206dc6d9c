/** POST …/utterances: checks one utterance or chat message, or a list of them, field by field, and appends them. */
import { LoomlogError } from '@loomlog/errors'
import type { Intake } from '@loomlog/intake/append'
import { IdConflict } from '@loomlog/intake/duplicates'
import { isMessage, utteranceOfMessage } from '@loomlog/intake/message'
import { InvalidField, type SpaceAddress, utteranceFrom } from '@loomlog/intake/utterance'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { type Fault, FaultyBody } from '../problem.ts'

/** Most utterances in one request. */
export const maxUtterances = 500
/** Most faults that one answer names. */
const maxFaults = 20

export interface AppendAddress extends SpaceAddress {
  /** The conversation of items that name none. */
  readonly conversation: string | undefined
}

export interface AcceptedUtterances {
  /** In the order of the request. */
  readonly ids: readonly string[]
  readonly appended: number
  readonly known: number
}

/**
 * @throws FaultyBody or LoomlogError; then the request wrote nothing, except after an id conflict between processes
 * (`Intake.append`)
 */
export async function acceptUtterances(
  body: unknown,
  address: AppendAddress,
  intake: Intake,
): Promise<AcceptedUtterances> {
  const given: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (given.length === 0 || given.length > maxUtterances) {
    throw new LoomlogError('input-invalid', `the body has ${given.length} utterances: expected 1 to ${maxUtterances}`)
  }
  const pointer = (index: number, field: string) =>
    [Array.isArray(body) ? String(index) : '', field]
      .filter((part) => part !== '')
      .map(pointerStep)
      .join('')
  const events = checkedEvents(given, address, pointer)
  try {
    return { ids: events.map((event) => event.id), ...(await intake.append(events)) }
  } catch (error) {
    if (!(error instanceof IdConflict)) throw error
    const index = events.findLastIndex((event) => event.id === error.id)
    throw new FaultyBody('id-conflict', [{ pointer: pointer(index, 'id'), detail: error.message }])
  }
}

function checkedEvents(
  given: readonly unknown[],
  address: AppendAddress,
  pointer: (index: number, field: string) => string,
): UtteranceAppended[] {
  const now = Date.now()
  const events: UtteranceAppended[] = []
  const faults: Fault[] = []
  for (const [index, utterance] of given.entries()) {
    try {
      events.push(utteranceFrom(inputOf(utterance, address, now), address, now))
    } catch (error) {
      if (!(error instanceof InvalidField)) throw error
      faults.push({ pointer: pointer(index, error.field), detail: error.message })
      if (faults.length === maxFaults) break
    }
  }
  if (faults.length > 0) throw new FaultyBody('input-invalid', faults)
  return events
}

function inputOf(item: unknown, { conversation }: AppendAddress, now: number): unknown {
  const isWithout = item !== null && typeof item === 'object' && !Array.isArray(item) && !('conversation' in item)
  const given = isWithout && conversation !== undefined ? { ...item, conversation } : item
  return isMessage(given) ? utteranceOfMessage(given, now) : given
}

/** One step of a JSON pointer (RFC 6901). */
function pointerStep(part: string): string {
  return `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
