/** Conversations with known boundaries: labelled dialogues, and dialogues joined end to end. */
import { readFileSync } from 'node:fs'
import { embed } from '@loomlog/runtime/step'
import { withLine } from '@loomlog/topic-loom/readings'
import type { LineReading, PhraseScores } from '@loomlog/topic-loom/state'
import type { VectorBias } from '@loomlog/topic-loom/subject-vectors'
import type { Dialogue } from '../../eval/dialogues.ts'

/** A conversation, and for each line whether it opens a topic; null if the data does not say. */
export interface Conversation {
  readonly texts: readonly string[]
  readonly truth: readonly (boolean | null)[]
}

/**
 * `whole` keeps greetings and goodbyes. `stretches` are cut from the middle of a dialogue, so only the subject shows
 * the boundary.
 */
export type Join = 'whole' | 'stretches'

/** The domains of task dialogues to learn from; the others are held out. */
const learnedDomains = new Set(['restaurant', 'bank', 'calendar', 'flight', 'food order', 'doctor', 'train'])

/** Short dialogues of a person with an assistant: written for this measurement, four a domain. */
export function readTasks(): { readonly toLearn: readonly Dialogue[]; readonly heldOut: readonly Dialogue[] } {
  const text = readFileSync(new URL('./task-dialogues.txt', import.meta.url), 'utf8')
  const all = text
    .trim()
    .split('\n\n')
    .map((block) => {
      const [domain = '', ...texts] = block.split('\n')
      return { group: domain.slice(2), texts, shifts: texts.map(() => false) }
    })
  const isLearned = ({ group }: Dialogue) => learnedDomains.has(group)
  return { toLearn: all.filter(isLearned), heldOut: all.filter((dialogue) => !isLearned(dialogue)) }
}

export function labelledConversation({ texts, shifts }: Dialogue): Conversation {
  return { texts, truth: shifts.map((isShift, i) => i > 0 && isShift) }
}

interface Joining {
  /** Dialogues in a conversation. */
  readonly count: number
  /** How often every dialogue is used. */
  readonly rounds: number
  /** 0 to 1. */
  random(): number
}

/**
 * Conversations of `count` dialogues each, in random order. A boundary inside a dialogue counts if a person labelled
 * it.
 */
export function joinDialogues(
  dialogues: readonly Dialogue[],
  join: Join,
  { count, rounds, random }: Joining,
): readonly Conversation[] {
  return Array.from({ length: rounds }).flatMap(() => {
    const order = shuffled(dialogues, random)
    return Array.from({ length: Math.floor(order.length / count) }, (_, i) => {
      const parts = order.slice(i * count, (i + 1) * count).map((dialogue) => part(dialogue, join, random))
      const truth = parts.flatMap(({ shifts }, which) => shifts.map((isShift, at) => (at === 0 ? which > 0 : isShift)))
      return { texts: parts.flatMap(({ texts }) => texts), truth }
    })
  })
}

function part({ group, texts, shifts }: Dialogue, join: Join, random: () => number): Dialogue {
  const half = Math.floor(texts.length / 2)
  if (join === 'whole' || half < 4) return { group, texts, shifts }
  const from = 1 + Math.floor(random() * (half - 1))
  const to = half + 2 + Math.floor(random() * (texts.length - half - 2))
  return { group, texts: texts.slice(from, to), shifts: shifts.slice(from, to) }
}

/** The readings of the lines, as the stage makes them. */
export function readingsOf(texts: readonly string[], reader: Reader): readonly LineReading[] {
  let readings: readonly LineReading[] = []
  for (const [i, text] of texts.entries()) {
    const effects = withLine(readings, { id: String(i), line: { speaker: '', text }, language: null }, reader.bias)
    let next = effects.next()
    while (!next.done) {
      if (next.value.op !== 'ask' || next.value.asks[0]?.task !== embed) throw new Error('expected one text to embed')
      next = effects.next([{ kind: 'answer', value: reader.vectorOf(text), by: 'words', completions: [] }])
    }
    readings = next.value
  }
  return readings.map((reading, i) => ({ ...reading, leans: reader.phraseScoresOf(texts[i] ?? '') }))
}

interface Reader {
  vectorOf(text: string): readonly number[]
  phraseScoresOf(text: string): PhraseScores
  readonly bias: VectorBias
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
