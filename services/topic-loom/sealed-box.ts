/** Seals a box: labels it, remembers which box each utterance is in, and cites every answer behind it. */
import { type Effects, put } from '@loomlog/runtime/step'
import type { BoxSealed, BoxUtterance, Draft } from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import type { Box } from './boxes.ts'
import { line } from './lines.ts'
import { type LabelledLine, labelOf } from './local.ts'
import { linesBefore, linesFrom } from './readings.ts'
import { boxOf, type Stretch, visibleUtterances } from './state.ts'

/** The box's id is derived from `event`, which seals it, and from its ordinal among the boxes that the event seals. */
export function* seal(
  { pending, cut }: Box,
  within: Stretch,
  {
    event,
    ordinal,
  }: { readonly event: { readonly id: string; readonly conversation: string }; readonly ordinal: number },
): Effects<Draft<BoxSealed>> {
  const utterances = pending.map(({ utterance }) => utterance)
  const box = derivedId('topic-loom', event.id, ordinal)
  for (const utterance of utterances) yield* put(boxOf, utterance.id, box)
  yield* put(
    visibleUtterances,
    box,
    utterances.map((utterance) => utterance.id),
  )
  const opening = pending[0]?.opening
  const given = opening?.label ?? null
  const { topic, keywords } = given ?? labelOf(labelledLines(utterances, within))
  const times = utterances.map((utterance) => utterance.at)
  return {
    type: 'BoxSealed',
    conversation: event.conversation,
    utterances,
    cut,
    topic,
    keywords,
    startedAt: Math.min(...times),
    endedAt: Math.max(...times),
    origin: {
      causes: utterances.map((utterance) => utterance.id),
      completions: answersBehind({ pending, cut }, within),
      method: given === null ? 'rules' : (opening?.by ?? 'rules'),
    },
  }
}

function labelledLines(utterances: readonly BoxUtterance[], { readings }: Stretch): readonly LabelledLine[] {
  const languages = new Map(readings.map(({ id, language }) => [id, language]))
  return utterances.map((utterance) => ({ text: line(utterance).text, language: languages.get(utterance.id) ?? null }))
}

/**
 * The embeddings of all lines that its boundaries were scored by, and the answers about the lines from its opening to
 * the next one.
 */
function answersBehind({ pending }: Box, { readings, pending: all }: Stretch): readonly string[] {
  const first = pending[0]
  const start = first ? all.indexOf(first) : 0
  const offset = readings.length - all.length
  const from = Math.max(0, offset + start - linesBefore)
  const scoredBy = readings.slice(from, offset + start + pending.length + linesFrom)
  const decidedBy = all.slice(start, start + pending.length + 1).flatMap(({ opening }) => opening?.completions ?? [])
  return [...new Set([...scoredBy.flatMap(({ completions }) => completions), ...decidedBy])]
}
