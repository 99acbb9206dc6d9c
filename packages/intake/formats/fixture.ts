/** Reads samples of exports for tests: the utterances of a file, and the faults and the parts that are left out. */
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { type ReadResult, type UtteranceOptions, valueReader } from '../import/utterances.ts'
import { isList, splitterOf } from '../import/values.ts'
import type { Layout } from './format.ts'
import type { FormatName } from './names.ts'
import { formatsByName } from './registry.ts'

export interface ReadFile {
  readonly utterances: readonly UtteranceAppended[]
  readonly faults: readonly string[]
  readonly leftOut: readonly string[]
}

const defaults: UtteranceOptions = {
  tenant: 'default',
  space: null,
  defaultSpace: 'home',
  speaker: 'user',
  conversation: null,
  fileName: 'talk',
  at: null,
  fileTime: '2026-03-02T09:00:00.000Z',
  appendedAt: 0,
}

/** @param text a value to be written as JSON, or the text of the file */
export function readSample(format: FormatName, text: unknown, options: Partial<UtteranceOptions> = {}): ReadFile {
  const bytes = Buffer.from(typeof text === 'string' ? text : JSON.stringify(text))
  const layout: Layout = isList(bytes) === true ? 'items' : typeof text === 'string' ? 'lines' : 'document'
  const splitter = splitterOf(layout, 'talk.json')
  const read = valueReader(formatsByName[format], { ...defaults, ...options })
  const results: ReadResult[] = []
  for (const raw of [...splitter.push(bytes), ...splitter.end()]) results.push(...read(raw))
  return {
    utterances: results.flatMap((result) => ('utterance' in result ? [result.utterance] : [])),
    faults: results.flatMap((result) => ('fault' in result ? [result.fault.message] : [])),
    leftOut: results.flatMap((result) => ('leftOut' in result ? [result.leftOut] : [])),
  }
}
