/** Checks a correction, a JSON object, field by field, and appends it. Stages apply it in the order of the space. */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import type { AppendCounts, Intake } from '@loomlog/intake/append'
import { timeFrom } from '@loomlog/recall/parameters'
import type { MemoryCorrected } from '@loomlog/schemas/events'
import type { ViewReader } from '@loomlog/views/reader'
import { type CorrectionRequest, correctionsFor, type RequestPlace } from './correct.ts'

const fields = ['action', 'memory', 'text', 'from', 'conversation', 'by', 'role', 'reason']
const actions = ['replace', 'pin', 'retract', 'add'] as const
const roles = ['human', 'agent'] as const

export interface AcceptedCorrection extends AppendCounts {
  /** Ids of the events, as in `corrections`. */
  readonly ids: readonly string[]
  /** The events: the first has the new words; the others retract the same statement elsewhere. */
  readonly corrections: readonly MemoryCorrected[]
}

/** @throws LoomlogError as `correctionsFor` and `Intake.append` */
export async function acceptCorrection(
  body: unknown,
  place: RequestPlace,
  views: ViewReader,
  intake: Pick<Intake, 'append'>,
): Promise<AcceptedCorrection> {
  const corrections = await correctionsFor(requestFrom(body, place), views)
  return { ids: corrections.map(({ id }) => id), ...(await intake.append(corrections)), corrections }
}

/** @throws LoomlogError `input-invalid`, with the field */
function requestFrom(body: unknown, place: RequestPlace): CorrectionRequest {
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw invalidInput('the body', body, 'a JSON object')
  const given = body as { readonly [field: string]: unknown }
  refuseUnknownFields(given, fields)
  const action = oneOf(actions, given.action, 'action')
  const role = oneOf(roles, given.role ?? 'human', 'role')
  const asking = {
    place,
    by: words(given.by, 'by'),
    role,
    reason: optional(given.reason, 'reason'),
    at: Date.now(),
  }
  const from = optional(given.from, 'from')
  if (from !== null && action !== 'replace') throw invalidInput('from', from, 'nothing, unless the action is replace')
  switch (action) {
    case 'add':
      return {
        ...asking,
        action,
        text: words(given.text, 'text'),
        conversation: optional(given.conversation, 'conversation'),
      }
    case 'replace':
      return {
        ...asking,
        action,
        text: words(given.text, 'text'),
        memory: words(given.memory, 'memory'),
        ...(from === null ? {} : { from: timeFrom('from', from) }),
      }
    default:
      return { ...asking, action, memory: words(given.memory, 'memory') }
  }
}

function oneOf<T extends string>(known: readonly T[], value: unknown, field: string): T {
  const found = known.find((each) => each === value)
  if (found === undefined) throw invalidInput(field, value, known.join(' or '))
  return found
}

function words(value: unknown, field: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw invalidInput(field, value, 'words')
}

function optional(value: unknown, field: string): string | null {
  return value === undefined || value === null ? null : words(value, field)
}
