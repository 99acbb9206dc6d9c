/** The preview of a forgetting: what it would destroy, and what it leaves that may still name a person. */
import { alikeName } from '@loomlog/language/alike-name'
import type { SourceEvent } from '@loomlog/schemas/events'
import { everyRow } from '@loomlog/views/every-row'
import type { ViewReader } from '@loomlog/views/reader'
import type { Division } from './divide.ts'
import type { Selection } from './selection.ts'

export interface Preview {
  /** Source events that would be destroyed. */
  readonly utterances: number
  /** Conversations in which an utterance would be destroyed. */
  readonly conversations: number
  /** Corrections, retractions and feedback. */
  readonly corrections: number
  /** Source events that stay. */
  readonly kept: number
  /** Selected ids that no utterance has. */
  readonly unknown: readonly string[]
  /** Memories that rest on them, by table. They are derived again from what stays. */
  readonly impact: { readonly [table: string]: number }
  /** Utterances that stay, and name the selected speaker. */
  readonly mentions: readonly { readonly id: string; readonly conversation: string; readonly text: string }[]
}

const corrections = new Set<SourceEvent['type']>(['MemoryCorrected', 'EvidenceRetracted', 'FeedbackGiven'])

/** @param space `tenant/space` */
export async function previewOf(
  { forgotten, kept, unknown }: Division,
  { speaker }: Selection,
  { space, views }: { readonly space: string; readonly views: ViewReader },
): Promise<Preview> {
  const utterances = forgotten.filter((event) => event.type === 'UtteranceAppended')
  return {
    utterances: utterances.length,
    conversations: new Set(utterances.map(({ conversation }) => conversation)).size,
    corrections: forgotten.filter(({ type }) => corrections.has(type)).length,
    kept: kept.length,
    unknown,
    impact: await impactOf(new Set(forgotten.map(({ id }) => id)), space, views),
    mentions: speaker === null ? [] : mentionsOf(speaker, kept),
  }
}

/** Counts the rows that cite one of the ids, directly or through others. */
async function impactOf(ids: ReadonlySet<string>, space: string, views: ViewReader): Promise<Preview['impact']> {
  const reached = new Set(ids)
  const counts: { [table: string]: number } = {}
  // A cause comes before its effects.
  for (const table of views.tables) {
    const { evidence } = table
    if (evidence === 'none') continue
    counts[table.name] = 0
    for await (const row of everyRow(views, table, { space })) {
      const causes = evidence === 'inherited' ? table.causes(row) : evidence.cited(row)
      if (!causes.some((id) => reached.has(id))) continue
      reached.add(row.id)
      counts[table.name] = (counts[table.name] ?? 0) + 1
    }
  }
  return counts
}

/** Utterances with the name as words of their own, in the form in which names are compared. */
function mentionsOf(speaker: string, kept: readonly SourceEvent[]): Preview['mentions'] {
  const name = wordsOf(speaker)
  return kept
    .filter((event) => event.type === 'UtteranceAppended')
    .filter(({ text, attachments, metadata, conversation }) =>
      [text, conversation, ...attachments.map(({ description }) => description), ...Object.values(metadata)].some(
        (each) => wordsOf(each).includes(name),
      ),
    )
    .map(({ id, conversation, speaker: by, text }) => ({ id, conversation, text: `${by}: ${text}` }))
}

function wordsOf(text: string): string {
  return ` ${alikeName(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')} `
}
