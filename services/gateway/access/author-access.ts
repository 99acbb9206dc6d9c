/**
 * The authors in whose names a caller writes. A key or a token that is bound to speakers or roles is refused if it
 * names another author: a name is compared whole, as it is stored, so a look-alike in another case or width is another
 * name.
 */
import type { AuthorBounds } from '@loomlog/access/caller'
import type { Fault } from '@loomlog/errors'
import { formatValue } from '@loomlog/errors/invalid-input'
import type { Intake } from '@loomlog/intake/append'
import { isMessage } from '@loomlog/intake/message'
import type { SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { sameName } from '@loomlog/schemas/names'
import type { FastifyRequest } from 'fastify'
import { faultyBody } from '../problem.ts'
import { boundsOf } from './route-access.ts'

/** Most names that one fault lists. */
const mostListed = 5

/** The author of a write, by the fields of its body. */
interface NamedAuthor {
  /** The speaker that is stored. */
  readonly speaker: string
  /** Undefined: this write has none. */
  readonly role: string | undefined
  readonly speakerField: string
  /** The fields as the caller gave them. */
  readonly given: { readonly [field: string]: unknown }
}

/** Finds the faults of utterances: those of the request, each beside the item of the body that it is made from. */
export type AuthorFaults = (event: UtteranceAppended, item: unknown) => readonly FieldFault[]

export interface FieldFault {
  readonly field: string
  readonly detail: string
}

/** Null: the caller writes in the name of any author. */
export function authorFaults(request: FastifyRequest): AuthorFaults | null {
  const { name, authors } = boundsOf(request)
  if (authors.speakers === null && authors.roles === null) return null
  return ({ speaker, role }, item) => {
    // A chat message names its speaker in `name`, else by its role.
    const speakerField = isMessage(item) ? 'name' : 'speaker'
    const given = item as NamedAuthor['given']
    return faultsOf({ speaker, role, speakerField, given }, authors, name)
  }
}

/** Checks `by` and, where there is one, `role` of a body. @throws LoomlogError `not-allowed`, with each fault */
export function requireAuthor(request: FastifyRequest, author: { readonly by: string; readonly role?: string }): void {
  const { name, authors } = boundsOf(request)
  // Field by field: a retraction also has a `speaker`, whose utterances it selects.
  const { by, role } = author
  const found = faultsOf({ speaker: by, role, speakerField: 'by', given: { by, role } }, authors, name)
  if (found.length > 0) throw faultyBody('not-allowed', found.map(faultAt))
}

/** An intake that appends corrections of the caller's authors only. */
export function intakeOfAuthors(request: FastifyRequest, intake: Pick<Intake, 'append'>): Pick<Intake, 'append'> {
  return {
    append: async (events, options) => {
      for (const event of events) if (hasAuthor(event)) requireAuthor(request, event)
      return intake.append(events, options)
    },
  }
}

function hasAuthor(event: SourceEvent): event is Extract<SourceEvent, { readonly by: string }> {
  return 'by' in event
}

function faultAt({ field, detail }: FieldFault): Fault {
  return { pointer: `/${field}`, detail }
}

function faultsOf(
  { speaker, role, speakerField, given }: NamedAuthor,
  { speakers, roles }: AuthorBounds,
  caller: string,
): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const check = (field: string, value: string, allowed: ReadonlySet<string>) => {
    if (allowed.has(value)) return
    const shown = formatValue(given[field])
    const meant = given[field] === value ? '' : `, which means ${formatValue(value)}`
    const detail = `${field} is ${shown}${meant}: expected ${listOf(allowed)}, as ${caller} is bound to it`
    faults.push({ field, detail })
  }
  if (speakers !== null) check(speakerField, sameName(speaker), speakers)
  if (roles !== null && role !== undefined) check('role', role, roles)
  return faults
}

function listOf(allowed: ReadonlySet<string>): string {
  if (allowed.size === 0) return 'nothing'
  const names = [...allowed].slice(0, mostListed).map(formatValue).join(' or ')
  return allowed.size <= mostListed ? names : `${names} or one of ${allowed.size - mostListed} more`
}
