/** Archives for tests: whole ones of any lines, as a forger would write them too. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { type ArchivedAnswer, archiveFormat, archiveVersion } from './archive.ts'

const place = { tenant: 'default', space: 's' } as const

export function utterance(id: string, fields: Partial<UtteranceAppended> = {}): UtteranceAppended {
  const said = { conversation: 'c', speaker: 'Maya', role: 'human', text: 'I live in Lisbon.' } as const
  const times = { at: Date.UTC(2026, 2, 2), isTimeGiven: true, appendedAt: Date.UTC(2026, 2, 2) }
  const rest = { attachments: [], metadata: {}, principal: null, canInstruct: true, keyId: null }
  return { type: 'UtteranceAppended', id, ...place, ...said, ...times, ...rest, ...fields }
}

export function answer(key: string, fields: Partial<ArchivedAnswer> = {}): ArchivedAnswer {
  const made = { task: 'embed', model: 'm', answer: '1', vector: null, none: null, attempts: 1, calls: 1 }
  const rest = { inputTokens: 1, outputTokens: 1, stage: null, prompt: null, since: 0, keyId: null }
  return { type: 'AnswerRecorded', key, ...place, ...made, ...rest, ...fields }
}

export interface ArchiveContent {
  readonly header?: object
  readonly answers?: readonly ArchivedAnswer[]
  /** Log time of the answers. */
  readonly appendedAt?: number
  readonly events: readonly (SourceEvent | object)[]
}

/** Writes an archive whose trailer fits its lines. */
export async function writeArchive(file: string, content: ArchiveContent): Promise<string> {
  const { header = {}, answers = [], appendedAt = 1, events } = content
  const first = { format: archiveFormat, version: archiveVersion, ...place, loomlog: '0', generation: null, ...header }
  const lines = [
    first,
    ...answers.map((record) => ({ topic: 'completions', appendedAt, record })),
    ...events.map((record) => ({ topic: 'utterances', record })),
  ]
  // `__proto__` as a field survives only as text.
  const text = lines.map((line) => `${JSON.stringify(line).replaceAll('"PROTO"', '"__proto__"')}\n`).join('')
  const sha256 = createHash('sha256').update(text).digest('hex')
  const end = { completions: answers.length, utterances: events.length, sha256 }
  await writeFile(file, `${text}${JSON.stringify({ end })}\n`)
  return file
}
