/**
 * The content of an ask for facts: the lines of a window, by day and conversation, and the lines and speakers of each
 * of its conversations before them. Where a box begins has no influence on it.
 */
import { languagesOf } from '@loomlog/language/language'
import type { BoxUtterance } from '@loomlog/schemas/events'
import { utteranceText } from '@loomlog/schemas/utterance-text'
import {
  type Context,
  type Contexts,
  contextLines,
  maxConversations,
  maxParticipants,
  type WindowBox,
} from './state.ts'
import type { WindowLines } from './task-types.ts'

const noContext: Context = { before: [], participants: [], language: null }

/** The lines before the window are with the first day of their conversation. */
export function windowLines(boxes: readonly WindowBox[], known: Contexts): WindowLines {
  const days = daysOf(boxes)
  const labels = new Map(linesOf(boxes).map((utterance, index) => [utterance, lineLabel(index)]))
  const withContext = new Set<string>()
  return {
    days: days.map(({ conversation, utterances }) => {
      const context = contextIn(known, conversation)
      const before = withContext.has(conversation) ? [] : context.before
      withContext.add(conversation)
      const own = boxes.filter((box) => box.conversation === conversation)
      return {
        conversation,
        lines: utterances.map((utterance) => ({
          label: labels.get(utterance) ?? '',
          speaker: utterance.speaker,
          role: utterance.role,
          said: new Date(utterance.at).toISOString(),
          text: utterance.text,
          shown: utterance.attachments.map((attachment) => attachment.description),
        })),
        before: before.map(({ speaker, text }) => ({ speaker, text })),
        participants: participantsIn(own, context),
        language: context.language,
      }
    }),
  }
}

export function lineLabel(index: number): string {
  return String(index + 1)
}

interface Day {
  readonly conversation: string
  readonly utterances: readonly BoxUtterance[]
}

/** The lines of each conversation on each day (UTC), in the order of their first lines. */
function daysOf(boxes: readonly WindowBox[]): readonly Day[] {
  return byConversation(boxes)
    .flatMap(([conversation, own]) => {
      const lines = own.flatMap(({ utterances }) => utterances).toSorted((a, b) => a.seq - b.seq)
      const days = Map.groupBy(lines, ({ at }) => new Date(at).toISOString().slice(0, 10))
      return [...days.values()].map((utterances) => ({ conversation, utterances }))
    })
    .toSorted((a, b) => firstOf(a).at - firstOf(b).at || firstOf(a).seq - firstOf(b).seq)
}

function firstOf({ utterances: [first] }: Day): Pick<BoxUtterance, 'at' | 'seq'> {
  return first ?? { at: 0, seq: 0 }
}

/** The lines of the boxes, in the order of an ask. */
export function linesOf(boxes: readonly WindowBox[]): readonly BoxUtterance[] {
  return daysOf(boxes).flatMap(({ utterances }) => utterances)
}

/** The contexts after these boxes. Beyond the limit, the conversations longest without a box are dropped. */
export function contextsAfter(boxes: readonly WindowBox[], known: Contexts): Contexts {
  const after = byConversation(boxes).map(
    ([conversation, own]) => [conversation, contextAfter(own, contextIn(known, conversation))] as const,
  )
  const others = known.filter(([conversation]) => !after.some(([other]) => other === conversation))
  return [...others, ...after].slice(-maxConversations)
}

/** The contexts after an undo of these utterances. */
export function contextsWithout(utterances: readonly string[], known: Contexts): Contexts {
  const gone = new Set(utterances)
  return known.map(([conversation, context]) => [
    conversation,
    { ...context, before: context.before.filter(({ id }) => !gone.has(id)) },
  ])
}

function byConversation(boxes: readonly WindowBox[]): readonly (readonly [string, readonly WindowBox[]])[] {
  return [...Map.groupBy(boxes, ({ conversation }) => conversation)]
}

export function contextIn(known: Contexts, conversation: string): Context {
  return known.find(([name]) => name === conversation)?.[1] ?? noContext
}

function contextAfter(boxes: readonly WindowBox[], context: Context): Context {
  const utterances = boxes.flatMap((box) => box.utterances)
  const texts = utterances.map(({ text }) => text)
  return {
    before: [...context.before, ...utterances.map(contextLine)].slice(-contextLines),
    participants: participantsIn(boxes, context).slice(0, maxParticipants),
    language: languagesOf(texts, context.language).at(-1) ?? null,
  }
}

function participantsIn(boxes: readonly WindowBox[], { participants }: Context): readonly string[] {
  const speakers = boxes.flatMap(({ utterances }) => utterances.map(({ speaker }) => speaker))
  return [...new Set([...participants, ...speakers])]
}

function contextLine(utterance: BoxUtterance) {
  const { id, speaker, role, at } = utterance
  return { id, speaker, role, at, text: utteranceText(utterance) }
}
