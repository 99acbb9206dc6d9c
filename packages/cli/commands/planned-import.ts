/** The first reading of a file that is to be ingested, and the options that it is read with each time. */
import type { FormatName } from '@loomlog/intake/format-names'
import { type ImportBatch, importBatches } from '@loomlog/intake/import/batches'
import { type ImportPlan, type PlanOptions, planImport } from '@loomlog/intake/import/plan'
import { recognisedFormat } from '@loomlog/intake/import/recognise'
import type { ImportSource } from '@loomlog/intake/import/source'
import type { UtteranceOptions } from '@loomlog/intake/import/utterances'
import { defaultSpace } from '../default-space.ts'
import { count, type Output, printNotice } from '../print.ts'
import { SlowNotice } from './slow-notice.ts'

export interface IngestOptions extends Output {
  /** `-`: standard input. */
  readonly file: string
  /** Null: recognised by the content. */
  readonly format: FormatName | null
  readonly tenant: string
  readonly space: string | null
  readonly speaker: string
  readonly conversation: string | null
  readonly at: string | null
  readonly isDryRun: boolean
}

/** A file with its plan, to be read again. */
export interface PlannedImport {
  readonly source: ImportSource
  readonly plan: ImportPlan
  readonly planOptions: PlanOptions
  batches(): AsyncGenerator<ImportBatch>
}

export async function plannedImport(
  source: ImportSource,
  options: IngestOptions,
  signal: AbortSignal,
): Promise<PlannedImport> {
  const recognised = await recognisedFormat(source, options.format)
  if (recognised.isRecognised) printNotice(`${source.name} is recognised as ${recognised.format}`)
  const progress = new SlowNotice()
  const onProgress = (utterances: number) => progress.show(`${count(utterances)} utterances read`)
  const planOptions = { recognised, reading: readingOf(source, options), signal, onProgress }
  const plan = await planImport(source, planOptions)
  return { source, plan, planOptions, batches: () => importBatches(source, plan, planOptions) }
}

function readingOf({ fileName, fileTime }: ImportSource, options: IngestOptions): UtteranceOptions {
  const { tenant, space, speaker, conversation, at } = options
  const time = fileTime === null ? null : fileTime.toISOString()
  return { tenant, space, defaultSpace, speaker, conversation, at, fileName, fileTime: time, appendedAt: Date.now() }
}

/** Each conversation and each space ends with a pause. */
export function eventsOf({ utterances, last }: ImportPlan): number {
  return utterances + last.conversations + last.spaceCount
}
