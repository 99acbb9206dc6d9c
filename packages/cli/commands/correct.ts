/**
 * `loomlog correct ID --text [--from]|--pin|--retract` and `loomlog correct --add`: a person corrects a memory. The
 * correction is an event in the log. On a log it is applied at once, on a server by its pipeline, and again in every
 * later derivation.
 */

import { bestOutcome, correctionEffects } from '@loomlog/app/generations/correction-outcomes'
import type { Correction } from '@loomlog/client/api'
import type { MemorySpace, WithUndefined } from '@loomlog/client/memory'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { timeFrom } from '@loomlog/recall/parameters'
import type { CorrectionApplied } from '@loomlog/schemas/events'
import type { SpaceOptions } from '../options.ts'
import { cell, count, faint, print, printJson } from '../print.ts'
import { deriveWithProgress } from '../progress-line.ts'

export interface AuthorOptions extends SpaceOptions, Pick<Correction, 'by' | 'role' | 'reason'> {
  readonly wait: boolean
}

export interface CorrectOptions extends AuthorOptions {
  readonly text?: string
  readonly from?: string
  readonly pin?: true
  readonly retract?: true
  readonly add?: string
  readonly conversation?: string
}

/**
 * Derives the appended events, and returns the effects of those with these ids; none where a running pipeline derives
 * them.
 */
export type Application = (ids: readonly string[]) => Promise<readonly CorrectionApplied[]>

/** @param id undefined: a statement is added */
export async function correct(
  id: string | undefined,
  options: CorrectOptions,
  { space, apply }: { readonly space: MemorySpace; readonly apply: Application },
): Promise<void> {
  const appended = await space.correct(correctionFrom(id, options))
  const outcomes = await apply(appended.ids)
  if (options.json) return printJson({ ...appended, outcomes })
  for (const { id, action, target, text } of appended.corrections) {
    const wordings = [target?.text, text].filter((each) => typeof each === 'string').map((each) => cell(each ?? ''))
    const own = outcomes.filter(({ correction }) => correction === id).map(({ outcome }) => outcome)
    const outcome = own.length === 0 ? 'in the log, not applied yet' : bestOutcome(own)
    print(`${action} ${wordings.join(' → ')}  ${faint(`${outcome}  ${id}`)}`)
  }
  if (appended.known > 0) print(`${count(appended.known)} of these events were in the log already`)
}

/** @param host null: a server derives by itself */
export function application(
  host: Host | null,
  { wait }: Pick<AuthorOptions, 'wait'>,
  signal: AbortSignal,
): Application {
  if (host === null || !wait) return async () => []
  return async (ids) => {
    const serving = await deriveWithProgress(host, { signal })
    return serving === null ? [] : correctionEffects(ids, host, serving)
  }
}

/** @throws LoomlogError `input-invalid`, with the option */
function correctionFrom(id: string | undefined, options: CorrectOptions): WithUndefined<Correction> {
  const { text, from, add, pin, retract, conversation, by, role, reason } = options
  const author = { by, role, reason }
  const actions = [text, add, pin, retract].filter((each) => each !== undefined)
  if (actions.length !== 1) {
    throw new LoomlogError('input-invalid', 'expected exactly one of --text, --pin, --retract and --add')
  }
  if (from !== undefined && text === undefined)
    throw new LoomlogError('input-invalid', '--from says from when the words of --text hold: expected both')
  if (add !== undefined) {
    if (id !== undefined) throw new LoomlogError('input-invalid', '--add takes no id: an addition corrects no memory')
    return { ...author, action: 'add', text: add, conversation }
  }
  if (id === undefined)
    throw new LoomlogError('input-invalid', 'the id is missing: expected the id of a fact or an entry')
  if (text !== undefined) {
    if (from !== undefined) timeFrom('--from', from)
    return { ...author, action: 'replace', memory: id, text, from }
  }
  return { ...author, action: pin ? 'pin' : 'retract', memory: id }
}
