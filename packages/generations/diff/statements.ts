/**
 * Matches the statements of two generations. Ids don't help, since they come from boxes that may have other boundaries.
 * The same text from the same evidence is the same statement. Of the others that share evidence, those that share most
 * of their words are the same statement, reworded. Each has one counterpart at most.
 */
import { terms } from '@loomlog/language/terms'
import type { Change, DiffKind, Statement } from './memory.ts'

/** Lowest Dice coefficient of the words of two statements that count as reworded, 0 to 1. */
const minShared = 0.35

export interface StatementMatches {
  readonly same: number
  readonly changes: readonly Change[]
  /** A statement's id to its counterpart's. */
  readonly pairs: ReadonlyMap<string, string>
}

export function matchStatements(
  kind: DiffKind,
  before: readonly Statement[],
  after: readonly Statement[],
): StatementMatches {
  const pairs = new Map<string, string>()
  const taken = new Set<string>()
  const pair = (one: Statement, other: Statement) => {
    if (pairs.has(one.id) || taken.has(other.id)) return
    pairs.set(one.id, other.id)
    taken.add(other.id)
  }
  const candidates = candidatesOf(before, after)
  for (const { one, other } of candidates) if (one.text === other.text && one.under === other.under) pair(one, other)
  for (const { one, other } of candidates) if (one.text === other.text) pair(one, other)
  for (const { one, other } of nearestFirst(candidates, pairs, taken)) pair(one, other)

  const afterById = new Map(after.map((each) => [each.id, each]))
  let same = 0
  const changes: Change[] = []
  for (const one of before) {
    const other = afterById.get(pairs.get(one.id) ?? '') ?? null
    const what = other === null ? 'removed' : whatChanged(one, other)
    if (what === null) same += 1
    else changes.push({ kind, what, before: one, after: other })
  }
  for (const other of after) if (!taken.has(other.id)) changes.push({ kind, what: 'added', before: null, after: other })
  return { same, changes: changes.map(shown), pairs }
}

function whatChanged(one: Statement, other: Statement): 'reworded' | 'moved' | null {
  if (one.text !== other.text) return 'reworded'
  return one.under === other.under ? null : 'moved'
}

function shown({ before, after, ...change }: Change): Change {
  const side = (statement: Change['before']) => statement && { id: statement.id, text: textOf(statement as Statement) }
  return { ...change, before: side(before), after: side(after) }
}

function textOf({ text, under }: Statement): string {
  return under === '' ? text : `${under}: ${text}`
}

interface Candidate {
  readonly one: Statement
  readonly other: Statement
}

/** All pairs that share evidence. */
function candidatesOf(before: readonly Statement[], after: readonly Statement[]): readonly Candidate[] {
  const bySource = new Map<string, Statement[]>()
  for (const other of after) {
    for (const source of new Set(other.sources)) {
      const of = bySource.get(source)
      if (of) of.push(other)
      else bySource.set(source, [other])
    }
  }
  return before.flatMap((one) => {
    const others = new Set(one.sources.flatMap((source) => bySource.get(source) ?? []))
    return [...others].map((other) => ({ one, other }))
  })
}

function nearestFirst(
  candidates: readonly Candidate[],
  pairs: ReadonlyMap<string, string>,
  taken: ReadonlySet<string>,
): readonly Candidate[] {
  return candidates
    .filter(({ one, other }) => !pairs.has(one.id) && !taken.has(other.id))
    .map((candidate) => ({ ...candidate, shared: sharedWords(candidate) }))
    .filter(({ shared }) => shared >= minShared)
    .sort((a, b) => b.shared - a.shared)
}

function sharedWords({ one, other }: Candidate): number {
  const [a, b] = [new Set(terms(one.text)), new Set(terms(other.text))]
  const all = a.size + b.size
  return all === 0 ? 0 : (2 * [...a].filter((term) => b.has(term)).length) / all
}
