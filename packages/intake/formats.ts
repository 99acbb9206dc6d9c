/** The events of a file that is in memory as a whole, in one of the formats: for programs that come with their file. */
import { LoomlogError } from '@loomlog/errors'
import { contentHash } from '@loomlog/schemas/admission'
import { spaceKey } from '@loomlog/schemas/ids'
import type { Layout } from './formats/format.ts'
import type { FormatName } from './formats/names.ts'
import { formatsByName } from './formats/registry.ts'
import type { ImportedEvent } from './import/batches.ts'
import { LastUtterances } from './import/last-utterances.ts'
import { type PlacedUtterance, valueReader } from './import/utterances.ts'
import { isList, splitterOf } from './import/values.ts'
import type { SpaceAddress } from './utterance.ts'

export type { ImportedEvent } from './import/batches.ts'

export interface ConversationFile {
  /** The file's name, for messages. */
  readonly file: string
  readonly text: string
  readonly place: SpaceAddress
  /** Log time of the utterances. */
  readonly appendedAt: number
}

/** @throws LoomlogError `input-invalid` or `id-conflict`, with the file and the place in it */
export function readFormat(format: FormatName, { file, text, place, appendedAt }: ConversationFile): ImportedEvent[] {
  const read = valueReader(formatsByName[format], {
    space: place.space,
    defaultSpace: place.space,
    tenant: place.tenant,
    speaker: 'user',
    conversation: null,
    fileName: file,
    at: null,
    fileTime: null,
    appendedAt,
  })
  const bytes = Buffer.from(text)
  const layout = layoutOf(format, bytes)
  const splitter = splitterOf(layout, file)
  const placed: PlacedUtterance[] = []
  for (const raw of [...splitter.push(bytes), ...splitter.end()]) {
    for (const result of read(raw)) {
      if ('fault' in result) throw result.fault
      if ('utterance' in result) placed.push(result)
    }
  }
  refuseConflicts(placed)
  const last = new LastUtterances()
  for (const [number, { utterance }] of placed.entries()) last.note(utterance, number)
  return placed.flatMap(({ utterance }, number) => [utterance, ...last.pausesAfter(utterance, number)])
}

function layoutOf(format: FormatName, bytes: Buffer): Layout {
  if (format === 'jsonl') return 'lines'
  return isList(bytes) === true ? 'items' : 'document'
}

function refuseConflicts(placed: readonly PlacedUtterance[]): void {
  const first = new Map<string, { readonly content: string; readonly where: string }>()
  for (const { utterance, where } of placed) {
    const { tenant, space, id } = utterance
    const key = `${spaceKey(tenant, space)}/${id}`
    const content = contentHash(utterance)
    const before = first.get(key)
    if (before && before.content !== content) {
      const message = `the id ${id} is at ${before.where} already, with other content`
      throw new LoomlogError('id-conflict', `${where}: ${message}`)
    }
    if (!before) first.set(key, { content, where })
  }
}
