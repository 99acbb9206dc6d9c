/**
 * The answers of the fake model in the pipeline's tests: invented and deterministic, with valid labels, so that every stage has work. They
 * say nothing about quality.
 */
import type { FakeRequest } from '@loomlog/models/fake-endpoint'
import { hash, type Json } from '@loomlog/schemas/ids'
import { factRow, firstLinks, type Line, linesOf } from '../eval/rederive/lines.ts'

type Input = {
  /** Rows of a batch, each with its label first. */
  readonly facts: readonly string[]
  readonly documents: readonly string[]
}

export function fakeModelAnswer(request: FakeRequest): Json {
  const input = request.input as unknown as Input
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
      return planFor(input)
    default:
      throw new Error(`the fake model has no answer for ${request.schemaName}`)
  }
}

/** A third of the facts open the batch's new document; the others join the first document in the offer. */
function planFor({ facts, documents }: Input): Json {
  const known = documents.find((row) => row.startsWith('d1 ')) ? 'd1' : 'n1'
  const placed = facts.map((row) => ({
    f: row.split(' ')[0] ?? '',
    d: chance(row, 3) === 0 ? 'n1' : known,
    ...{ heading: 'Told', same: [], ends: [] },
  }))
  const summaries = [{ d: known, summary: `${facts.length} notes more` }]
  return { facts: placed, titles: [{ d: 'n1', title: 'Notes' }], summaries }
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
