/** Events that happened or are planned, each from one box. */
import type { EventTime } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'
import { json, text, texts } from '../column.ts'
import { derivedRow, put, retire, spokenBy } from '../projection.ts'
import { defineTable } from '../table.ts'

export const events = defineTable({
  name: 'events',
  topic: topicSpec('event-links'),
  columns: { box: text(), when: json<EventTime | null>(null), persons: texts(), keywords: texts() },
  projections: {
    EventRecorded(event, record) {
      const { box, when, persons, keywords, conversation, text, sources, toldAt: at } = event
      const time = { at, validFrom: when?.from ?? null, validTo: when?.to ?? null }
      const row = { ...derivedRow(event, record), ...spokenBy(...persons), conversation, text, sources, ...time }
      return [put({ ...row, box, when, persons, keywords }, [text])]
    },
    EventRetracted: (event, record) => [retire(event.event, event, record)],
  },
  kinds: ['event'],
  tools: 'pass over',
  evidenceText: (row) => row.text,
  toolLabel: () => 'event',
  lineageLine: (row) => ({ label: 'event', text: row.text }),
  causes: (row) => row.lineage?.causes ?? [],
  evidence: { cited: (row) => row.sources },
  partsIn: null,
  correctInstead: null,
})
