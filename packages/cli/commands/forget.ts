/**
 * `loomlog forget`: destroys utterances for ever, and everything that was made of them. Without `--yes` it only counts
 * them. On a log it waits until the bytes are gone, on a server until the server reports it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Forgetting, ForgettingDetails, ForgettingReply } from '@loomlog/client/api'
import type { MemorySpace, WithUndefined } from '@loomlog/client/memory'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { timeFrom } from '@loomlog/recall/parameters'
import { durationFrom } from '../lifetime.ts'
import type { SpaceOptions } from '../options.ts'
import { cell, count, faint, print, printJson, printNotice } from '../print.ts'

export interface ForgetOptions extends SpaceOptions {
  readonly utterance?: readonly string[]
  readonly speaker?: string
  readonly conversation?: string
  readonly from?: string
  readonly to?: string
  readonly olderThan?: string
  readonly everything?: true
  readonly by: string
  readonly yes?: true
  readonly wait: boolean
  readonly everySpace?: true
}

/** Lines shown that name the speaker. */
const shown = 10
const [hourMs, dayMs] = [3_600_000, 86_400_000]
const pollMs = 500

export interface ForgetPlace {
  readonly space: MemorySpace
  /** Null: a server carries it out. */
  readonly host: Host | null
  readonly signal: AbortSignal
}

export async function forget(options: ForgetOptions, { space, host, signal }: ForgetPlace): Promise<void> {
  const found = await space.forget(forgettingFrom(options))
  // A repetition names the request that is carried out, although nothing is left to select.
  const isNothing = found.id === null && found.utterances + found.corrections === 0
  // As a recall that names an unknown speaker.
  if (found.unknown.length > 0 || isNothing) process.exitCode = 2
  if (!options.json) printPreview(found)
  if (found.id !== null)
    printNotice(`forgetting ${found.id} is requested; loomlog forget certificate continues it after an end`)
  const details = found.id === null || !options.wait ? null : await untilCertified(found.id, { space, host, signal })
  if (options.json)
    return printJson({ ...found, status: details?.status ?? null, certificate: details?.certificate ?? null })
  if (isNothing) return print('there is nothing to forget')
  if (found.preview) return print('this is a preview: nothing is changed. --yes forgets it, and can not be undone')
  if (details?.status === 'certified')
    return print(`forgotten. Keep the certificate: loomlog forget certificate ${found.id} --space ${space.name}`)
  print(`requested: ${found.id}. loomlog forget certificate ${found.id} shows how far it is`)
}

/** @throws LoomlogError `input-invalid`, with the option */
export function forgettingFrom(options: ForgetOptions): WithUndefined<Forgetting> {
  const { utterance: utterances, speaker, conversation, from, to, olderThan, everything, by, yes = false } = options
  if (from !== undefined) timeFrom('--from', from)
  if (to !== undefined) timeFrom('--to', to)
  const appendedBefore = olderThan === undefined ? undefined : timeBefore('--older-than', olderThan)
  const selection = Object.entries({ utterances, speaker, conversation, from, to, appendedBefore, everything })
  const given = Object.fromEntries(selection.filter(([, criterion]) => criterion !== undefined))
  if (Object.keys(given).length === 0) {
    const options = '--utterance, --speaker, --conversation, --from, --to, --older-than or --everything'
    throw new LoomlogError('input-invalid', `nothing is selected: expected ${options}`)
  }
  return { ...given, by, preview: !yes }
}

/**
 * From the beginning of a day (UTC), or of an hour for a duration that is no number of days: so a command that is run
 * again selects the same. @throws LoomlogError `input-invalid`
 */
function timeBefore(option: string, duration: string): string {
  const ms = durationFrom(option, duration)
  if (ms === 0) return new Date().toISOString()
  const step = ms % dayMs === 0 ? dayMs : hourMs
  return new Date(Math.floor((Date.now() - ms) / step) * step).toISOString()
}

function printPreview({
  utterances,
  conversations,
  corrections,
  kept,
  impact,
  mentions,
  unknown,
}: ForgettingReply): void {
  if (unknown.length > 0) printNotice(`no such utterance or correction: ${unknown.map(cell).join(', ')}`)
  print(`${count(utterances)} utterances in ${count(conversations)} conversations, ${count(corrections)} corrections`)
  const rows = Object.entries(impact).map(([table, rows]) => `${count(rows)} ${table}`)
  print(`${rows.join(', ')} rest on them, and are derived again without them`)
  print(`${count(kept)} events stay`)
  if (mentions.length === 0) return
  print(`${count(mentions.length)} utterances that stay name the speaker; --utterance ID forgets one:`)
  for (const { id, text } of mentions.slice(0, shown)) print(`  ${cell(text)}  ${faint(cell(id))}`)
  if (mentions.length > shown) print(faint(`  and ${count(mentions.length - shown)} more`))
}

/** Carries it out where no server does. Returns early when the signal aborts; the next process continues. */
export async function untilCertified(id: string, place: ForgetPlace): Promise<ForgettingDetails> {
  return place.host === null ? certifiedState(id, place) : whileDeriving(place.host, () => certifiedState(id, place))
}

/** Its last state, where the signal aborts. */
export async function certifiedState(
  id: string,
  { space, signal }: Omit<ForgetPlace, 'host'>,
): Promise<ForgettingDetails> {
  for (;;) {
    const details = await space.forgetting(id)
    if (details.status === 'certified' || signal.aborted) return details
    await sleep(pollMs, undefined, { signal }).catch(() => {})
  }
}

/** Derives the log, and carries out its forgettings, until the work is done. */
export async function whileDeriving<T>(host: Host, work: () => Promise<T>): Promise<T> {
  const { startDerivation } = await import('@loomlog/app/derivation')
  const deriving = await startDerivation(host, printNotice, printNotice)
  try {
    return await work()
  } finally {
    await deriving.close()
  }
}
