/** The content of an ask for facts: the lines of boxes, and the lines and speakers of the conversation before them. */
import { languagesOf } from '@loomlog/language/language'
import type { BoxUtterance } from '@loomlog/schemas/events'
import { wordsOf } from '@loomlog/schemas/words'
import { type Context, contextLines, maxParticipants, type WindowBox } from './state.ts'
import type { BoxLines } from './task-types.ts'

export const noContext: Context = { before: [], participants: [], language: null }

export function boxLines(boxes: readonly WindowBox[], known: Context): BoxLines {
  const lines = linesOf(boxes).map((utterance, index) => ({
    label: label(index),
    speaker: utterance.speaker,
    role: utterance.role,
    said: new Date(utterance.at).toISOString(),
    text: utterance.text,
    shown: utterance.attachments.map((attachment) => attachment.description),
  }))
  const before = known.before.map(({ speaker, text }) => ({ speaker, text }))
  return { lines, before, participants: participantsIn(boxes, known), language: known.language }
}

export function label(index: number): string {
  return `u${index + 1}`
}

export function linesOf(boxes: readonly WindowBox[]): readonly BoxUtterance[] {
  return boxes.flatMap(({ utterances }) => utterances)
}

export function contextAfter(boxes: readonly WindowBox[], known: Context): Context {
  const texts = linesOf(boxes).map(({ text }) => text)
  return {
    before: [...known.before, ...linesOf(boxes).map(contextLine)].slice(-contextLines),
    participants: participantsIn(boxes, known).slice(0, maxParticipants),
    language: languagesOf(texts, known.language).at(-1) ?? null,
  }
}

/** After an undo of these utterances. */
export function contextWithout(utterances: readonly string[], known: Context): Context {
  const gone = new Set(utterances)
  return { ...known, before: known.before.filter(({ id }) => !gone.has(id)) }
}

function participantsIn(boxes: readonly WindowBox[], known: Context): readonly string[] {
  return [...new Set([...known.participants, ...linesOf(boxes).map(({ speaker }) => speaker)])]
}

function contextLine(utterance: BoxUtterance) {
  return { id: utterance.id, speaker: utterance.speaker, text: wordsOf(utterance) }
}
