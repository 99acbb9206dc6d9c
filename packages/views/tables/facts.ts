/**
 * Facts: self-contained restatements of utterances, each with its sources. An event is a fact that happened or is
 * planned.
 */
import type { EventTime, FactKind } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'
import { flag, json, optionalText, text, texts } from '../column.ts'
import { and, equals, hasAny, oneOf } from '../condition.ts'
import { derivedRow, put, retire, speakerColumns } from '../projection.ts'
import type { Row } from '../row.ts'
import { defineTable } from '../table.ts'

type CorrectionOfFact = {
  readonly id: string
  readonly action: string
  readonly by: string
  readonly replaced: readonly string[]
}

const columns = {
  box: text(),
  kind: text<FactKind>(),
  subject: text(),
  relation: text(),
  object: text(),
  role: text(),
  when: json<EventTime | null>(null),
  location: optionalText,
  /** Whether a person says by it how an agent shall act from now on. */
  isInstruction: flag,
  persons: texts(),
  entities: texts(),
  keywords: texts(),
  /** The correction that states the fact; null: it was derived. */
  correction: json<CorrectionOfFact | null>(null),
}

function correctionColumn({ id, action, by, replaced }: CorrectionOfFact): CorrectionOfFact {
  return { id, action, by, replaced }
}

export type FactRow = Row<typeof columns>

export const facts = defineTable({
  name: 'facts',
  topic: topicSpec('facts'),
  columns,
  projections: {
    FactRecorded(event, record) {
      const { kind, subject, relation, object, role, when, location, persons, entities, keywords, correction } = event
      const { until, isInstruction } = event
      const row = {
        ...derivedRow(event, record),
        ...speakerColumns(event.speaker),
        conversation: event.conversation,
        text: event.text,
        sources: event.sources,
        at: event.saidAt,
        validFrom: when?.from ?? event.saidAt,
        // An event is over at its end; any other fact holds until the end that it names, or until something retires it.
        validTo: kind === 'event' ? (when?.to ?? null) : until,
        box: event.box,
        kind,
        subject,
        relation,
        object,
        role,
        when,
        location,
        persons,
        entities,
        keywords,
        isInstruction,
        correction: correction && correctionColumn(correction),
      }
      return [put(row, [event.text])]
    },
    FactRetracted: (event, record) => [retire(event.fact, event, record)],
  },
  kinds: ['fact', 'event'],
  isSearchedByTools: true,
  evidenceText: (row) => row.text,
  toolLabel: () => 'fact',
  lineageLine: (row) => ({ label: 'fact', text: row.text }),
  causes: (row) => row.lineage?.causes ?? [],
  evidence: { cited: (row) => row.sources },
  partsIn: null,
  correctInstead: null,
})

export function isEvent({ kind }: Pick<FactRow, 'kind'>): boolean {
  return eventKinds.includes(kind)
}

const eventKinds: readonly FactKind[] = ['event', 'plan']
/** Rows of events. */
export const areEvents = oneOf('kind', eventKinds)

/** Rows in which a person says how an agent shall act. */
export const instructsAnAgent = and(equals('isInstruction', true), equals('role', 'human'))

/** Rows that cite one of these utterances or corrections. */
export const citesAnyOf = (sources: readonly string[]) => hasAny('sources', sources)
