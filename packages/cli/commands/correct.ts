/**
 * `loomlog correct ID --text [--from]|--pin|--retract` and `loomlog correct --add`: a person corrects a memory. The correction
 * is an event in the log, applied now, and again in every later derivation.
 */

import { bestOutcome, correctionEffects } from '@loomlog/app/generations/correction-outcomes'
import { withReading } from '@loomlog/app/generations/live'
import { type CorrectionRequest, correctionsFor } from '@loomlog/corrections/correct'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { timeFrom } from '@loomlog/recall/parameters'
import type { CorrectionApplied, Role } from '@loomlog/schemas/events'
import { cell, count, faint, type Output, print, printJson } from '../print.ts'
import { deriveWithProgress } from '../progress-line.ts'

export interface CorrectCommand extends Output {
  readonly id: string | undefined
  readonly text?: string
  readonly from?: string
  readonly add?: string
  readonly pin?: true
  readonly retract?: true
  readonly conversation?: string
  readonly author: Author
  readonly place: SpaceAddress
  /** `append`: the running pipeline applies it later. */
  readonly until: 'applied' | 'append'
}

export interface Author {
  readonly by: string
  readonly role: string
  readonly reason?: string | undefined
}

export async function correct(command: CorrectCommand, host: Host, signal: AbortSignal): Promise<void> {
  const request = requestFrom(command)
  const corrections = await withReading(host, command.place.tenant, ({ views }) => correctionsFor(request, views))
  const appended = await appendOnce(corrections, { log: host.log, codec: host.codec, dir: host.config.dir, signal })
  const outcomes = command.until === 'append' ? [] : await apply(corrections, host, signal)
  if (command.json) return printJson({ ...appended, corrections, outcomes })
  for (const { id, action, target, text } of corrections) {
    const wordings = [target?.text, text].filter((each) => typeof each === 'string').map((each) => cell(each ?? ''))
    const own = outcomes.filter(({ correction }) => correction === id).map(({ outcome }) => outcome)
    const outcome = own.length === 0 ? 'in the log, not applied yet' : bestOutcome(own)
    print(`${action} ${wordings.join(' → ')}  ${faint(`${outcome}  ${id}`)}`)
  }
  if (appended.known > 0) print(`${count(appended.known)} of these events were in the log already`)
}

/** Derives everything, and returns the effects of these corrections. */
export async function apply(
  corrections: readonly { readonly id: string }[],
  host: Host,
  signal: AbortSignal,
): Promise<readonly CorrectionApplied[]> {
  const serving = await deriveWithProgress(host, { signal })
  const ids = corrections.map(({ id }) => id)
  return serving === null ? [] : correctionEffects(ids, host, serving)
}

export function authorFrom({ by, role, reason }: Author, place: SpaceAddress) {
  const roles: readonly Role[] = ['human', 'agent']
  const found = roles.find((known) => known === role)
  if (!found) throw new LoomlogError('input-invalid', `--role is ${role}: expected ${roles.join(' or ')}`)
  return { place, by, role: found, reason: reason ?? null, at: Date.now() }
}

/** @throws LoomlogError `input-invalid` */
export function requestFrom(command: CorrectCommand): CorrectionRequest {
  const { id, text, from, add, pin, retract, conversation, author, place } = command
  const common = authorFrom(author, place)
  const actions = [text, add, pin, retract].filter((each) => each !== undefined)
  if (actions.length !== 1) {
    throw new LoomlogError('input-invalid', 'expected exactly one of --text, --pin, --retract and --add')
  }
  if (from !== undefined && text === undefined)
    throw new LoomlogError('input-invalid', '--from says from when the words of --text hold: expected both')
  if (add !== undefined) {
    if (id !== undefined) throw new LoomlogError('input-invalid', '--add takes no id: an addition corrects no memory')
    return { ...common, action: 'add', text: add, conversation: conversation ?? null }
  }
  if (id === undefined)
    throw new LoomlogError('input-invalid', 'the id is missing: expected the id of a fact or an entry')
  if (text !== undefined) {
    const dated = from === undefined ? {} : { from: timeFrom('--from', from) }
    return { ...common, action: 'replace', memory: id, text, ...dated }
  }
  return { ...common, action: pin ? 'pin' : 'retract', memory: id }
}
