/**
 * The first reading of a file: everything that an import would append, and everything that is wrong, before a log is
 * opened. Its memory grows with conversations, spaces and speakers, and not with messages.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { contentHash } from '@loomlog/schemas/admission'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { formatsByName } from '../formats/registry.ts'
import { openGivenIds } from './given-ids.ts'
import { LastUtterances } from './last-utterances.ts'
import type { RecognisedFormat } from './recognise.ts'
import type { ImportSource } from './source.ts'
import { type PlacedUtterance, type ReadResult, type UtteranceOptions, valueReader } from './utterances.ts'

/** Faults that are kept with their text; further ones are counted. */
export const maxFaults = 100

export interface ImportPlan {
  readonly utterances: number
  readonly last: LastUtterances
  readonly speakers: number
  /** Times of the first and the last utterance; null: there is none. */
  readonly span: { readonly from: number; readonly to: number } | null
  /** Utterances whose id an earlier one of the file has, with the same content. */
  readonly repeated: number
  /** Utterances with the time of the file. */
  readonly untimed: number
  /** Parts of the file that are no utterances, by reason. */
  readonly leftOut: { readonly [reason: string]: number }
  /** The first faults. */
  readonly faults: readonly LoomlogError[]
  readonly faultCount: number
}

export interface PlanOptions {
  readonly recognised: RecognisedFormat
  readonly reading: UtteranceOptions
  readonly signal: AbortSignal
  onProgress?(utterances: number): void
}

/** Values between two looks at the signal and the progress. */
const reportValues = 1_000

export async function planImport(source: ImportSource, options: PlanOptions): Promise<ImportPlan> {
  const { recognised, reading, signal, onProgress } = options
  const read = valueReader(formatsByName[recognised.format], reading)
  const plan = new PlanInProgress()
  try {
    for await (const raw of source.values(recognised.layout)) {
      for (const result of read(raw)) plan.add(result)
      if (raw.number % reportValues !== 0) continue
      if (signal.aborted) break
      onProgress?.(plan.utterances)
    }
    return plan.result()
  } catch (error) {
    // The list of the file is broken: the faults before it are listed too.
    if (!isLoomlogError(error)) throw error
    plan.add({ fault: error })
    return plan.result()
  } finally {
    plan.close()
  }
}

class PlanInProgress {
  readonly #ids = openGivenIds()
  readonly #last = new LastUtterances()
  readonly #speakers = new Set<string>()
  readonly #leftOut: { [reason: string]: number } = {}
  readonly #faults: LoomlogError[] = []
  #faultCount = 0
  #repeated = 0
  #untimed = 0
  #from = Number.POSITIVE_INFINITY
  #to = Number.NEGATIVE_INFINITY
  utterances = 0

  add(result: ReadResult): void {
    if ('utterance' in result) this.#addUtterance(result)
    else if ('fault' in result) this.#addFault(result.fault)
    else this.#leftOut[result.leftOut] = (this.#leftOut[result.leftOut] ?? 0) + 1
  }

  result(): ImportPlan {
    const span = this.utterances === 0 ? null : { from: this.#from, to: this.#to }
    return {
      utterances: this.utterances,
      last: this.#last,
      speakers: this.#speakers.size,
      span,
      repeated: this.#repeated,
      untimed: this.#untimed,
      leftOut: this.#leftOut,
      faults: this.#faults,
      faultCount: this.#faultCount,
    }
  }

  close(): void {
    this.#ids.close()
  }

  #addUtterance({ utterance, where }: PlacedUtterance): void {
    this.utterances += 1
    this.#last.note(utterance, this.utterances)
    this.#speakers.add(utterance.speaker)
    if (!utterance.isTimeGiven) this.#untimed += 1
    this.#from = Math.min(this.#from, utterance.at)
    this.#to = Math.max(this.#to, utterance.at)
    const content = contentHash(utterance)
    const first = this.#ids.firstOf(idKey(utterance), { content, where })
    if (first === null) return
    if (first.hasSameContent) {
      this.#repeated += 1
      return
    }
    const message = `${where}: the id ${utterance.id} is at ${first.where} already, with other content`
    this.#addFault(new LoomlogError('id-conflict', message))
  }

  #addFault(fault: LoomlogError): void {
    this.#faultCount += 1
    if (this.#faults.length < maxFaults) this.#faults.push(fault)
  }
}

function idKey({ tenant, space, id }: UtteranceAppended): string {
  return `${spaceKey(tenant, space)}/${id}`
}
