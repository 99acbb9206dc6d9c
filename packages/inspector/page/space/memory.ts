/** The memories of the page, with the fields that their kinds have beside those of every listed memory. */
import type { ListedMemory } from '@loomlog/client/api'

export interface Utterance {
  readonly id: string
  readonly conversation: string
  readonly speaker: string
  readonly role: string
  /** The words, without the speaker. */
  readonly text: string
  readonly at: number
}

export interface Box {
  readonly id: string
  readonly conversation: string
  readonly topic: string
  readonly sources: readonly string[]
  readonly startedAt: number
  readonly endedAt: number
  /** Null: not known yet, as the feed doesn't have it. */
  readonly cut: string | null
  readonly method: string | null
  readonly isRetired: boolean
}

export interface Fact {
  readonly id: string
  readonly box: string
  readonly conversation: string
  readonly text: string
  readonly type: string
  readonly sources: readonly string[]
  readonly when: { readonly from: number; readonly to: number | null; readonly text: string } | null
  readonly correctedBy: string | null
  /** Why it no longer holds; null: it holds. */
  readonly retired: string | null
}

export interface Link extends ListedMemory {
  readonly trace: string
  readonly event: string
  readonly previous: string | null
  readonly score: number
  readonly position: number
}

export interface Entry extends ListedMemory {
  readonly document: string
  readonly heading: string
  readonly statement: string
  readonly replacedBy: string | null
  readonly facts: readonly string[]
  readonly saidAt: number | null
}

export function utteranceOf(row: ListedMemory): Utterance {
  const { id, conversation, speaker, text, at, knownFrom } = row
  const words = text.startsWith(`${speaker}: `) ? text.slice(speaker.length + 2) : text
  return { id, conversation, speaker, role: String(row['role']), text: words, at: at ?? knownFrom }
}

export function boxOf(row: ListedMemory): Box {
  const { id, conversation, sources, method, knownTo } = row
  return {
    id,
    conversation,
    sources,
    method,
    topic: String(row['topic']),
    startedAt: Number(row['startedAt']),
    endedAt: Number(row['endedAt']),
    cut: String(row['cut']),
    isRetired: knownTo !== null,
  }
}

export function factOf(row: ListedMemory): Fact {
  const { id, conversation, text, sources, knownTo } = row
  const correction = row['correction'] as { readonly by: string } | null
  return {
    id,
    conversation,
    text,
    sources,
    box: String(row['box']),
    type: String(row['type']),
    when: row['when'] as Fact['when'],
    correctedBy: correction?.by ?? null,
    retired: knownTo === null ? null : 'retired',
  }
}
