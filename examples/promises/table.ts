/** The view table of promises. */
import type { EventTime } from '@loomlog/schemas/events'
import { json, optionalNumber, optionalText, text } from '@loomlog/views/column'
import { atMost } from '@loomlog/views/condition'
import { derivedRow, put, retire, speakerColumns } from '@loomlog/views/projection'
import type { Row } from '@loomlog/views/row'
import { defineTable, type RecordPosition } from '@loomlog/views/table'
import { type PromiseMade, type PromiseRetracted, topic } from './events.ts'

const columns = {
  promiser: text(),
  to: optionalText,
  due: json<EventTime | null>(null),
  /** The end of the deadline. */
  dueBy: optionalNumber,
}

export const promises = defineTable({
  name: 'promises',
  topic,
  columns,
  projections: {
    PromiseMade(event: PromiseMade, record: RecordPosition) {
      const { conversation, text, promiser, to, due, madeAt, sources } = event
      const row = { ...derivedRow(event, record), ...speakerColumns(promiser), conversation, text, sources }
      return [put({ ...row, at: madeAt, validFrom: madeAt, promiser, to, due, dueBy: due?.to ?? null }, [text])]
    },
    PromiseRetracted: (event: PromiseRetracted, record: RecordPosition) => [
      retire<Row<typeof columns>>(event.promise, event, record),
    ],
  },
  kinds: ['promise'],
  isSearchedByTools: true,
  evidenceText: (row) => row.text,
  toolLabel: ({ to }) => (to === null ? 'promise' : `promise to ${to}`),
  lineageLine: (row) => ({ label: 'promise', text: row.text }),
  causes: (row) => row.lineage?.causes ?? [],
  evidence: { cited: (row) => row.sources },
  partsIn: null,
  correctInstead: 'a promise: undo the utterance that makes it',
})

/** Promises whose deadline has passed at this time. */
export const dueAt = (time: number) => atMost('dueBy', time)
