/**
 * Questions whose evidence is known, and the share of it that recall finds: a line of JSON each,
 * `{"space": "team", "question": "Where does Maya live?", "evidence": ["ids of utterances"]}`, with `tenant` where it isn't `default`.
 */
import { readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'
import { checkedPlace } from '@loomlog/intake/utterance'
import { recall } from '@loomlog/recall/recall'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import { spaceKey } from '@loomlog/schemas/ids'

export interface Question {
  /** `tenant/space` */
  readonly space: string
  readonly question: string
  /** Ids of utterances. */
  readonly evidence: readonly string[]
}

export interface Score {
  readonly questions: number
  /** The share of the evidence that stands behind the first ten memories, on average over the questions. */
  readonly recallAt10: number
  /** The share of questions with any of their evidence there. */
  readonly hitAt10: number
}

const first = 10

/** @throws LoomlogError `input-invalid`, with the file and the line */
export function readQuestions(file: string): readonly Question[] {
  const lines = textOf(file).split('\n')
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [questionFrom(line, `${file}:${index + 1}`)]))
}

export async function scoreOf(questions: readonly Question[], options: RecallOptions): Promise<Score> {
  let found = 0
  let hits = 0
  for (const { space, question, evidence } of questions) {
    const { items } = await recall({ space, query: question, limit: first }, options)
    const sources = new Set(items.flatMap((item) => item.sources))
    const seen = evidence.filter((id) => sources.has(id)).length
    found += seen / evidence.length
    hits += seen > 0 ? 1 : 0
  }
  const all = Math.max(1, questions.length)
  return { questions: questions.length, recallAt10: found / all, hitAt10: hits / all }
}

function questionFrom(line: string, where: string): Question {
  const expected = 'expected {"space": …, "question": …, "evidence": [ids of utterances]}'
  let given: Partial<Record<'tenant' | 'space' | 'question' | 'evidence', unknown>>
  try {
    given = JSON.parse(line)
  } catch (cause) {
    throw new LoomlogError('input-invalid', `${where} is no JSON: ${expected}`, { cause })
  }
  const { tenant = 'default', space, question, evidence } = given
  const isEvidence = Array.isArray(evidence) && evidence.length > 0 && evidence.every((id) => typeof id === 'string')
  if (typeof tenant !== 'string' || typeof space !== 'string' || typeof question !== 'string' || !isEvidence)
    throw new LoomlogError('input-invalid', `${where}: ${expected}`)
  const place = checkedPlace({ tenant, space })
  return { space: spaceKey(place.tenant, place.space), question, evidence }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new LoomlogError('input-invalid', `--questions ${file} can't be read: ${(cause as Error).message}`, { cause })
  }
}
