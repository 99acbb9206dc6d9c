/**
 * The task by rules: what people state plainly about themselves. Only people's lines in English give facts: tools
 * print, and agents explain, guess and write in the name of others, which rules can't separate from the agents' own
 * acts.
 */
import { isReadByRules, languagesOf } from '@loomlog/language/language'
import { plainStatements } from '@loomlog/language/plain-statements'
import type { Effects } from '@loomlog/runtime/step'
import { contextLines } from './state.ts'
import type { DayLines, ExtractedFact, FactAnswer, WindowLines } from './task-types.ts'

export function* extractFacts({ days }: WindowLines): Effects<FactAnswer> {
  const byConversation = Map.groupBy(days, ({ conversation }) => conversation)
  return { facts: [...byConversation.values()].flatMap(factsIn) }
}

/** @param days of one conversation */
function factsIn(days: readonly DayLines[]): readonly ExtractedFact[] {
  const [{ before, participants, language } = noContext] = days
  const lines = days.flatMap((day) => day.lines)
  const languages = languagesOf(
    lines.map(({ text }) => text),
    language,
  )
  return lines.flatMap((line, index) => {
    if (line.role !== 'human' || !isReadByRules(languages[index] ?? null)) return []
    const previous = [...before, ...lines.slice(0, index)].slice(-contextLines)
    const utterance = { speaker: line.speaker, text: line.text, at: Date.parse(line.said) }
    const next = lines.slice(index + 1).find(({ speaker }) => speaker === line.speaker)?.text ?? null
    const addressee = addresseeOf(line.speaker, participants)
    return plainStatements(utterance, { addressee, previous, participants }, next).map(
      ({ tense: _, ...statement }): ExtractedFact => ({ ...statement, sources: [line.label] }),
    )
  })
}

const noContext: Pick<DayLines, 'before' | 'participants' | 'language'> = {
  before: [],
  participants: [],
  language: null,
}

/** "You" is unambiguous only between two participants. */
function addresseeOf(speaker: string, participants: readonly string[]): string | null {
  const others = participants.filter((name) => name !== speaker)
  return others.length === 1 ? (others[0] ?? null) : null
}
