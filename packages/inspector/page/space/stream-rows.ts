/**
 * The rows of a conversation: its boxes in their order, each before its utterances, and the open box at the end. An
 * utterance that a sealed box doesn't hold is in the open one.
 */
import type { Box, Fact, Utterance } from './memory.ts'
import type { Snapshot } from './space-store.ts'

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

export interface ConversationSummary {
  readonly name: string
  readonly utterances: number
  readonly lastAt: number
  readonly fresh: number
}

/**
 * The conversation with the newest utterance first, by the utterances that were there when the page was opened: the
 * list doesn't move while utterances arrive. New conversations are on top.
 */
export function conversationsIn({ utterances, fresh }: Snapshot): readonly ConversationSummary[] {
  const all = new Map<string, { name: string; utterances: number; lastAt: number; fresh: number; orderedBy: number }>()
  const none = { utterances: 0, lastAt: 0, fresh: 0, orderedBy: 0 }
  for (const { id, conversation, at } of utterances.values()) {
    const known = all.get(conversation) ?? { name: conversation, ...none }
    known.utterances += 1
    known.lastAt = Math.max(known.lastAt, at)
    if (fresh.has(id)) known.fresh += 1
    else known.orderedBy = Math.max(known.orderedBy, at)
    all.set(conversation, known)
  }
  const isNew = (each: ConversationSummary) => Number(each.fresh === each.utterances)
  return [...all.values()].sort(
    (a, b) => isNew(b) - isNew(a) || b.orderedBy - a.orderedBy || (a.name < b.name ? -1 : 1),
  )
}

export function rowsOf(conversation: string | null, snapshot: Snapshot): readonly StreamRow[] {
  const { utterances, boxes, boxOf, factsOf, fresh } = snapshot
  const own = [...utterances.values()].filter((each) => each.conversation === conversation)
  own.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const rows: StreamRow[] = []
  let last: string | null | undefined
  for (const utterance of own) {
    const { id } = utterance
    const box = boxes.get(boxOf.get(id) ?? '') ?? null
    if (box !== null && box.id !== last)
      rows.push({ kind: 'box', id: `box ${box.id}`, box, isFresh: fresh.has(box.id) })
    if (box === null && last !== null) rows.push({ kind: 'open', id: 'open', utterances: 0 })
    last = box?.id ?? null
    rows.push({ kind: 'utterance', id, utterance, facts: factsOf.get(id) ?? [], isFresh: fresh.has(id) })
  }
  return withOneOpenBox(rows)
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
