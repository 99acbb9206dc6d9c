/**
 * Utterances in their speakers' words, and the corrections and undos that people requested. The first record of an id
 * wins.
 */
import { admit } from '@loomlog/schemas/admission'
import type { EvidenceRetracted, MemoryCorrected, SourceEvent } from '@loomlog/schemas/events'
import { utteranceText } from '@loomlog/schemas/utterance-text'
import { topicSpec } from '@loomlog/topics/catalogue'
import { flag, json, text } from '../column.ts'
import { putIfAbsent, retire, sourceRow, speakerColumns } from '../projection.ts'
import { labelOf, type Row } from '../row.ts'
import { defineTable, type Projection, type RecordPosition } from '../table.ts'

type CorrectionRecord = {
  readonly action: string
  readonly by: string
  readonly role: string
  readonly reason: string | null
  /** The memory that is corrected. */
  readonly target: string | null
  /** The event time from which the new words hold, if the correction says so. */
  readonly from?: number
}

type AttachmentRecord = { readonly kind: string; readonly description: string; readonly uri: string | null }

const columns = {
  role: text(),
  attachments: json<readonly AttachmentRecord[]>([]),
  /** Whether standing instructions in it hold. */
  canInstruct: flag,
  /** The correction or undo that the row records; null: an utterance. */
  correction: json<CorrectionRecord | null>(null),
}

export type UtteranceRow = Row<typeof columns>

export const utterances = defineTable({
  name: 'utterances',
  topic: topicSpec('utterances'),
  columns,
  projections: {
    UtteranceAppended(event, record) {
      if (!isAdmitted(event, record)) return []
      const { conversation, speaker, role, attachments, metadata, canInstruct } = event
      const words = utteranceText(event)
      const row = {
        ...sourceRow(event, record),
        ...speakerColumns(speaker),
        conversation,
        text: `${speaker}: ${words}`,
        sources: [event.id],
        labels: Object.entries(metadata).map(([name, value]) => labelOf(name, value)),
        role,
        attachments,
        canInstruct,
        correction: null,
      }
      return [putIfAbsent(row, [words])]
    },
    MemoryCorrected(event, record) {
      if (!isAdmitted(event, record)) return []
      const { action, by, target, text: better, from } = event
      const change = [target && `"${target.text}"`, better && `"${better}"`].filter((each) => each !== null)
      const { memory = null, sources = [] } = target ?? {}
      const correction = { action, target: memory, sources, ...(from !== null && { from }) }
      return [correctionRow(event, record, `${by}: ${action} ${change.join(' → ')}`, correction)]
    },
    EvidenceRetracted(event, record) {
      if (!isAdmitted(event, record)) return []
      const { utterances, derivation, by } = event
      const text = `${by}: undo what came from ${utterances.length} utterances`
      const row = correctionRow(event, record, text, { action: 'undo', target: null, sources: [] })
      // An undo of one derivation's work leaves the utterances, which belong to no derivation.
      if (derivation !== null) return [row]
      const place = { tenant: event.tenant, space: event.space, knownAt: event.appendedAt }
      return [row, ...utterances.map((id) => retire<UtteranceRow>(id, place, record))]
    },
  },
  kinds: ['utterance'],
  isSearchedByTools: true,
  evidenceText: (row) => row.text,
  toolLabel: (row) => `utterance in conversation ${row.conversation}`,
  lineageLine: (row) => ({ label: row.correction === null ? 'utterance' : 'correction', text: row.text }),
  causes: () => [],
  evidence: 'none',
  partsIn: null,
  correctInstead: 'an utterance, which stays as its speaker said it: correct a fact derived from it, or undo it',
})

/** As in the first stage, an event under a foreign key is not admitted. */
function isAdmitted(event: SourceEvent, { key }: RecordPosition): boolean {
  return admit(event, key, [event.type], null).outcome === 'admitted'
}

/**
 * A correction can be looked up as a cause, and by the evidence of the memory that it corrects. Recall finds the facts
 * that it states, never the correction: `knownTo` is set at once.
 */
function correctionRow(
  event: MemoryCorrected | EvidenceRetracted,
  record: RecordPosition,
  text: string,
  {
    sources,
    ...change
  }: Pick<CorrectionRecord, 'action' | 'target' | 'from'> & { readonly sources: readonly string[] },
): Projection<UtteranceRow> {
  const { id, conversation, by, role, reason, appendedAt: knownTo } = event
  const correction = { by, role, reason, ...change }
  const cited = [id, ...sources]
  const shared = { ...sourceRow(event, record), ...speakerColumns(by), conversation, text, sources: cited, knownTo }
  return putIfAbsent({ ...shared, role, attachments: [], canInstruct: false, correction })
}
