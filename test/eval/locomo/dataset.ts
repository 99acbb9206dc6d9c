/**
 * LoCoMo's questions with their gold evidence. An evidence id that consists of several ids is split, and leading zeros
 * are removed (D1:04 is D1:4). An id that then names no turn is counted as dropped, and a question without gold turns
 * is in no measure.
 */
import { readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'
import type { Dataset, Turn } from '../evidence/dataset.ts'

interface RawTurn {
  readonly dia_id: string
  readonly speaker: string
  readonly text: string
  readonly blip_caption?: string
}
interface RawSample {
  readonly sample_id: string
  readonly conversation: { readonly [key: string]: unknown }
  readonly qa: readonly {
    readonly question: string
    readonly answer?: unknown
    readonly adversarial_answer?: unknown
    readonly evidence?: readonly string[]
    readonly category: number
  }[]
}

export function readDataset(file: string): Dataset {
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!Array.isArray(read)) throw new LoomlogError('input-invalid', `${file}: expected a list of LoCoMo samples`)
  const raw: readonly RawSample[] = read
  const droppedIds: string[] = []
  const withoutGold: string[] = []
  const samples = raw.map((sample) => {
    const turns = turnsOf(sample)
    const known = new Set(turns.map(({ id }) => id))
    const questions = sample.qa.map((qa, index) => {
      const ids = (qa.evidence ?? []).flatMap(idsIn)
      const gold = [...new Set(ids.filter((id) => known.has(id)))]
      droppedIds.push(...ids.filter((id) => !known.has(id)).map((id) => `${sample.sample_id}: ${id}`))
      if (gold.length === 0) withoutGold.push(`${sample.sample_id}: ${qa.question}`)
      const answer = String(qa.answer ?? qa.adversarial_answer ?? '')
      return { sample: sample.sample_id, index, text: qa.question, answer, category: String(qa.category), gold }
    })
    return { id: sample.sample_id, turns, questions }
  })
  return { samples, droppedIds, withoutGold }
}

/** "D8:6; D9:17" is two ids. A text without an id ("D") stays, to be counted as dropped. */
function idsIn(evidence: string): readonly string[] {
  const ids = [...evidence.matchAll(/D:?(\d+):0*(\d+)/g)].map(([, session, turn]) => `D${session}:${turn}`)
  return ids.length > 0 ? ids : [evidence]
}

function turnsOf({ conversation }: RawSample): Turn[] {
  return Object.keys(conversation)
    .map((key) => Number(/^session_(\d+)$/.exec(key)?.[1] ?? Number.NaN))
    .filter((session) => !Number.isNaN(session))
    .sort((a, b) => a - b)
    .flatMap((session) => {
      const date = String(conversation[`session_${session}_date_time`] ?? '')
      const turns = conversation[`session_${session}`] as readonly RawTurn[]
      return turns.map(({ dia_id: id, speaker, text, blip_caption: caption }) => {
        return { id, session, date, speaker, words: caption ? `${text} [image: ${caption}]` : text, isPerson: true }
      })
    })
}
