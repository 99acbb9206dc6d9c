/**
 * The fake model's answers in this measurement. They depend only on the content of each ask, so the same content has
 * the same answer. A quarter of the lines in question begin a box; about half of all lines give a fact. A fact goes
 * into a document with one of its words, and joins a sixth of its candidate traces. A quarter of the facts mention the
 * first line of their ask, so a moved boundary rewords them. The answers say nothing about quality.
 *
 * A prompt with a `BoundaryMove` changes about half of these shifts: those boxes begin one line later, or not at all,
 * or as many new boxes begin. Rules and silences end boxes, too; the measurement reports the share of all boundaries
 * that moved.
 */
import type { FakeRequest } from '@loomlog/models/fake-endpoint'
import { hash, type Json } from '@loomlog/schemas/ids'
import { type Batch, batchIn, eventsInAsk, factRow, type Line, linesOf } from './lines.ts'

export interface BoundaryMove {
  readonly way: 'later' | 'gone' | 'more'
  /** Selects the shifts. */
  readonly seed: number
}

export function sentenceOf({ way, seed }: BoundaryMove): string {
  return `boundaries stand elsewhere: ${way} ${seed}`
}

function moveIn(prompt: string): BoundaryMove | null {
  const [, way, seed] = /boundaries stand elsewhere: (later|gone|more) (\d+)/.exec(prompt) ?? []
  return way === undefined ? null : { way: way as BoundaryMove['way'], seed: Number(seed) }
}

export function answerFor(request: FakeRequest): Json {
  switch (request.schemaName) {
    case 'find-shifts':
      return { new: openings(String(request.input), moveIn(request.prompt)) }
    case 'extract-facts':
      return { rows: factsOf(linesOf(String(request.input))) }
    case 'verify-links':
      return { links: linksFor(String(request.input)) }
    case 'consolidate-batch':
      return planFor(batchIn(String(request.input)))
    default:
      throw new Error(`the fake model has no answer for ${request.schemaName}`)
  }
}

/** The numbered rows that open a box, each with a topic. */
function openings(text: string, move: BoundaryMove | null): readonly string[] {
  const rows = text.split('\n').map((row) => /^(?<number>\d*) ?(?<line>.*)$/.exec(row)?.groups ?? {})
  return rows.flatMap(({ number = '', line = '' }, at) => {
    if (number === '' || !begins(line, rows[at - 1]?.line ?? null, move)) return []
    return [`${number} ${telling(line, 4).join(' ') || 'Small talk'}; ${telling(line, 3).join(', ')}`]
  })
}

function begins(line: string, before: string | null, move: BoundaryMove | null): boolean {
  const began = isBoundary(line)
  if (move === null) return began
  // There are three times as many lines that begin no box.
  if (move.way === 'more') return began || chance(['more', move.seed, line], 300) < movedPercent
  if (began && moves(line, move)) return false
  return began || (move.way === 'later' && before !== null && isBoundary(before) && moves(before, move))
}

/**
 * The share of the model's boundaries that moves. It is 11 % of all boundaries: the rules decide the others, which
 * don't move.
 */
const movedPercent = 46
const isBoundary = (line: string) => chance(['boundary', line], 4) === 0
const moves = (line: string, { seed }: BoundaryMove) => chance(['moves', seed, line], 100) < movedPercent

function factsOf(lines: readonly Line[]): readonly string[] {
  return lines
    .filter(({ text }) => chance(text, 2) === 0)
    .map(({ label, speaker, text }) => {
      const rest = `said${context(text, lines)} that ${text}`.slice(0, 500)
      return factRow({ label, kind: 'event', subject: speaker, rest })
    })
}

/** Links to a sixth of the candidates. Each is judged by its own last text, independently of the others. */
function linksFor(input: string): readonly string[] {
  const { events, texts } = eventsInAsk(input)
  const lastOf = (label: string) => texts.get(label)?.split(' / ').at(-1) ?? ''
  return events.flatMap(({ label, text, candidates }) => {
    const own = candidates.filter((each) => chance(['belongs', text, lastOf(each)], 6) === 0)
    return own.map((candidate) => `${label} ${candidate}`)
  })
}

/** Words from the surrounding lines, as a model would use them. */
function context(text: string, lines: readonly Line[]): string {
  const [about] = telling(lines[0]?.text ?? '', 1)
  return about !== undefined && chance(['context', text], 4) === 0 ? ` of ${about}` : ''
}

/** Each fact goes into the first document that shares a long word with it, or opens one. */
function planFor({ facts, documents }: Batch): Json {
  const topics = documents.map(({ label, text }) => ({ d: label, words: telling(text, 40) }))
  let opened = 0
  const rows = facts.flatMap(({ label, text }) => {
    const words = telling(text, 6)
    const known = topics.find((topic) => words.some((word) => topic.words.includes(word)))
    if (known) return [known.d, `${label} Told+`]
    const d = `n${++opened}`
    topics.push({ d, words })
    const title = words.slice(0, 3).join(', ') || 'Notes'
    return [`${d} ${title} | ${words.join(' ')}`, `${label} Told+`]
  })
  return { rows }
}

/** The longest words of a text, each once. */
function telling(text: string, count: number): readonly string[] {
  const words = new Set(text.toLowerCase().match(/[a-z]{5,40}/g) ?? [])
  return [...words].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, count)
}

function chance(of: Json, sides: number): number {
  return Number.parseInt(hash(of).slice(0, 8), 16) % sides
}
