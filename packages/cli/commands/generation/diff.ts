/**
 * `loomlog generation diff A B`: the differences of B's memory from A's: counts, then the changes. Both are read from their views; a view that
 * is behind is reported.
 */

import { type CorrectionOutcome, correctionOutcomes } from '@loomlog/app/generations/correction-outcomes'
import { behindBy } from '@loomlog/app/generations/lifecycle'
import { readQuestions, type Score, scoreOf } from '@loomlog/app/generations/questions'
import { spaceMemory } from '@loomlog/app/generations/space-memory'
import { checkSpaces, spacesWithUtterances } from '@loomlog/app/spaces'
import { LoomlogError } from '@loomlog/errors'
import type { Change, Kind } from '@loomlog/generations/diff/memory'
import { addCounts, diffSpace, noCounts, type SpaceDiff } from '@loomlog/generations/diff/space'
import { generationBy } from '@loomlog/generations/generation-names'
import { scopeOf } from '@loomlog/generations/generations'
import { covers, type Scope } from '@loomlog/generations/scope'
import { type Serving, servingFrom } from '@loomlog/generations/serving'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import type { ViewReader } from '@loomlog/views/reader'
import { count, faint, heading, type Output, print, printable, printJson, table } from '../../print.ts'

export interface DiffOptions extends Output {
  readonly before: string
  readonly after: string
  /** `tenant/space`; none: all. */
  readonly spaces: readonly string[]
  /** Null: none. */
  readonly questions: string | null
  /** Largest number of changes listed. */
  readonly limit: number
}

interface ListedChange extends Change {
  readonly space: string
}

interface Comparison {
  readonly counts: SpaceDiff['counts']
  readonly spaces: readonly { readonly space: string; readonly counts: SpaceDiff['counts'] }[]
  readonly changes: readonly ListedChange[]
  readonly leftOut: number
}

/** @throws LoomlogError `not-found`, `input-invalid`, `embedder-mismatch` */
export async function diff(options: DiffOptions, host: Host): Promise<void> {
  const questions = options.questions === null ? null : readQuestions(options.questions)
  const known = await readGenerations(host.log, host.codec)
  const [before, after] = [generationBy(known, options.before), generationBy(known, options.after)]
  for (const { id, status } of [before, after]) {
    if (status === 'removing' || status === 'removed')
      throw new LoomlogError('input-invalid', `${id} is ${status}: there is nothing left to compare`)
  }
  const readings = new Readings(host, { current: known })
  try {
    const sides = [servingFrom(before, host.topics), servingFrom(after, host.topics)] as const
    const views = [await readings.generation(sides[0]), await readings.generation(sides[1])] as const
    const scopes = [scopeOf(known, before), scopeOf(known, after)]
    const { spaces, notCovered } = await spacesOf(host, options.spaces, scopes)
    const compared = { ...(await compareSpaces(options, spaces, views)), notCovered }
    const score = async (serving: Serving, reader: ViewReader): Promise<Score | null> => {
      const opened = await host.embedders.named(serving.viewEmbedder)
      if (questions === null || opened === null) return null
      return scoreOf(questions, { ...host, views: reader, embedder: opened.embedder })
    }
    const scores = { before: await score(sides[0], views[0]), after: await score(sides[1], views[1]) }
    const corrections = {
      before: await correctionOutcomes(host, sides[0]),
      after: await correctionOutcomes(host, sides[1]),
    }
    const missed = corrections.after.filter(({ outcome }) => outcome !== 'applied')
    const behind = {
      before: await behindOf({ host, known, serving: sides[0], readings }),
      after: await behindOf({ host, known, serving: sides[1], readings }),
    }
    const of = { before: outcomesOf(corrections.before), after: outcomesOf(corrections.after), missed }
    if (options.json)
      return printJson({ before: before.id, after: after.id, behind, ...compared, corrections: of, questions: scores })
    for (const [id, lag] of [[before.id, behind.before] as const, [after.id, behind.after] as const]) {
      if (lag === null) continue
      print(
        `${id} is ${count(lag.records)} records behind in ${lag.part}: records that it has not derived show as differences`,
      )
    }
    if (notCovered > 0)
      print(`${count(notCovered)} spaces are left out: one of the two generations does not cover them`)
    printDiff(compared, scores)
    for (const { space, correction, outcome } of missed) {
      print(
        `${faint(space)}  the correction ${correction} ${outcome === 'missed' ? 'found no memory to correct' : 'found more than one memory to correct'}`,
      )
    }
  } finally {
    await readings.close()
  }
}

/** Null: it is not behind. */
async function behindOf(of: Parameters<typeof behindBy>[0]) {
  const { lag: records, part } = await behindBy(of)
  return records === 0 ? null : { records, part }
}

function outcomesOf(corrections: readonly CorrectionOutcome[]) {
  const of = (wanted: CorrectionOutcome['outcome']) => corrections.filter(({ outcome }) => outcome === wanted).length
  return { applied: of('applied'), unsure: of('unsure'), missed: of('missed') }
}

/** The spaces to compare, and the number of those that one of the two generations does not cover. */
async function spacesOf(host: Host, wanted: readonly string[], scopes: readonly Scope[]) {
  const known = await spacesWithUtterances(host)
  checkSpaces('--space', wanted, known)
  const all = wanted.length > 0 ? wanted : known
  const spaces = all.filter((space) => scopes.every((scope) => covers(scope, space)))
  if (spaces.length === 0 && all.length > 0) {
    throw new LoomlogError(
      'input-invalid',
      `nothing to compare: one of the two generations covers none of ${all.join(', ')}`,
    )
  }
  return { spaces, notCovered: all.length - spaces.length }
}

async function compareSpaces(
  { limit }: DiffOptions,
  spaces: readonly string[],
  [before, after]: readonly [ViewReader, ViewReader],
): Promise<Comparison> {
  let counts = noCounts
  let all = 0
  const changed: { space: string; counts: SpaceDiff['counts'] }[] = []
  const changes: ListedChange[] = []
  for (const space of spaces) {
    const found = diffSpace(await spaceMemory(before, space), await spaceMemory(after, space))
    counts = addCounts(counts, found.counts)
    if (found.changes.length > 0) changed.push({ space, counts: found.counts })
    all += found.changes.length
    for (const change of found.changes.slice(0, limit - changes.length)) changes.push({ space, ...change })
  }
  return { counts, spaces: changed, changes, leftOut: all - changes.length }
}

function printDiff(
  { counts, spaces, changes, leftOut }: Comparison,
  { before, after }: { readonly before: Score | null; readonly after: Score | null },
): void {
  const rows = (Object.entries(counts) as [Kind, SpaceDiff['counts'][Kind]][]).map(([kind, each]) =>
    [kind, each.same, each.added, each.removed, each.reworded, each.moved].map((cell) =>
      typeof cell === 'number' ? count(cell) : cell,
    ),
  )
  const [titles = '', ...lines] = table([['', 'same', 'added', 'removed', 'reworded', 'moved'], ...rows]).split('\n')
  print([heading(titles), ...lines].join('\n'))
  print(spaces.length === 0 ? 'no differences' : `in ${spaces.map(({ space }) => space).join(', ')}`)
  for (const { space, kind, what, before: old, after: now } of changes) {
    print(`${faint(space)}  ${kind} ${what}`)
    if (old) print(`  - ${printable(old.text).replaceAll('\n', ' ')} ${faint(old.id)}`)
    if (now) print(`  + ${printable(now.text).replaceAll('\n', ' ')} ${faint(now.id)}`)
  }
  if (leftOut > 0) print(`${count(leftOut)} more changes: --limit raises the number shown`)
  if (before === null || after === null) return
  const shown = ({ recallAt10, hitAt10 }: Score) => `recall@10 ${recallAt10.toFixed(3)}, hit@10 ${hitAt10.toFixed(3)}`
  print(`${count(before.questions)} questions: before ${shown(before)}; after ${shown(after)}`)
}
