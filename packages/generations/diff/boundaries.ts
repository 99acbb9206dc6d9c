/**
 * Matches the boundaries of boxes of two generations. A removed boundary and a new one a few utterances away, in the
 * same conversation, are one boundary that has moved.
 */
import type { Box, Change } from './memory.ts'

/** How far a boundary may have moved, in positions of the space. */
const maxMoved = 5

interface Boundary {
  readonly utterance: string
  readonly seq: number
  readonly conversation: string
  readonly box: Box
}

export function matchBoundaries(
  before: readonly Box[],
  after: readonly Box[],
): { readonly same: number; readonly changes: readonly Change[] } {
  const [old, now] = [boundariesOf(before), boundariesOf(after)]
  const gone = [...old.values()].filter(({ utterance }) => !now.has(utterance))
  const fresh = new Map([...now].filter(([utterance]) => !old.has(utterance)))
  const changes: Change[] = []
  for (const boundary of gone) {
    const moved = nearest(boundary, fresh)
    if (moved) fresh.delete(moved.utterance)
    changes.push({
      kind: 'boundary',
      what: moved ? 'moved' : 'removed',
      before: shown(boundary),
      after: moved && shown(moved),
    })
  }
  for (const boundary of fresh.values()) {
    changes.push({ kind: 'boundary', what: 'added', before: null, after: shown(boundary) })
  }
  return { same: old.size - gone.length, changes }
}

function boundariesOf(boxes: readonly Box[]): ReadonlyMap<string, Boundary> {
  const found = boxes.flatMap((box): readonly Boundary[] => {
    const [first] = box.utterances
    return first ? [{ utterance: first.id, seq: first.seq, conversation: box.conversation, box }] : []
  })
  return new Map(found.sort((a, b) => a.seq - b.seq).map((boundary) => [boundary.utterance, boundary]))
}

function nearest({ conversation, seq }: Boundary, fresh: ReadonlyMap<string, Boundary>): Boundary | null {
  const distance = (other: Boundary) => Math.abs(other.seq - seq)
  const near = [...fresh.values()].filter((other) => other.conversation === conversation && distance(other) <= maxMoved)
  return near.reduce<Boundary | null>((best, other) => (best && distance(best) <= distance(other) ? best : other), null)
}

function shown({ utterance, conversation, box }: Boundary) {
  return { id: box.id, text: `at ${utterance} in ${conversation}: ${box.topic}` }
}
