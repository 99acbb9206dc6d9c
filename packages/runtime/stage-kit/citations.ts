/**
 * By source, the memories of a stage that cite it, for undo by cause: an undo finds the memories of its utterances, and
 * no memory of an undone utterance is taken in later.
 */
import { type Effects, get, type KeyedRecord, keyedRecord, put } from '../step.ts'

/** By source: the ids of memories, the newest last; or that the source is undone. */
type Citations = readonly string[] | 'undone'
const citing: KeyedRecord<Citations> = keyedRecord('citing')

/** Limit of memories for one source; the newest stay. */
const maxPerSource = 64

/** Records that the memory cites these sources. False if one of them is undone: the memory is not to be taken in. */
export function* cite(memory: string, sources: readonly string[]): Effects<boolean> {
  for (const source of sources) {
    const known = (yield* get(citing, source)) ?? []
    if (known === 'undone') return false
    if (!known.includes(memory)) yield* put(citing, source, [...known, memory].slice(-maxPerSource))
  }
  return true
}

/** Marks the sources as undone. @returns the memories that cite any of them */
export function* undoSources(sources: readonly string[]): Effects<readonly string[]> {
  const memories = new Set<string>()
  for (const source of sources) {
    const known = (yield* get(citing, source)) ?? []
    for (const memory of known === 'undone' ? [] : known) memories.add(memory)
    yield* put(citing, source, 'undone')
  }
  return [...memories]
}
