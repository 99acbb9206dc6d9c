/**
 * The rows of a conversation: its boxes in their order, each before its utterances, and the open box at the end. An
 * utterance that a sealed box doesn't hold is in the open one.
 */
import type { Box, Fact, Utterance } from './memory.ts'
import type { Conversation, Snapshot } from './space-store.ts'

export type StreamRow =
  | { readonly kind: 'box'; readonly id: string; readonly box: Box; readonly isFresh: boolean }
  | { readonly kind: 'open'; readonly id: 'open'; readonly utterances: number }
  | {
      readonly kind: 'utterance'
      readonly id: string
      readonly utterance: Utterance
      readonly facts: readonly Fact[]
      readonly isFresh: boolean
    }

/** The conversation with the newest utterance first. New conversations are on top. */
export function conversationsIn({ conversations }: Snapshot): readonly Conversation[] {
  const isNew = (each: Conversation) => Number(each.fresh === each.utterances.length)
  return [...conversations.values()].sort(
    (a, b) => isNew(b) - isNew(a) || b.orderedBy - a.orderedBy || (a.name < b.name ? -1 : 1),
  )
}

export function rowsOf(conversation: Conversation | null, snapshot: Snapshot): readonly StreamRow[] {
  const { boxes, boxOf, factsOf, fresh } = snapshot
  const rows: StreamRow[] = []
  let last: string | null | undefined
  for (const utterance of conversation?.utterances ?? []) {
    const { id } = utterance
    const box = boxes.get(boxOf.get(id) ?? '') ?? null
    if (box !== null && box.id !== last)
      rows.push({ kind: 'box', id: `box ${box.id}`, box, isFresh: fresh.has(box.id) })
    if (box === null && last !== null) rows.push({ kind: 'open', id: 'open', utterances: 0 })
    last = box?.id ?? null
    rows.push({ kind: 'utterance', id, utterance, facts: factsOf.get(id) ?? noFacts, isFresh: fresh.has(id) })
  }
  return withOneOpenBox(rows)
}

const noFacts: readonly Fact[] = []

/** Whether both show the same. */
export function isSameRow(a: StreamRow, b: StreamRow): boolean {
  if (a.kind === 'utterance' && b.kind === 'utterance')
    return a.utterance === b.utterance && a.facts === b.facts && a.isFresh === b.isFresh
  if (a.kind === 'box' && b.kind === 'box') return a.box === b.box && a.isFresh === b.isFresh
  return a.kind === 'open' && b.kind === 'open' && a.utterances === b.utterances
}

/** Utterances between boxes are those of a retracted box: only the last run is an open box. */
function withOneOpenBox(rows: readonly StreamRow[]): readonly StreamRow[] {
  const at = rows.findLastIndex(({ kind }) => kind === 'open')
  const isLast = at > rows.findLastIndex(({ kind }) => kind === 'box')
  return rows.flatMap((row, index): readonly StreamRow[] => {
    if (row.kind !== 'open') return [row]
    return isLast && index === at ? [{ ...row, utterances: rows.length - 1 - at }] : []
  })
}
