/**
 * Selects the document of a fact, by the plan of its batch or by rules: one of those that share most with it, or a new one. Another document continues a full one, so
 * that none grows without bound. A document's id comes from the fact that opened it, a profile's from its entity.
 */

import { type Effects, get, put } from '@loomlog/runtime/step'
import { hash } from '@loomlog/schemas/ids'
import { byRules, type Decision, requireDocument } from './changes.ts'
import type { Guidance } from './guidance.ts'
import { maxTitleChars } from './local.ts'
import { topicHeading } from './profile-headings.ts'
import { type Document, documents, type Fact } from './state.ts'
import { type NearnessWeights, nearestDocuments, stateKeyOf } from './term-index.ts'

export type PlacementParameters = NearnessWeights & {
  /** By rules: the lowest similarity of a fact and its document. */
  readonly placeScore: number
  readonly maxEntries: number
  readonly maxProfileEntries: number
}

export interface Placement {
  readonly document: string
  readonly heading: string
  readonly decided: Decision
}

/** Documents that a plan opens, by label. */
export type OpenedDocuments = Map<string, string>

export function* topicFor(
  fact: Fact,
  parameters: PlacementParameters,
  { guidance, opened }: { readonly guidance: Guidance | null; readonly opened: OpenedDocuments },
): Effects<Placement> {
  const heading = guidance?.heading || topicHeading(fact.kind)
  const planned = guidance?.document ?? null
  if (guidance === null || planned === null) return { ...(yield* topicByRules(fact, parameters)), heading }
  const { decided } = guidance
  const known = 'id' in planned ? planned.id : opened.get(planned.opens)
  if (known !== undefined) return { document: yield* documentWithRoom(known, fact, parameters), heading, decided }
  const label = 'opens' in planned ? planned : { opens: '', title: '' }
  const document = yield* openDocument(hash(['topic', fact.id]), {
    title: label.title || titleOf(fact),
  })
  opened.set(label.opens, document)
  return { document, heading, decided }
}

/** The document that shares most with the fact, if it shares enough; else a new one. */
function* topicByRules(fact: Fact, parameters: PlacementParameters): Effects<Pick<Placement, 'document' | 'decided'>> {
  const [nearest] = yield* nearestDocuments(fact, parameters, 1)
  const isNear = nearest !== undefined && nearest.score >= parameters.placeScore
  const document = isNear
    ? yield* documentWithRoom(nearest.document, fact, parameters)
    : yield* openDocument(hash(['topic', fact.id]), { title: titleOf(fact) })
  return { document, decided: byRules }
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

/** The document, or the one that continues it if it is full. */
export function* documentWithRoom(id: string, fact: Fact, parameters: PlacementParameters): Effects<string> {
  const { entries, first } = yield* requireDocument(id)
  if (entries < parameters.maxEntries) return id
  return yield* latestWithRoom(first, () => hash(['topic', fact.id]), parameters.maxEntries)
}

/** The last document of the series if it has room, else a new one that continues it. */
function* latestWithRoom(first: string, idOf: (part: number) => string, maxEntries: number): Effects<string> {
  const head = yield* requireDocument(first)
  const latest = yield* requireDocument(head.latest)
  if (latest.entries < maxEntries) return head.latest
  const part = latest.part + 1
  const id = idOf(part)
  yield* openDocument(id, { title: head.title, entity: head.entity, part, first })
  yield* put(documents, first, { ...(yield* requireDocument(first)), latest: id })
  return id
}

interface NewDocument {
  readonly title: string
  readonly entity?: string | null
  readonly part?: number
  readonly first?: string
}

function* openDocument(id: string, { title, entity = null, part = 1, first = id }: NewDocument): Effects<string> {
  const document: Document = {
    kind: entity === null ? 'topic' : 'profile',
    entity,
    title: part === 1 ? title : `${title} (${part})`,
    summary: '',
    describedBy: 'rules',
    completions: [],
    entries: 0,
    part,
    first,
    latest: id,
  }
  yield* put(documents, id, document)
  return id
}
