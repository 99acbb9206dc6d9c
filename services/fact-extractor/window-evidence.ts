/** The evidence of a window's facts: all its lines, a few before them, and the speakers. */
import type { BoxUtterance } from '@loomlog/schemas/events'
import { utteranceText } from '@loomlog/schemas/utterance-text'
import { contextIn, linesOf } from './box-lines.ts'
import type { Evidence, SpokenLine } from './fact-evidence.ts'
import type { Contexts, WindowBox } from './state.ts'

export interface WindowEvidence {
  /** Of each conversation, its lines in the window first. */
  readonly byConversation: ReadonlyMap<string, readonly SpokenLine[]>
  readonly participants: readonly string[]
}

export function windowEvidence(window: readonly WindowBox[], known: Contexts): WindowEvidence {
  const groups = [...Map.groupBy(window, ({ conversation }) => conversation)]
  const byConversation = groups.map(([conversation, boxes]) => {
    const lines = linesOf(boxes)
    const at = lines[0]?.at ?? 0
    const { before } = contextIn(known, conversation)
    const earlier = before.map((line, index): SpokenLine => {
      return { ...line, at, saidAt: line.at, conversation, place: index - before.length }
    })
    return [
      conversation,
      [...lines.map((line, place) => spokenLine(line, { conversation, place })), ...earlier],
    ] as const
  })
  const earlier = groups.flatMap(([conversation]) => contextIn(known, conversation).participants)
  const speakers = linesOf(window).map(({ speaker }) => speaker)
  return { byConversation: new Map(byConversation), participants: [...new Set([...earlier, ...speakers])] }
}

/** The other lines of the fact's conversation come before those of others. */
export function evidenceFor(
  fact: { readonly conversation: string; readonly sources: readonly string[] },
  { byConversation, participants }: WindowEvidence,
): Evidence<SpokenLine> {
  const own = byConversation.get(fact.conversation) ?? []
  const foreign = [...byConversation].flatMap(([name, lines]) => (name === fact.conversation ? [] : lines))
  const isCited = ({ id }: SpokenLine) => fact.sources.includes(id)
  return {
    cited: own.filter(isCited),
    others: [...own.filter((line) => !isCited(line)), ...foreign],
    names: [...participants, fact.conversation],
  }
}

function spokenLine(utterance: BoxUtterance, place: Pick<SpokenLine, 'conversation' | 'place'>): SpokenLine {
  const { id, at, speaker, role } = utterance
  return { id, at, saidAt: at, speaker, role, text: utteranceText(utterance), ...place }
}
