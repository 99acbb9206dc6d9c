/**
 * The state that a processor keeps for corrections in a lane: by source, the memories derived from it, and the bans on
 * it. Bans are kept by evidence, because another derivation may seal the box after the correction has passed, and word
 * the statement otherwise. Pure: for steps.
 */
import { likeness } from '@loomlog/language/likeness'
import { type Effects, get, type KeyedRecord, keyedRecord, put } from '@loomlog/runtime/step'
import type { CorrectedMemory, MemoryCorrected, Role } from '@loomlog/schemas/events'

/** Limit of memories and of bans for one source; the newest stay. */
const maxPerSource = 64

/** A memory in the log, with the fields that corrections compare. */
export type RecordedMemory = {
  readonly id: string
  readonly text: string
  readonly subject: string
  readonly relation: string
  readonly object: string
  readonly role: Role
  /** Ids of utterances, or of corrections. */
  readonly sources: readonly string[]
  /** Whether a correction states it. */
  readonly isCorrection: boolean
}

export type Ban = {
  /** The id of the source event that made the ban. */
  readonly correction: string
  /** Null: every memory from the evidence. */
  readonly target: Pick<CorrectedMemory, 'text' | 'subject' | 'relation' | 'object' | 'others'> | null
  /** The role of the corrector: an agent's correction leaves a person's statements. */
  readonly role: Role
  /** Banned memories hold until this event time, and are recorded; without it they never held. */
  readonly until?: number
}

const memories: KeyedRecord<readonly RecordedMemory[]> = keyedRecord('told')
const bans: KeyedRecord<readonly Ban[]> = keyedRecord('ban')

export function banOf({
  id,
  target,
  role,
  from,
}: Pick<MemoryCorrected, 'id' | 'role' | 'from'> & { target: CorrectedMemory }): Ban {
  const { text, subject, relation, object, others } = target
  return {
    correction: id,
    target: { text, subject, relation, object, others },
    role,
    ...(from !== null && { until: from }),
  }
}

/** `unsure` is reported, and has no effect. */
export type BanVerdict = 'banned' | 'unsure' | 'free'

/** Compares a memory from the ban's evidence with the ban. */
export function banVerdictOf(ban: Ban, memory: Omit<RecordedMemory, 'id'>): BanVerdict {
  // A correction's own statement stays, even if the corrected memory is undone.
  if (ban.target === null) return memory.isCorrection ? 'free' : 'banned'
  const found = likeness(memory, ban.target, ban.target.others)
  if (found === 'other') return 'free'
  const mayNot = ban.role !== 'human' && memory.role === 'human'
  return found === 'unsure' || mayNot ? 'unsure' : 'banned'
}

export function* bansOn(sources: readonly string[]): Effects<readonly Ban[]> {
  const found = new Map<string, Ban>()
  for (const source of sources) for (const ban of (yield* get(bans, source)) ?? []) found.set(ban.correction, ban)
  return [...found.values()]
}

export function* addBan(sources: readonly string[], ban: Ban): Effects<void> {
  for (const source of sources) {
    const others = ((yield* get(bans, source)) ?? []).filter((each) => each.correction !== ban.correction)
    yield* put(bans, source, [...others, ban].slice(-maxPerSource))
  }
}

/** The recorded memories that cite any of these sources. */
export function* memoriesFrom(sources: readonly string[]): Effects<readonly RecordedMemory[]> {
  const found = new Map<string, RecordedMemory>()
  for (const source of sources) for (const memory of (yield* get(memories, source)) ?? []) found.set(memory.id, memory)
  return [...found.values()]
}

export function* noteMemory(memory: RecordedMemory): Effects<void> {
  for (const source of memory.sources) {
    const others = ((yield* get(memories, source)) ?? []).filter((each) => each.id !== memory.id)
    yield* put(memories, source, [...others, memory].slice(-maxPerSource))
  }
}

export function* forgetMemory(memory: RecordedMemory): Effects<void> {
  for (const source of memory.sources) {
    const left = ((yield* get(memories, source)) ?? []).filter((each) => each.id !== memory.id)
    yield* put(memories, source, left.length === 0 ? null : left)
  }
}

/** Bans every memory from these sources, forgets the recorded ones, and returns them. */
export function* banEvidence(sources: readonly string[], correction: string): Effects<readonly RecordedMemory[]> {
  const ban: Ban = { correction, target: null, role: 'human' }
  yield* addBan(sources, ban)
  const gone = new Set(sources)
  const concerned = (yield* memoriesFrom(sources)).filter(
    (memory) => banVerdictOf(ban, memory) === 'banned' || memory.sources.every((source) => gone.has(source)),
  )
  for (const memory of concerned) yield* forgetMemory(memory)
  return concerned
}
