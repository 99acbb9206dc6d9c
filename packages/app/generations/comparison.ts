/**
 * The differences of one generation's memory from another's: counts, the changes, recall on questions, and the outcomes
 * of corrections. Both are read from their views; a view that is behind is reported.
 */
import { LoomlogError } from '@loomlog/errors'
import { covers, type DerivationScope } from '@loomlog/generations/derivation-scope'
import type { Change } from '@loomlog/generations/diff/memory'
import { addCounts, diffSpace, noCounts, type SpaceDiff } from '@loomlog/generations/diff/space'
import { findGeneration } from '@loomlog/generations/generation-names'
import { scopeOf } from '@loomlog/generations/generations'
import { type ServingGeneration, servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { GenerationReader } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import type { ViewReader } from '@loomlog/views/reader'
import { checkSpaces, spacesWithUtterances } from '../spaces.ts'
import { type CorrectionOutcome, correctionOutcomes } from './correction-outcomes.ts'
import { furthestBehind } from './promotion-checks.ts'
import { type Question, type Score, scoreOf } from './questions.ts'
import { spaceMemory } from './space-memory.ts'

export interface ComparisonRequest {
  readonly before: string
  readonly after: string
  /** `tenant/space`; none: all. */
  readonly spaces: readonly string[]
  /** Null: recall is not compared. */
  readonly questions: readonly Question[] | null
  /** Largest number of changes listed. */
  readonly limit: number
}

interface ListedChange extends Change {
  readonly space: string
}

/** The number of corrections with each outcome. */
interface OutcomeCounts {
  readonly applied: number
  readonly unsure: number
  readonly missed: number
}

interface GenerationLag {
  readonly records: number
  readonly part: string
}

export interface Comparison {
  readonly before: string
  readonly after: string
  /** Null: not behind. */
  readonly behind: { readonly before: GenerationLag | null; readonly after: GenerationLag | null }
  readonly counts: SpaceDiff['counts']
  readonly spaces: readonly { readonly space: string; readonly counts: SpaceDiff['counts'] }[]
  readonly changes: readonly ListedChange[]
  readonly leftOut: number
  /** Spaces that one of the two does not cover. */
  readonly notCovered: number
  readonly corrections: {
    readonly before: OutcomeCounts
    readonly after: OutcomeCounts
    /** The corrections that the generation `after` did not apply. */
    readonly missed: readonly CorrectionOutcome[]
  }
  readonly questions: { readonly before: Score | null; readonly after: Score | null }
}

/** @throws LoomlogError `not-found`, `input-invalid`, `embedder-mismatch` */
export async function compareGenerations(request: ComparisonRequest, host: Host): Promise<Comparison> {
  const { questions } = request
  const known = await readGenerations(host.log, host.codec)
  const [before, after] = [findGeneration(known, request.before), findGeneration(known, request.after)]
  for (const { id, status } of [before, after]) {
    if (status === 'removing' || status === 'removed')
      throw new LoomlogError('input-invalid', `${id} is ${status}: there is nothing left to compare`)
  }
  const generationReader = new GenerationReader(host, { current: known })
  try {
    const sides = [servingGeneration(before, host.topics), servingGeneration(after, host.topics)] as const
    const views = [await generationReader.viewsOf(sides[0]), await generationReader.viewsOf(sides[1])] as const
    const scopes = [scopeOf(known, before), scopeOf(known, after)]
    const { spaces, notCovered } = await spacesOf(host, request.spaces, scopes)
    const compared = await compareSpaces(request, spaces, views)
    const score = async (serving: ServingGeneration, reader: ViewReader): Promise<Score | null> => {
      const opened = await host.embedders.byName(serving.viewEmbedder)
      if (questions === null || opened === null) return null
      return scoreOf(questions, { ...host, views: reader, embedder: opened.embedder })
    }
    const scores = { before: await score(sides[0], views[0]), after: await score(sides[1], views[1]) }
    const outcomes = [await correctionOutcomes(host, sides[0]), await correctionOutcomes(host, sides[1])] as const
    const behind = {
      before: await lagOf({ host, known, serving: sides[0], generationReader }),
      after: await lagOf({ host, known, serving: sides[1], generationReader }),
    }
    const corrections = {
      before: countsOf(outcomes[0]),
      after: countsOf(outcomes[1]),
      missed: outcomes[1].filter(({ outcome }) => outcome !== 'applied'),
    }
    const ids = { before: before.id, after: after.id }
    return { ...ids, behind, ...compared, notCovered, corrections, questions: scores }
  } finally {
    await generationReader.close()
  }
}

/** Null: it is not behind. */
async function lagOf(of: Parameters<typeof furthestBehind>[0]): Promise<GenerationLag | null> {
  const { lag: records, part } = await furthestBehind(of)
  return records === 0 ? null : { records, part }
}

function countsOf(corrections: readonly CorrectionOutcome[]): OutcomeCounts {
  const of = (wanted: CorrectionOutcome['outcome']) => corrections.filter(({ outcome }) => outcome === wanted).length
  return { applied: of('applied'), unsure: of('unsure'), missed: of('missed') }
}

/** The spaces to compare, and the number of those that one of the two generations does not cover. */
async function spacesOf(host: Host, wanted: readonly string[], scopes: readonly DerivationScope[]) {
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
  { limit }: ComparisonRequest,
  spaces: readonly string[],
  [before, after]: readonly [ViewReader, ViewReader],
): Promise<Pick<Comparison, 'counts' | 'spaces' | 'changes' | 'leftOut'>> {
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
