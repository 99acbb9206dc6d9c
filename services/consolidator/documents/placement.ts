/**
 * Selects the document of a fact by rules: one of those that share most with it, or a new one. Another document
 * continues a full one, so that none grows without bound. A document's id comes from the fact that opened it, a
 * profile's from its entity.
 */

import { type Effects, get, put } from '@loomlog/runtime/step'
import { hash } from '@loomlog/schemas/ids'
import { byRules, type Decision, requireDocument } from '../changes.ts'
import { maxTitleChars } from '../local.ts'
import { type Document, documents, type Fact } from '../state.ts'
import { topicHeading } from './profile-headings.ts'
import { indexTitle, type NearnessWeights, nearestDocuments, stateKeyOf } from './term-index.ts'

export type PlacementParameters = NearnessWeights & {
  /** By rules: the lowest similarity of a fact and its document. */
  readonly placeScore: number
  readonly maxEntries: number
  readonly maxProfileEntries: number
}

export interface Placement {
  readonly document: string
  readonly heading: string
  readonly isOneOfSeveral: boolean
  readonly askedAs: readonly string[]
  readonly decided: Decision
}

/** The document that shares most with the fact, if it shares enough; else a new one. */
export function* topicFor(fact: Fact, parameters: PlacementParameters): Effects<Placement> {
  const near = yield* nearTopic(fact, parameters)
  const document = near ?? (yield* openDocument(hash(['topic', fact.id]), { title: titleOf(fact) }))
  return { document, heading: topicHeading(fact.kind), isOneOfSeveral: true, askedAs: [], decided: byRules }
}

/** Null: no document shares enough with the fact. */
export function* nearTopic(fact: Fact, parameters: PlacementParameters): Effects<string | null> {
  const [nearest] = yield* nearestDocuments(fact, parameters, 1)
  if (nearest === undefined || nearest.score < parameters.placeScore) return null
  return yield* documentWithRoom(nearest.document, fact.id, parameters)
}

/** The title until the document is described. */
function titleOf({ subject }: Fact): string {
  return subject.slice(0, maxTitleChars)
}

/** The profile of a person, opened if there is none. */
export function* profileOf(person: string, parameters: PlacementParameters): Effects<string> {
  const id = hash(['profile', stateKeyOf(person)])
  if ((yield* get(documents, id)) === null) yield* openDocument(id, { title: person, entity: person })
  return yield* latestWithRoom(id, (part) => hash(['profile', stateKeyOf(person), part]), parameters.maxProfileEntries)
}

/**
 * The document, or the one that continues it if it is full.
 * @param fact the id of the fact that opens it
 */
export function* documentWithRoom(id: string, fact: string, parameters: PlacementParameters): Effects<string> {
  const { entries, first } = yield* requireDocument(id)
  if (entries < parameters.maxEntries) return id
  return yield* latestWithRoom(first, () => hash(['topic', fact]), parameters.maxEntries)
}

/** The last document of the series if it has room, else a new one that continues it. */
function* latestWithRoom(first: string, idOf: (part: number) => string, maxEntries: number): Effects<string> {
  const head = yield* requireDocument(first)
  const latest = yield* requireDocument(head.latest)
  if (latest.entries < maxEntries) return head.latest
  const part = latest.part + 1
  const id = idOf(part)
  const decided = { by: head.describedBy, completions: head.completions }
  const summary = head.describedBy === byRules.by ? '' : head.summary
  yield* openDocument(id, { title: head.title, summary, decided, entity: head.entity, part, first })
  yield* indexTitle(`${head.title} ${summary}`, id)
  yield* put(documents, first, { ...(yield* requireDocument(first)), latest: id })
  return id
}

interface NewDocument {
  readonly title: string
  /** By a plan: the kinds of things in it. */
  readonly summary?: string
  readonly decided?: Decision
  readonly entity?: string | null
  readonly part?: number
  readonly first?: string
}

export function* openDocument(id: string, opening: NewDocument): Effects<string> {
  const { title, summary = '', decided = byRules, entity = null, part = 1, first = id } = opening
  const document: Document = {
    kind: entity === null ? 'topic' : 'profile',
    entity,
    title: part === 1 ? title : `${title} (${part})`,
    summary,
    describedBy: decided.by,
    completions: decided.completions,
    entries: 0,
    part,
    first,
    latest: id,
  }
  yield* put(documents, id, document)
  return id
}
