/**
 * The task by rules: what people state plainly about themselves. Only people's lines in English give facts: tools print, and agents explain,
 * guess and write in the name of others, which rules can't separate from the agents' own acts.
 */
import { isReadByRules, languagesOf } from '@loomlog/language/language'
import { plainStatements } from '@loomlog/language/plain-statements'
import type { Effects } from '@loomlog/runtime/step'
import { contextLines } from './state.ts'
import type { ConversationLines, ExtractedFact, FactAnswer, WindowLines } from './task-types.ts'

// biome-ignore lint/correctness/useYield: rules without asks yield nothing
export function* extractFacts({ stretches }: WindowLines): Effects<FactAnswer> {
  return { facts: stretches.flatMap(factsIn) }
}

function factsIn({ lines, before, participants, language }: ConversationLines): readonly ExtractedFact[] {
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
      ({ when, tense: _, ...statement }): ExtractedFact => ({
        ...statement,
        when: when && { from: iso(when.from), to: iso(when.to), text: when.text },
        sources: [line.label],
      }),
    )
  })
}

/** "You" is unambiguous only between two participants. */
function addresseeOf(speaker: string, participants: readonly string[]): string | null {
  const others = participants.filter((name) => name !== speaker)
  return others.length === 1 ? (others[0] ?? null) : null
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
