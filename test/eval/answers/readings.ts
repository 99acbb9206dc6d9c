/**
 * The recorded answers of readers and verdicts of judges, and their import from filled sheets. A reader answers an
 * item, a question with a context, from the context alone; a judge sees the question, the right answer and the
 * reader's. `not there` needs no judge: it is right for a question that no message answers.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { hash } from '@loomlog/schemas/ids'
import type { QuestionContext } from './contexts.ts'
import { type FilledRow, readFilledSheets, readLines, type SheetItem, type SheetPlace, writeLines } from './sheets.ts'
import { recordOrigin, type Trial, type TrialQuestion } from './trial.ts'

export const readers = [1, 2] as const
type Reader = (typeof readers)[number]

export const verdicts = ['right', 'wrong', 'not there'] as const
export type Verdict = (typeof verdicts)[number]

export interface Reading {
  readonly item: string
  readonly reader: Reader
  /** One line, or `not there`. */
  readonly answer: string
  /** The context has two values that can't both hold, and doesn't say which one is current. */
  readonly contradicts: boolean
  /** The context shows a value other than the answer as if it were current. */
  readonly outdated: boolean
}

interface Judgement {
  readonly pair: string
  readonly verdict: Verdict
}

export interface Recording {
  readonly readings: readonly Reading[]
  /** By pair of a question and an answer. */
  readonly judgements: ReadonlyMap<string, Verdict>
}

const pairChars = 16

export function readerPlace(out: string, reader: Reader): SheetPlace {
  return { folder: join(out, `reader-${reader}`), key: join(out, 'keys', `reader-${reader}.jsonl`) }
}

export function judgePlace(out: string): SheetPlace {
  return { folder: join(out, 'judge'), key: join(out, 'keys', 'judge.jsonl') }
}

export function readRecording(folder: string): Recording {
  const judgements = readLines<Judgement>(join(folder, 'judgements.jsonl'))
  return {
    readings: readLines<Reading>(join(folder, 'readings.jsonl')),
    judgements: new Map(judgements.map(({ pair, verdict }) => [pair, verdict])),
  }
}

/** Adds the filled sheets to the recording. A later row of the same item replaces the one before. */
export function importSheets(trial: Trial, out: string, by: string): void {
  const { recorded } = trial
  const known = readRecording(recorded)
  const readings = new Map(known.readings.map((each) => [`${each.item} ${each.reader}`, each]))
  for (const reader of readers) {
    for (const row of readFilledSheets(readerPlace(out, reader))) {
      readings.set(`${row.id} ${reader}`, readingOf(row, reader))
    }
  }
  const judgements = new Map(known.judgements)
  for (const filled of readFilledSheets(judgePlace(out))) judgements.set(filled.id, verdictOf(filled))
  mkdirSync(recorded, { recursive: true })
  writeLines(join(recorded, 'readings.jsonl'), inOrder(readings))
  writeLines(
    join(recorded, 'judgements.jsonl'),
    inOrder(new Map([...judgements].map(([pair, verdict]) => [pair, { pair, verdict }]))),
  )
  recordOrigin(trial, {
    by,
    day: new Date().toISOString().slice(0, 10),
    readings: readings.size,
    judgements: judgements.size,
  })
}

function inOrder<T extends object>(values: ReadonlyMap<string, T>): readonly T[] {
  return [...values].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}

function readingOf({ id, row, where }: FilledRow, reader: Reader): Reading {
  const { answer, contradicts = false, outdated = false } = row
  if (typeof answer !== 'string' || answer.trim() === '')
    throw new LoomlogError('input-invalid', `${where} has answer ${JSON.stringify(answer)}: expected a line of text`)
  for (const [name, flag] of Object.entries({ contradicts, outdated })) {
    if (typeof flag !== 'boolean')
      throw new LoomlogError('input-invalid', `${where} has ${name} ${JSON.stringify(flag)}: expected true or false`)
  }
  return { item: id, reader, answer: answer.trim(), contradicts: contradicts === true, outdated: outdated === true }
}

function verdictOf({ row, where }: FilledRow): Verdict {
  const found = verdicts.find((each) => each === row.verdict)
  if (found !== undefined) return found
  throw new LoomlogError(
    'input-invalid',
    `${where} has verdict ${JSON.stringify(row.verdict)}: expected one of ${verdicts.join(', ')}`,
  )
}

/** Null: a judge must decide. */
export function verdictWithoutJudge({ kind }: Pick<TrialQuestion, 'kind'>, answer: string): Verdict | null {
  if (!/^["'(]?not there[.!"')]*$/i.test(answer)) return null
  return kind === 'never' ? 'right' : 'not there'
}

export function pairOf({ ask, answer: gold }: Pick<TrialQuestion, 'ask' | 'answer'>, answer: string): string {
  return hash([ask, gold, answer.toLowerCase()]).slice(0, pairChars)
}

/** Items of these contexts that this reader has not read. */
export function unreadItems(
  contexts: readonly QuestionContext[],
  { readings }: Recording,
  reader: Reader,
): readonly SheetItem[] {
  const read = new Set(readings.filter((each) => each.reader === reader).map(({ item }) => item))
  const items = contexts.map(({ item, question, context }) => {
    return { id: item, group: question.ask, shown: { question: question.ask, context } }
  })
  return [...new Map(items.map((item) => [item.id, item])).values()].filter(({ id }) => !read.has(id))
}

/** Answers to these contexts without a verdict. */
export function unjudgedPairs(
  contexts: readonly QuestionContext[],
  { readings, judgements }: Recording,
): readonly SheetItem[] {
  const byItem = Map.groupBy(readings, ({ item }) => item)
  const pairs = new Map<string, SheetItem>()
  for (const { item, question } of contexts) {
    for (const { answer } of byItem.get(item) ?? []) {
      const id = pairOf(question, answer)
      if (judgements.has(id) || verdictWithoutJudge(question, answer) !== null) continue
      pairs.set(id, { id, group: id, shown: { question: question.ask, gold: question.answer, answer } })
    }
  }
  return [...pairs.values()]
}
