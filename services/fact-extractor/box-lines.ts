/** The content of an ask for facts: the lines of a box, and the lines and speakers of the conversation before it. */
import type { BoxSealed, BoxUtterance } from '@loomlog/schemas/events'
import { wordsOf } from '@loomlog/schemas/words'
import { type Context, contextLines, maxParticipants } from './state.ts'
import type { BoxLines } from './task-types.ts'

export const noContext: Context = { before: [], participants: [] }

export function boxLines(box: BoxSealed, known: Context): BoxLines {
  const lines = box.utterances.map((utterance, index) => ({
    label: label(index),
    speaker: utterance.speaker,
    role: utterance.role,
    said: new Date(utterance.at).toISOString(),
    text: utterance.text,
    shown: utterance.attachments.map((attachment) => attachment.description),
  }))
  const before = known.before.map(({ speaker, text }) => ({ speaker, text }))
  return { lines, before, participants: participantsIn(box, known) }
}

export function label(index: number): string {
  return `u${index + 1}`
}

export function contextAfter(box: BoxSealed, known: Context): Context {
  return {
    before: [...known.before, ...box.utterances.map(contextLine)].slice(-contextLines),
    participants: participantsIn(box, known).slice(0, maxParticipants),
  }
}

/** After an undo of these utterances. */
export function contextWithout(utterances: readonly string[], known: Context): Context {
  const gone = new Set(utterances)
  return { ...known, before: known.before.filter(({ id }) => !gone.has(id)) }
}

function participantsIn(box: BoxSealed, known: Context): readonly string[] {
  return [...new Set([...known.participants, ...box.utterances.map(({ speaker }) => speaker)])]
}

function contextLine(utterance: BoxUtterance) {
  return { id: utterance.id, speaker: utterance.speaker, text: wordsOf(utterance) }
}
