/** Links: the place of an event, a fact that happened or is planned, in a trace, under the trace's title. */

import { topicSpec } from '@loomlog/topics/catalogue'
import { number, optionalText, text } from '../column.ts'
import { oneOf } from '../condition.ts'
import { derivedRow, patch, put, retire } from '../projection.ts'
import { defineTable } from '../table.ts'

export const links = defineTable({
  name: 'links',
  topic: topicSpec('event-links'),
  columns: { trace: text(), event: text(), box: text(), previous: optionalText, score: number, position: number },
  projections: {
    EventLinked(link, record) {
      const { trace, event, box, previous, score, position, title: text } = link
      return [put({ ...derivedRow(link, record), text, trace, event, box, previous, score, position })]
    },
    EventRetracted: (event, record) => event.links.map((link) => retire(link, event, record)),
    TraceRetitled: (event, record) => event.links.map((link) => patch(link, event, record, { text: event.title })),
  },
  kinds: [],
  isSearchedByTools: false,
  evidenceText: (row) => row.text,
  toolLabel: () => 'link',
  lineageLine: (row) => ({ label: 'link', text: row.text }),
  causes: (row) => row.lineage?.causes ?? [],
  evidence: 'inherited',
  partsIn: null,
  correctInstead: 'a link of a timeline: correct the fact that it links',
})

export const ofEvents = (events: readonly string[]) => oneOf('event', events)

export const ofTraces = (traces: readonly string[]) => oneOf('trace', traces)
