/** Entries: the lines of documents and profiles, each under its document's title and a heading. */
import type { DocumentKind, EventTime, FactKind } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'
import { flag, json, optionalNumber, optionalText, text, texts } from '../column.ts'
import { equals, hasAny, oneOf } from '../condition.ts'
import { derivedRow, edit, patch, put, speakerColumns } from '../projection.ts'
import type { Row } from '../row.ts'
import { defineTable } from '../table.ts'

const columns = {
  document: text(),
  kind: text<DocumentKind>(),
  title: text(),
  heading: text(),
  /** Whether several entries may hold side by side under the heading; false: the newest is the answer. */
  isOneOfSeveral: flag,
  askedAs: texts(),
  /**
   * The text of the entry alone; `text` puts the title, the heading and the words with which one may look for it before
   * it.
   */
  statement: text(),
  factKind: text<FactKind>(),
  when: json<EventTime | null>(null),
  /** The time of the latest utterance that says it. */
  saidAt: optionalNumber,
  role: text(),
  /** Ids of the facts that it states. */
  facts: texts(),
  /** The entry that replaced it; null: none. */
  replacedBy: optionalText,
}

export type EntryRow = Row<typeof columns>

export const entries = defineTable({
  name: 'entries',
  topic: topicSpec('consolidations'),
  columns,
  projections: {
    EntryWritten(event, record) {
      const { document, kind, title, heading, text: statement, when, validFrom, role, facts, sources } = event
      const { isOneOfSeveral, askedAs, factKind, until: validTo, saidAt } = event
      const row = {
        ...derivedRow(event, record),
        ...speakerColumns(event.speaker),
        text: searchText({ title, heading, askedAs, statement }),
        sources,
        validFrom,
        validTo,
        saidAt,
        document,
        kind,
        title,
        heading,
        isOneOfSeveral,
        askedAs,
        statement,
        factKind,
        when,
        role,
        facts,
        replacedBy: null,
      }
      const asked = askedAs.length === 0 ? [] : [`${heading}: ${askedAs.join(', ')}`]
      return [put(row, [statement, ...asked])]
    },
    EntryRetired(event, record) {
      const { validTo, knownAt: knownTo, by: replacedBy } = event
      return [patch(event.entry, event, record, { validTo, knownTo, replacedBy })]
    },
    DocumentDescribed(event, record) {
      const title = event.entity ?? event.title
      return event.retitled.map((entry) =>
        edit<EntryRow>(entry, event, record, (row) => ({ title, text: searchText({ ...row, title }) })),
      )
    },
  },
  kinds: ['document', 'profile'],
  isSearchedByTools: true,
  evidenceText: shownText,
  toolLabel: (row) => `entry of document ${row.document}`,
  lineageLine: (row) => ({ label: 'entry', text: shownText(row) }),
  causes: (row) => row.lineage?.causes ?? [],
  evidence: { cited: (row) => [...row.sources, ...row.facts] },
  partsIn: null,
  correctInstead: null,
})

function searchText({ askedAs, ...row }: Pick<EntryRow, 'title' | 'heading' | 'askedAs' | 'statement'>): string {
  return askedAs.length === 0
    ? shownText(row)
    : shownText({ ...row, heading: `${row.heading} (${askedAs.join(', ')})` })
}

function shownText({ title, heading, statement }: Pick<EntryRow, 'title' | 'heading' | 'statement'>): string {
  return `${title} — ${heading}: ${statement}`
}

export const ofDocuments = (documents: readonly string[]) => oneOf('document', documents)

/** Entries that state one of these facts. */
export const statesAnyOf = (facts: readonly string[]) => hasAny('facts', facts)

/** Entries and descriptions of profiles, which are documents about one person or thing. */
export const ofProfiles = equals('kind', 'profile')
