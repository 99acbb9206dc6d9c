/**
 * The lines of a context block: those of instructions, of entries and of a timeline, each within its share of the
 * budget, and the text of all sections. A document's lines stand under its title, each after its heading.
 */
import { oneLine } from '@loomlog/schemas/one-line'
import { eachCandidate } from '../each-candidate.ts'
import { byTime, type CandidateName, type ScoredMemory } from '../memory.ts'
import { evidenceLine, evidenceText } from '../packing/evidence-text.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { Evidence } from '../recall-result.ts'
import { tokensOf } from '../text/tokens.ts'

export const contextParts = ['instruction', 'holds', 'timeline', 'evidence'] as const
export type ContextPart = (typeof contextParts)[number]

export interface ContextItem extends Evidence {
  readonly part: ContextPart
}

/** A line, and the title that it stands under; null: it stands by itself. */
export interface TitledLine {
  readonly memory: ScoredMemory
  readonly title: string | null
}

export interface Section {
  readonly part: Exclude<ContextPart, 'evidence'>
  readonly lines: readonly { readonly item: ContextItem; readonly title: string | null }[]
}

type FitOptions = Pick<RecallOptions, 'onCandidateFailure' | 'signal'> & { readonly most: number }

export const sectionHeadings: { readonly [part in ContextPart]: string } = {
  instruction: 'Standing instructions',
  holds: 'Holds now',
  timeline: 'How it went',
  evidence: 'As spoken',
}

/** Of several authors, none takes more than this share of the room for instructions. */
const mostOfAuthor = 1 / 3

/** The first instructions that fit, in the order of time. */
export async function fittingInstructions(
  memories: readonly ScoredMemory[],
  { most, ...options }: FitOptions,
): Promise<Section> {
  const items: ContextItem[] = []
  let used = tokensOf(`${sectionHeadings.instruction}\n`)
  const authors = new Map<string, number>()
  const mostOfOne = new Set(memories.map(({ speaker }) => speaker)).size > 1 ? most * mostOfAuthor : most
  const fit = (memory: ScoredMemory) => {
    const tokens = tokensOf(evidenceLine(1, memory))
    const ofAuthor = (authors.get(memory.speaker) ?? 0) + tokens
    if (used + tokens > most || (authors.has(memory.speaker) && ofAuthor > mostOfOne)) return
    used += tokens
    authors.set(memory.speaker, ofAuthor)
    items.push({ ...memory, tokens, part: 'instruction' })
  }
  await eachCandidate(memories, fit, { ...options, nameOf: itself })
  return { part: 'instruction', lines: items.toSorted(byTime).map((item) => ({ item, title: null })) }
}

/** The first lines that fit, those with the same title together, in the order of the titles' first lines. */
export async function fittingLines(
  part: 'holds' | 'timeline',
  candidates: readonly TitledLine[],
  { most, ...options }: FitOptions,
): Promise<Section> {
  const byTitle = new Map<string | null, ContextItem[]>()
  let used = tokensOf(`${sectionHeadings[part]}\n`)
  const fit = ({ memory, title }: TitledLine) => {
    const tokens = tokensOf(evidenceLine(1, memory))
    const under = byTitle.get(title)
    const needed = tokens + (under === undefined && title !== null ? tokensOf(titleLine(title)) : 0)
    if (used + needed > most) return
    used += needed
    byTitle.set(title, [...(under ?? []), { ...memory, tokens, part }])
  }
  await eachCandidate(candidates, fit, { ...options, nameOf: ({ memory }) => memory })
  return { part, lines: [...byTitle].flatMap(([title, items]) => items.map((item) => ({ item, title }))) }
}

/** @param evidence is numbered after the lines of the sections */
export function contextText(sections: readonly Section[], evidence: readonly Evidence[]): string {
  let text = ''
  let number = 1
  for (const { part, lines } of sections) {
    if (lines.length > 0) text += `${sectionHeadings[part]}\n`
    let last: string | null = null
    for (const { item, title } of lines) {
      if (title !== null && title !== last) text += titleLine(title)
      last = title
      text += evidenceLine(number, item)
      number += 1
    }
  }
  return evidence.length === 0 ? text : `${text}${sectionHeadings.evidence}\n${evidenceText(evidence, number)}`
}

/** No numbered line and no day begins like it. */
function titleLine(title: string): string {
  return `# ${oneLine(title)}\n`
}

function itself(memory: ScoredMemory): CandidateName {
  return memory
}
