/**
 * The document and heading of a fact by the plan of its batch. A fact that the plan files nowhere goes to the nearest
 * document, or to the one of unsorted facts.
 */

import { terms } from '@loomlog/language/terms'
import { type Effects, get, put, range } from '@loomlog/runtime/step'
import { hash } from '@loomlog/schemas/ids'
import { maxTitleChars } from '../local.ts'
import type { Guidance } from '../plan/guidance.ts'
import { maxAskedAs, type PlannedTitle } from '../plan/plan-rows.ts'
import { documents, type Entry, entries, type Fact, titles, unsorted } from '../state.ts'
import { documentWithRoom, nearTopic, openDocument, type PlacementParameters } from './placement.ts'
import { topicHeading } from './profile-headings.ts'
import { indexTitle, type PlacedEntry, stateKeyOf } from './term-index.ts'

/** Documents that a plan opens, by label. */
export type OpenedDocuments = Map<string, string>

/** The most entries of a document that are read for a heading. */
const maxRead = 1_000

/** The document that the plan names, if it exists. */
export function knownTopic({ document }: Guidance, opened: OpenedDocuments): string {
  if (document === null) return ''
  return 'id' in document ? document.id : (opened.get(document.opens) ?? '')
}

export function* plannedTopic(
  fact: Fact,
  { guidance, opened }: { readonly guidance: Guidance; readonly opened: OpenedDocuments },
  parameters: PlacementParameters,
): Effects<string> {
  const known = knownTopic(guidance, opened)
  if (known !== '') return yield* documentWithRoom(known, fact.id, parameters)
  const { document, decided } = guidance
  if (document === null || 'id' in document) return yield* unfiledTopic(fact, parameters)
  const title = document.title || fact.subject.slice(0, maxTitleChars)
  const id = yield* openDocument(hash(['topic', fact.id]), { title, summary: document.holds, decided })
  yield* rememberTitle(id, { title, holds: document.holds })
  opened.set(document.opens, id)
  return id
}

function* unfiledTopic(fact: Fact, parameters: PlacementParameters): Effects<string> {
  const near = yield* nearTopic(fact, parameters)
  if (near !== null) return near
  if ((yield* get(documents, unsorted)) === null)
    yield* openDocument(unsorted, { title: 'Unsorted', summary: 'Facts that are not filed yet.' })
  return yield* documentWithRoom(unsorted, fact.id, parameters)
}

/** New documents of a plan whose title an older one has that the plan was not shown. */
export function* openedBefore(
  opens: ReadonlyMap<string, PlannedTitle>,
  offered: ReadonlySet<string>,
): Effects<OpenedDocuments> {
  const opened: OpenedDocuments = new Map()
  for (const [label, { title }] of opens) {
    const known = yield* get(titles, titleKey(title))
    if (known !== null && !offered.has(known)) opened.set(label, known)
  }
  return opened
}

export function* rememberTitle(document: string, { title, holds }: PlannedTitle): Effects<void> {
  yield* put(titles, titleKey(title), document)
  yield* indexTitle(`${title} ${holds}`, document)
}

/** The words of a title in any order. */
function titleKey(title: string): string {
  return stateKeyOf([...new Set(terms(title))].sort().join(' ') || title)
}

interface HeadingInput {
  readonly document: string
  readonly guidance: Pick<Guidance, 'heading' | 'isOneOfSeveral' | 'askedAs' | 'hasStateBeside'>
  /** Entries that the fact ends. */
  readonly over: readonly PlacedEntry[]
}

/**
 * An existing heading keeps its spelling, and the words with which one may look for it. An event is the answer under
 * its heading only if it changes the one before and no state tells the new one; else it stands beside the state. So
 * does a plan: it is not the answer yet.
 */
export function* headingFor(
  fact: Pick<Fact, 'kind'>,
  { document, guidance, over }: HeadingInput,
): Effects<Pick<Entry, 'heading' | 'isOneOfSeveral' | 'askedAs'>> {
  const named = guidance.heading || topicHeading(fact.kind)
  const under: Entry[] = []
  const ended = new Set(over.map(({ place }) => `${place.document}/${place.entry}`))
  let heading = named
  const askedAs = new Set(guidance.askedAs)
  for (const [key, entry] of yield* range(entries, `${document}/`, maxRead)) {
    if (entry.heading.toLowerCase() !== named.toLowerCase()) continue
    heading = entry.heading
    for (const words of entry.askedAs) askedAs.add(words)
    if (!ended.has(key)) under.push(entry)
  }
  const hasState = guidance.hasStateBeside || under.some(({ factKind }) => isAnswer(factKind))
  const isBeside = fact.kind === 'event' ? hasState || over.length === 0 : fact.kind === 'plan' && hasState
  return { heading, isOneOfSeveral: guidance.isOneOfSeveral || isBeside, askedAs: [...askedAs].slice(0, maxAskedAs) }
}

export function isAnswer(kind: Fact['kind']): boolean {
  return kind === 'state' || kind === 'preference'
}
