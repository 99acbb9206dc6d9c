/**
 * The answers of the fake model in the pipeline's tests: invented and deterministic, with valid labels, so that every
 * stage has work. They say nothing about quality.
 */
import type { FakeRequest } from '@loomlog/models/fake-endpoint'
import { hash, type Json } from '@loomlog/schemas/ids'
import { type Batch, batchIn, factRow, firstLinks, type Line, linesOf } from '../eval/rederive/lines.ts'

export function fakeModelAnswer(request: FakeRequest): Json {
  switch (request.schemaName) {
    case 'find-shifts':
      return { new: openings(String(request.input)) }
    case 'extract-facts':
      return {
        rows: linesOf(String(request.input))
          .filter((line) => chance(line.text, 2) === 0)
          .map(fact),
      }
    case 'verify-links':
      return { links: firstLinks(String(request.input)) }
    case 'consolidate-batch':
      return planFor(batchIn(String(request.input)))
    default:
      throw new Error(`the fake model has no answer for ${request.schemaName}`)
  }
}

/** A third of the facts open the batch's new document; the others join the first document in the offer. */
function planFor({ facts, documents }: Batch): Json {
  const known = documents[0]?.label ?? 'n1'
  const rows = facts.flatMap(({ label, text }) => [chance(text, 3) === 0 ? 'n1' : known, `${label} Words+`])
  return { rows: ['n1 Notes | statements', ...rows] }
}

function openings(text: string): readonly string[] {
  const rows = text.split('\n').filter((row) => /^\d/.test(row) && chance(row, 2) === 0)
  return rows.map((row) => `${row.split(' ')[0]} A talk of ${row.length} letters; talk`)
}

function fact({ label, speaker, text }: Line): string {
  const kind = chance(text, 3) === 0 ? 'event' : 'state'
  return factRow({ label, kind, subject: speaker, rest: `told: ${text}` })
}

function chance(of: Json, sides: number): number {
  return Number.parseInt(hash(of).slice(0, 8), 16) % sides
}
