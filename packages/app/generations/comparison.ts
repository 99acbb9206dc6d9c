/**
 * Compares the memories of two generations: boxes, facts, events and entries of every space that both cover, recall on questions, and the
 * outcomes of corrections. Both memories are read from their views; a view that is behind is reported.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Change } from '@loomlog/generations/diff/memory'
import { addCounts, diffSpace, noCounts, type SpaceDiff } from '@loomlog/generations/diff/space'
import { generationBy } from '@loomlog/generations/generation-names'
import { type Generations, scopeOf } from '@loomlog/generations/generations'
import { covers, type Scope } from '@loomlog/generations/scope'
import { servingFrom } from '@loomlog/generations/serving'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import type { ViewReader } from '@loomlog/views/reader'
import { checkSpaces, spacesWithUtterances } from '../spaces.ts'
import { type CorrectionOutcome, correctionOutcomes } from './correction-outcomes.ts'
import { behindBy } from './promotion.ts'
import { readQuestions, type Score, scoreOf } from './questions.ts'
import { spaceMemory } from './space-memory.ts'

export interface ComparisonRequest {
  /** Ids or names. */
  readonly before: string
  readonly after: string
  /** `tenant/space`; none: all. */
  readonly spaces: readonly string[]
  /** A file; null: none. */
  readonly questions: string | null
  /** Largest number of changes listed. */
  readonly limit: number
}

interface SpacesCompared {
  readonly counts: SpaceDiff['counts']
  /** The spaces with changes. */
  readonly spaces: readonly { readonly space: string; readonly counts: SpaceDiff['counts'] }[]
  readonly changes: readonly (Change & { readonly space: string })[]
  /** The number of changes beyond the limit. */
  readonly leftOut: number
}

export interface Comparison extends SpacesCompared {
  readonly before: string
  readonly after: string
  /** Null: not behind. */
  readonly behind: { readonly before: Behind | null; readonly after: Behind | null }
  /** The number of spaces that one of the two generations does not cover. */
  readonly notCovered: number
  readonly corrections: {
    readonly before: OutcomeCounts
    readonly after: OutcomeCounts
    /** After: the ones that are not applied. */
    readonly missed: readonly CorrectionOutcome[]
  }
  readonly questions: { readonly before: Score | null; readonly after: Score | null }
}

type Behind = { readonly records: number; readonly part: string }
type OutcomeCounts = { readonly [outcome in CorrectionOutcome['outcome']]: number }

/** @throws LoomlogError `not-found`, `input-invalid`, `embedder-mismatch` */
export async function compareGenerations(request: ComparisonRequest, host: Host): Promise<Comparison> {
  const questions = request.questions === null ? null : readQuestions(request.questions)
  const known = await readGenerations(host.log, host.codec)
  const [before, after] = [generationBy(known, request.before), generationBy(known, request.after)]
  for (const { id, status } of [before, after]) {
    if (status === 'removing' || status === 'removed')
      throw new LoomlogError('input-invalid', `${id} is ${status}: there is nothing left to compare`)
  }
  const readings = new Readings(host, { current: known })
  try {
    const sides = [servingFrom(before, host.topics), servingFrom(after, host.topics)] as const
    const views = [await readings.generation(sides[0]), await readings.generation(sides[1])] as const
    const { spaces, notCovered } = await spacesOf(host, request.spaces, [scopeOf(known, before), scopeOf(known, after)])
    const compared = await compareSpaces(request.limit, spaces, views)
    const outcomes = [await correctionOutcomes(host, sides[0]), await correctionOutcomes(host, sides[1])] as const
    const of = { host, known, readings, questions }
    const about = [await sideOf(of, sides[0], views[0]), await sideOf(of, sides[1], views[1])] as const
    return {
      before: before.id,
      after: after.id,
      behind: { before: about[0].behind, after: about[1].behind },
      ...compared,
      notCovered,
      corrections: {
        before: outcomeCounts(outcomes[0]),
        after: outcomeCounts(outcomes[1]),
        missed: outcomes[1].filter(({ outcome }) => outcome !== 'applied'),
      },
      questions: { before: about[0].score, after: about[1].score },
    }
  } finally {
    await readings.close()
  }
}

interface Comparing {
  readonly host: Host
  readonly known: Generations
  readonly readings: Readings
  readonly questions: ReturnType<typeof readQuestions> | null
}

async function sideOf(
  { host, known, readings, questions }: Comparing,
  serving: ReturnType<typeof servingFrom>,
  views: ViewReader,
): Promise<{ readonly score: Score | null; readonly behind: Behind | null }> {
  const opened = await host.embedders.named(serving.viewEmbedder)
  const { lag: records, part } = await behindBy({ host, known, serving, readings })
  return {
    score: questions && opened && (await scoreOf(questions, { ...host, views, embedder: opened.embedder })),
    behind: records === 0 ? null : { records, part },
  }
}

function outcomeCounts(corrections: readonly CorrectionOutcome[]): OutcomeCounts {
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
  limit: number,
  spaces: readonly string[],
  [before, after]: readonly [ViewReader, ViewReader],
): Promise<SpacesCompared> {
  let counts = noCounts
  let all = 0
  const changed: { space: string; counts: SpaceDiff['counts'] }[] = []
  const changes: (Change & { space: string })[] = []
  for (const space of spaces) {
    const diff = diffSpace(await spaceMemory(before, space), await spaceMemory(after, space))
    counts = addCounts(counts, diff.counts)
    if (diff.changes.length > 0) changed.push({ space, counts: diff.counts })
    all += diff.changes.length
    for (const change of diff.changes.slice(0, limit - changes.length)) changes.push({ space, ...change })
  }
  return { counts, spaces: changed, changes, leftOut: all - changes.length }
}
