/**
 * Measures one judged conversation. A replacement counts for a change if the old entry cites a message that the change names, and the new
 * entry the message that states it. A replacement that counts for no change is false. A change is recognised if a replacement counts for it,
 * or if recall marks a message that it names as replaced by the message that states it. A question about a changed value is stale if, among
 * the first ten pieces of evidence, an old statement without this mark comes before the current one, or without it. Questions without
 * the current one are also counted, because nothing is stale in an empty result.
 */

import { judge, statementsIn, type Verdict } from '../corpus/verdict.ts'
import type { Conversation } from './conversation.ts'
import type { Evidence, JudgedMemory, Replacement } from './memory.ts'

/** Verdicts of a person, by source and text of the fact. */
export type Decisions = ReadonlyMap<string, Verdict>

export interface JudgedFact {
  readonly text: string
  readonly sources: readonly string[]
  readonly verdict: Verdict
}

export interface TruthMeasure {
  readonly name: string
  readonly language: string
  readonly facts: readonly JudgedFact[]
  readonly marked: number
  /** The marked facts that a right fact says. Two facts can say one of them. */
  readonly covered: number
  readonly changes: readonly {
    readonly by: string
    readonly ask: string
    readonly isRecognised: boolean
    readonly isStale: boolean
    /** Whether the message that states the change is among the evidence. */
    readonly hasCurrent: boolean
  }[]
  /** Replacements that count for no change. */
  readonly falseReplacements: readonly Replacement[]
  readonly replacements: number
}

export function decisionKey(source: string, text: string): string {
  return `${source} ${text}`
}

export async function measure(of: Conversation, memory: JudgedMemory, decided: Decisions): Promise<TruthMeasure> {
  const facts = memory.facts.map(({ text, sources }) => {
    const cited = sources.flatMap((id) => of.marks.get(id) ?? [])
    const verdict = decided.get(decisionKey(sources[0] ?? '', text)) ?? judge(text, cited)
    return { text, sources, verdict }
  })
  const marked = [...of.marks].flatMap(([by, { changes }]) => changes.map((change) => ({ ...change, by })))
  const changes = []
  for (const { by, was, ask } of marked) {
    const evidence = await memory.ask(ask)
    const isMarked = evidence.some((each) => isAbout(each.sources, was) && leadsTo(by, each, evidence))
    const isRecognised =
      isMarked || memory.replacements.some((each) => isAbout(each.old, was) && each.current.includes(by))
    changes.push({
      by,
      ask,
      isRecognised,
      isStale: isStale(evidence, was, by),
      hasCurrent: currentIn(evidence, by) >= 0,
    })
  }
  const falseReplacements = memory.replacements.filter(
    ({ old, current }) => !marked.some(({ was, by }) => isAbout(old, was) && current.includes(by)),
  )
  return {
    name: of.name,
    language: of.language,
    facts,
    marked: [...of.marks.values()].reduce((sum, marks) => sum + marks.facts.length, 0),
    covered: coveredMarks(of, facts),
    changes,
    falseReplacements,
    replacements: memory.replacements.length,
  }
}

function isAbout(sources: readonly string[], messages: readonly string[]): boolean {
  return messages.some((id) => sources.includes(id))
}

function isStale(evidence: readonly Evidence[], was: readonly string[], by: string): boolean {
  const old = evidence.findIndex((each) => isAbout(each.sources, was) && !leadsTo(by, each, evidence))
  const current = currentIn(evidence, by)
  return old >= 0 && (current < 0 || old < current)
}

function currentIn(evidence: readonly Evidence[], by: string): number {
  return evidence.findIndex(({ sources }) => sources.includes(by))
}

/** Whether the marks of the evidence lead to the message: `replacedBy` has its id, or that of evidence which cites it. */
function leadsTo(by: string, { replacedBy }: Evidence, evidence: readonly Evidence[]): boolean {
  return replacedBy.some((id) => id === by || evidence.some((each) => each.id === id && each.sources.includes(by)))
}

function coveredMarks({ marks }: Conversation, facts: readonly JudgedFact[]): number {
  const right = facts.filter(({ verdict }) => verdict === 'right')
  const covered = [...marks].flatMap(([id, { facts: marked }]) => {
    const said = right.filter(({ sources }) => sources.includes(id)).flatMap(({ text }) => statementsIn(text, marked))
    return [...new Set(said)]
  })
  return covered.length
}
