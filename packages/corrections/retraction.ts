/** The retraction of every memory with a given origin, as a request in JSON. */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import { timeFrom } from '@loomlog/recall/parameters'
import type { Role } from '@loomlog/schemas/events'
import type { RequestPlace } from './correct.ts'
import { planUndo, type UndoCauses, type UndoOptions, type UndoPlan } from './undo.ts'

/** The causes, at least one, and the author. Times are a day, or a time with a zone. */
export interface Retraction extends Omit<UndoCauses, 'from' | 'to'> {
  readonly from?: string
  readonly to?: string
  readonly by: string
  readonly role: Role
  readonly reason: string | null
  /** Only lists the affected memories. */
  readonly dryRun: boolean
}

export interface RetractionPlan extends UndoPlan {
  readonly dryRun: boolean
  /** Ids of the events. A dry run has no events. */
  readonly ids: readonly string[]
}

const causes = ['speaker', 'conversation', 'principal', 'derivation', 'from', 'to'] as const
/** Ids of utterances in one retraction. */
export const maxRetractedIds = 1_000
const fields = ['utterances', ...causes, 'by', 'role', 'reason', 'dryRun']
const roles = ['human', 'agent'] as const

/**
 * Checks a retraction, a JSON object: `role` is `human` by default. A field that is null or missing is no cause.
 * @throws LoomlogError `input-invalid`, with the field
 */
export function retractionFrom(body: unknown): Retraction {
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw invalidInput('the body', body, 'a JSON object')
  refuseUnknownFields(body, fields)
  const given = body as { readonly [field: string]: unknown }
  const { by, role = 'human', reason = null, dryRun = false } = given
  if (typeof by !== 'string') throw invalidInput('by', by, 'the author')
  const known = roles.find((each) => each === role)
  if (known === undefined) throw invalidInput('role', role, roles.join(' or '))
  if (reason !== null && typeof reason !== 'string') throw invalidInput('reason', reason, 'words')
  if (typeof dryRun !== 'boolean') throw invalidInput('dryRun', dryRun, 'true or false')
  return { ...utterancesFrom(given.utterances ?? undefined), ...causesFrom(given), by, role: known, reason, dryRun }
}

function utterancesFrom(given: unknown): Pick<Retraction, 'utterances'> {
  if (given === undefined) return {}
  const isList = Array.isArray(given) && given.length > 0 && given.length <= maxRetractedIds
  if (!isList || !given.every((id) => typeof id === 'string'))
    throw invalidInput('utterances', given, `1 to ${maxRetractedIds} ids`)
  return { utterances: given }
}

function causesFrom(given: { readonly [field: string]: unknown }): Pick<Retraction, (typeof causes)[number]> {
  const named = causes
    .map((name) => [name, given[name] ?? undefined] as const)
    .filter(([, cause]) => cause !== undefined)
  for (const [name, cause] of named) if (typeof cause !== 'string') throw invalidInput(name, cause, 'a string')
  return Object.fromEntries(named)
}

/** @throws LoomlogError as `planUndo` */
export async function planRetraction(
  { by, role, reason, dryRun, from, to, ...causes }: Retraction,
  place: RequestPlace,
  options: UndoOptions,
): Promise<RetractionPlan> {
  const times = {
    ...(from !== undefined && { from: timeFrom('from', from) }),
    ...(to !== undefined && { to: timeFrom('to', to) }),
  }
  const plan = await planUndo({ ...causes, ...times }, { place, by, role, reason, at: Date.now() }, options)
  const events = dryRun ? [] : plan.events
  return { ...plan, dryRun, events, ids: events.map(({ id }) => id) }
}
