/**
 * Measures one judged conversation. A replacement counts for a change if the old entry rests on a message that the change names and the new
 * one on the message that states it; a replacement that counts for no change is false. A question on something that changed is stale if the first
 * ten pieces of evidence bring the old statement above the current one, or alone.
 */
import type { Conversation } from './conversation.ts'
import type { Evidence, JudgedMemory, Replacement } from './memory.ts'
import { judge, type Verdict } from './verdict.ts'

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
  readonly changes: readonly {
    readonly by: string
    readonly ask: string
    readonly isRecognised: boolean
    readonly isStale: boolean
  }[]
  /** Replacements that no mark supports. */
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
    const isMarked = evidence.some(({ sources, replacedBy }) => isAbout(sources, was) && replacedBy.length > 0)
    const isRecognised =
      isMarked || memory.replacements.some((each) => isAbout(each.old, was) && each.current.includes(by))
    changes.push({ by, ask, isRecognised, isStale: isStale(evidence, was, by) })
  }
  const falseReplacements = memory.replacements.filter(
    ({ old, current }) => !marked.some(({ was, by }) => isAbout(old, was) && current.includes(by)),
  )
  return {
    name: of.name,
    language: of.language,
    facts,
    marked: [...of.marks.values()].reduce((sum, marks) => sum + marks.facts.length, 0),
    changes,
    falseReplacements,
    replacements: memory.replacements.length,
  }
}

function isAbout(sources: readonly string[], messages: readonly string[]): boolean {
  return messages.some((id) => sources.includes(id))
}

function isStale(evidence: readonly Evidence[], was: readonly string[], by: string): boolean {
  const old = evidence.findIndex(({ sources, replacedBy }) => isAbout(sources, was) && replacedBy.length === 0)
  const current = evidence.findIndex(({ sources }) => sources.includes(by))
  return old >= 0 && (current < 0 || old < current)
}
