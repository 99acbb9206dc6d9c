/**
 * Questions with known evidence, and the share of this evidence that recall finds. A file has one question a line:
 * `{"space": "team", "question": "Where does Maya live?", "evidence": ["ids of utterances"]}`, with `tenant` if it
 * isn't `default`.
 */
import { readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'
import { checkedAddress } from '@loomlog/intake/utterance'
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
  /** The share of a question's evidence among the sources of the first ten memories, averaged over the questions. */
  readonly recallAt10: number
  /** The share of questions with any of their evidence among these sources. */
  readonly hitAt10: number
}

const maxMemories = 10

/** @throws LoomlogError `input-invalid`, with the file and the line */
export function readQuestions(file: string): readonly Question[] {
  const lines = textOf(file).split('\n')
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [questionFrom(line, `${file}:${index + 1}`)]))
}

export async function scoreOf(questions: readonly Question[], options: RecallOptions): Promise<Score> {
  let found = 0
  let hits = 0
  for (const { space, question, evidence } of questions) {
    const { items } = await recall({ space, query: question, limit: maxMemories }, options)
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
  let parsed: Partial<Record<'tenant' | 'space' | 'question' | 'evidence', unknown>> | null
  try {
    parsed = JSON.parse(line)
  } catch (cause) {
    throw new LoomlogError('input-invalid', `${where} is no JSON: ${expected}`, { cause })
  }
  const { tenant = 'default', space, question, evidence } = parsed ?? {}
  const isEvidence = Array.isArray(evidence) && evidence.length > 0 && evidence.every((id) => typeof id === 'string')
  if (typeof tenant !== 'string' || typeof space !== 'string' || typeof question !== 'string' || !isEvidence)
    throw new LoomlogError('input-invalid', `${where}: ${expected}`)
  const place = checkedAddress({ tenant, space })
  return { space: spaceKey(place.tenant, place.space), question, evidence }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new LoomlogError('input-invalid', `--questions ${file} can't be read: ${(cause as Error).message}`, { cause })
  }
}
