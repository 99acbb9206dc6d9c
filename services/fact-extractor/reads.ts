/**
 * The asks of a model whose lines are still in the memory: for each its lines, those before them, and the facts of its
 * answer. An undo asks again without the undone lines, since a model may have obeyed one of them and cited another one.
 * By rules each fact comes from the line that it cites, so nothing is kept.
 */
import { memoriesFrom, type RecordedMemory } from '@loomlog/corrections/bans'
import { append, itemsOf } from '@loomlog/runtime/keyed-list'
import { type Effects, get, isAskedOfModel, type KeyedRecord, keyedRecord, put } from '@loomlog/runtime/step'
import { contextsWithout } from './box-lines.ts'
import { type Contexts, maxOpenBoxes, type WindowBox } from './state.ts'
import { extractFacts } from './tasks.ts'
import { boxesWithout, hasLines } from './window.ts'

/** By name of the read. Its boxes are in records of their own, like those of an open window. */
const reads: KeyedRecord<ReadRecord> = keyedRecord('read')
type ReadRecord = { readonly known: Contexts; readonly facts: readonly string[] }
const readBoxes: KeyedRecord<WindowBox> = keyedRecord('read-box')
/** By utterance, the names of the reads that had it, also as a line before their own. */
const readsOf: KeyedRecord<readonly string[]> = keyedRecord('reads-of')

export interface Read {
  /** Unique in the space: the input that ended its window, and its place among the asks of that. */
  readonly name: string
  readonly boxes: readonly WindowBox[]
  /** The lines before these boxes. */
  readonly known: Contexts
}

export function* noteRead({ name, boxes, known }: Read, facts: readonly string[]): Effects<void> {
  if (!(yield* isAskedOfModel(extractFacts))) return
  const own = known.filter(([conversation]) => boxes.some((box) => box.conversation === conversation))
  yield* put(reads, name, { known: own, facts })
  for (const [place, box] of boxes.entries()) yield* append(readBoxes, { list: `${name}/`, place }, box)
  for (const id of lineIds({ boxes, known: own })) {
    const others = ((yield* get(readsOf, id)) ?? []).filter((each) => each !== name)
    yield* put(readsOf, id, [...others, name])
  }
}

/** Takes the reads that had one of these utterances, without the utterances, and the facts that are left of each. */
export function* takeReads(
  utterances: readonly string[],
): Effects<readonly { readonly read: Read; readonly facts: readonly RecordedMemory[] }[]> {
  const names = new Set<string>()
  for (const id of utterances) for (const name of (yield* get(readsOf, id)) ?? []) names.add(name)
  const taken: { read: Read; facts: readonly RecordedMemory[] }[] = []
  for (const name of names) {
    const record = yield* get(reads, name)
    if (record === null) continue
    const held = yield* itemsOf(readBoxes, `${name}/`, maxOpenBoxes)
    const whole = { boxes: held.map(([, box]) => box), known: record.known }
    for (const [key] of held) yield* put(readBoxes, key, null)
    yield* put(reads, name, null)
    for (const id of lineIds(whole)) yield* leaveRead(id, name)
    const facts = yield* memoriesFrom(lineIds(whole))
    const boxes = boxesWithout(utterances, whole.boxes).filter(hasLines)
    taken.push({
      read: { name, boxes, known: contextsWithout(utterances, whole.known) },
      facts: facts.filter(({ id }) => record.facts.includes(id)),
    })
  }
  return taken
}

function* leaveRead(utterance: string, name: string): Effects<void> {
  const left = ((yield* get(readsOf, utterance)) ?? []).filter((each) => each !== name)
  yield* put(readsOf, utterance, left.length === 0 ? null : left)
}

function lineIds({ boxes, known }: Pick<Read, 'boxes' | 'known'>): readonly string[] {
  const before = known.flatMap(([, context]) => context.before)
  return [...new Set([...boxes.flatMap(({ utterances }) => utterances), ...before].map(({ id }) => id))]
}
