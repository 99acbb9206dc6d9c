/** Messages with their marks as the recogniser of changes reads them. A message that changes another one also changes those that the other one changed. */
import { readMessage } from '@loomlog/language/change'
import { readTiage } from '../dialogues.ts'
import { readConversations } from '../truth/conversation.ts'
import type { MarkedMessage } from './learn-weights.ts'
import { type Half, readScenarios } from './scenarios.ts'

export function markedScenarios(half: Half): readonly (readonly MarkedMessage[])[] {
  return readScenarios(half).map(({ lines }) => marked(lines))
}

/** The tuning half of the judged conversations. */
export function markedConversations(): readonly (readonly MarkedMessage[])[] {
  return readConversations('tuning').map(({ messages, marks }) => {
    const places = new Map(messages.map(({ id }, place) => [id, place]))
    const lines = messages.map(({ id, speaker, at, text }) => {
      const was = (marks.get(id)?.changes ?? []).flatMap((change) => change.was.map((each) => places.get(each) ?? -1))
      return { speaker, at: Date.parse(at), text, was, alike: [] }
    })
    return marked(lines)
  })
}

/** Chats in which nothing changes: the dialogues of TIAGE, of two persons each. Half of them are spread over days. */
export function chats(file: string): readonly (readonly MarkedMessage[])[] {
  return readTiage(file).map(({ texts }, number) => {
    const stepMs = number % 2 === 0 ? minuteMs : dayMs
    const lines = texts.map((text, at) => ({
      speaker: at % 2 === 0 ? 'Ann' : 'Ben',
      at: at * stepMs,
      text,
      was: [],
      alike: [],
    }))
    return marked(lines)
  })
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

type Line = Pick<MarkedMessage, 'speaker' | 'at' | 'text'> & {
  readonly was: readonly number[]
  readonly alike: readonly number[]
}

function marked(lines: readonly Line[]): readonly MarkedMessage[] {
  const messages: MarkedMessage[] = []
  for (const [place, { was, alike, ...line }] of lines.entries()) {
    const changed = new Set(was.flatMap((each) => [each, ...(messages[each]?.changed ?? [])]))
    messages.push({ ...line, place, read: readMessage(line.text), changed, alike: new Set(alike) })
  }
  return messages
}
