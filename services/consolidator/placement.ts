/**
 * Selects the document of a fact: one of those that share most with it, or a new one. Another document continues a full one, so
 * that none grows without bound. A document's id comes from the fact that opened it, a profile's from its entity.
 */

import { ask, type Effects, get, put } from '@loomlog/runtime/step'
import type { FactRecorded } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { nearestDocuments, plain, type Weights } from './buckets.ts'
import { byRules, type Decision, existing } from './changes.ts'
import { placeFactByRules } from './local.ts'
import { topicHeading } from './profile-headings.ts'
import { type Document, documents } from './state.ts'
import type { PlaceInput } from './task-types.ts'
import { maxOffered, placeFact } from './tasks.ts'

export type PlaceParameters = Weights & {
  /** By rules: the lowest similarity of a fact and its document. */
  readonly placeScore: number
  readonly maxEntries: number
  readonly maxProfileEntries: number
}

export interface Target {
  readonly document: string
  readonly heading: string
  readonly decided: Decision
}

export function* topicFor(fact: FactRecorded, parameters: PlaceParameters): Effects<Target> {
  const near = yield* nearestDocuments(fact, parameters, maxOffered)
  const input = yield* placeInput(fact, near, parameters.placeScore)
  const answer = near.length === 0 ? null : yield* ask(placeFact, input)
  const rules = placeFactByRules(input)
  const placing = answer?.value ?? rules
  const chosen = near[input.documents.findIndex((each) => each.label === placing.document)]
  // An unknown label is no answer: the rules decide.
  const understood = chosen !== undefined || placing.document === 'new'
  const decided =
    answer?.kind === 'answer' && understood ? answer : { ...byRules, completions: answer?.completions ?? [] }
  const heading = placing.heading.trim() || topicHeading(fact.kind)
  const into = understood ? chosen : near[input.documents.findIndex((each) => each.label === rules.document)]
  const document = into
    ? yield* room(into.document, fact, parameters)
    : yield* open(hash(['topic', fact.id]), { title: placing.title.trim() || rules.title })
  return { document, heading, decided }
}

function* placeInput(
  fact: FactRecorded,
  near: readonly { readonly document: string; readonly score: number }[],
  placeScore: number,
): Effects<PlaceInput> {
  const offered: PlaceInput['documents'][number][] = []
  for (const [index, { document }] of near.entries()) {
    const { title, summary } = yield* existing(document)
    offered.push({ label: `d${index + 1}`, title, summary })
  }
  const { text, subject, keywords } = fact
  const nearest = (near[0]?.score ?? 0) >= placeScore ? 'd1' : 'new'
  return { fact: { text, subject, keywords }, documents: offered, nearest }
}

/** The profile of a person, opened if there is none. */
export function* profileOf(person: string, parameters: PlaceParameters): Effects<string> {
  const id = hash(['profile', plain(person)])
  if ((yield* get(documents, id)) === null) yield* open(id, { title: person, entity: person })
  return yield* latestWithRoom(id, (part) => hash(['profile', plain(person), part]), parameters.maxProfileEntries)
}

/** The document, or the one that continues it if it is full. */
export function* room(id: string, fact: FactRecorded, parameters: PlaceParameters): Effects<string> {
  const { entries, first } = yield* existing(id)
  if (entries < parameters.maxEntries) return id
  return yield* latestWithRoom(first, () => hash(['topic', fact.id]), parameters.maxEntries)
}

/** The last document of the row if it has room, else a new one that continues it. */
function* latestWithRoom(first: string, idOf: (part: number) => string, maxEntries: number): Effects<string> {
  const head = yield* existing(first)
  const latest = yield* existing(head.latest)
  if (latest.entries < maxEntries) return head.latest
  const part = latest.part + 1
  const id = idOf(part)
  yield* open(id, { title: head.title, entity: head.entity, part, first })
  yield* put(documents, first, { ...(yield* existing(first)), latest: id })
  return id
}

interface NewDocument {
  readonly title: string
  readonly entity?: string | null
  readonly part?: number
  readonly first?: string
}

function* open(id: string, { title, entity = null, part = 1, first = id }: NewDocument): Effects<string> {
  const document: Document = {
    kind: entity === null ? 'topic' : 'profile',
    entity,
    title: part === 1 ? title : `${title} (${part})`,
    summary: '',
    describedBy: 'rules',
    completions: [],
    entries: 0,
    changes: 0,
    part,
    first,
    latest: id,
  }
  yield* put(documents, id, document)
  return id
}
