/** Dialogues with their true boundaries from TIAGE's and LoCoMo's files, and their conversion to events of a log. */
import { readFileSync } from 'node:fs'
import { conversationPauseAfter, utteranceFrom } from '@loomlog/intake/utterance'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { ConversationPaused, UtteranceAppended } from '@loomlog/schemas/events'
import { line } from '@loomlog/topic-loom/lines'

export type Incoming = SequencedEvent<UtteranceAppended | ConversationPaused>

/** A dialogue: its utterances, each with a person's label whether it opens a topic (all false without labels). */
export interface Dialogue {
  readonly group: string
  readonly texts: readonly string[]
  readonly shifts: readonly boolean[]
}

export function readTiage(file: string): Dialogue[] {
  const dialogues = JSON.parse(readFileSync(file, 'utf8')) as { readonly [id: string]: readonly [string, string][] }
  return Object.entries(dialogues).map(([id, lines]) => ({
    group: id,
    texts: lines.map(([text]) => text),
    shifts: lines.map(([, label]) => label === '1'),
  }))
}

export function sessionsOf(events: readonly Incoming[]): Dialogue[] {
  const utterances = events.filter((event) => event.type === 'UtteranceAppended')
  const bySession = Map.groupBy(utterances, (event) => `${event.space}/${event.conversation}`)
  return [...bySession.values()].map((lines) => ({
    group: lines[0]?.space ?? '',
    texts: lines.map((utterance) => line(utterance).text),
    shifts: lines.map(() => false),
  }))
}

export function asConversation({ group, texts }: Dialogue): Incoming[] {
  const place = { tenant: 'eval', space: `tiage-${group}` }
  const utterances = texts.map((text, i) => {
    const at = new Date(i * 30_000).toISOString()
    return utteranceFrom({ id: String(i), conversation: group, speaker: 'AB'[i % 2], at, text }, place, 0)
  })
  const last = utterances.at(-1)
  return (last ? [...utterances, conversationPauseAfter(last)] : []).map((event, seq) => ({ ...event, seq }))
}
