/** Documents and profiles as they are described: one row each, written over whenever the description changes. */
import type { DocumentKind } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'
import { number, optionalText, text } from '../column.ts'
import { derivedRow, put } from '../projection.ts'
import { defineTable, partsIn } from '../table.ts'
import { entries } from './entries.ts'

export const documents = defineTable({
  name: 'documents',
  topic: topicSpec('consolidations'),
  columns: { kind: text<DocumentKind>(), entity: optionalText, title: text(), summary: text(), entries: number },
  projections: {
    DocumentDescribed(event, record) {
      const { kind, entity, title, summary, entries, document: id } = event
      const row = { ...derivedRow(event, record), id, text: `${title}\n${summary}` }
      return [put({ ...row, kind, entity, title, summary, entries })]
    },
  },
  kinds: [],
  isSearchedByTools: false,
  evidenceText: (row) => row.text,
  toolLabel: () => 'document',
  lineageLine: (row) => ({ label: 'document', text: row.text }),
  // The lineage of a description names only the latest fact: the causes of a document are its parts, the entries.
  causes: () => [],
  evidence: 'none',
  partsIn: partsIn(entries, 'document'),
  correctInstead: 'a document: correct one of its lines, by the id of the entry',
})
