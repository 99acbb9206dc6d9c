/**
 * The rows of a plan, read from text:
 *
 *   n1 Maya's home | where she lives, repairs    the document of the rows below; d2 is one that was shown
 *   f4 Home -e7,f2 =e9                           a fact, its heading, the entries it ends, those it repeats
 *   f5 Likes+ ~food,menu                         several may hold under the heading; words with which one may look for
 *   it r e7 Ben has a cat.                          the part of an ended entry, or fact, that still holds
 *   m e7 d4 Home    t d3 Title | holds    ? f5 e9
 *
 * A row that can't be read is counted and left out; the schema lets an endpoint enforce the form.
 */

/** llama.cpp's server refuses patterns without both anchors or with `\d`. */
export const rowPattern = '^([dnf][0-9]+|m e[0-9]+|t [dn][0-9]+|[r?] [ef][0-9]+)( [^|]*([|][^|]*)?)?$'

/** The most characters of a heading, a title, the kinds of things in a document, and the rest of an entry. */
const maxHeading = 60
const maxTitle = 120
const maxHolds = 160
const maxRest = 600
/** The most words with which one may look for what stands under a heading, and the most characters of each. */
export const maxAskedAs = 8
const maxAsked = 40

export interface PlannedFact {
  readonly label: string
  /** The label of its document; null: no document row comes before it. */
  readonly document: string | null
  readonly heading: string
  readonly isOneOfSeveral: boolean
  readonly askedAs: readonly string[]
  readonly same: readonly string[]
  readonly ends: readonly string[]
}

export interface PlannedTitle {
  readonly title: string
  readonly holds: string
}

export interface PlanRows {
  /** By label, in the order of the rows. */
  readonly facts: ReadonlyMap<string, PlannedFact>
  /** New documents by label. */
  readonly opens: ReadonlyMap<string, PlannedTitle>
  readonly retitles: ReadonlyMap<string, PlannedTitle>
  readonly moves: readonly { readonly entry: string; readonly document: string; readonly heading: string }[]
  readonly rests: readonly { readonly entry: string; readonly text: string }[]
  readonly contradictions: readonly (readonly string[])[]
  /** Rows that can't be read. */
  readonly unread: number
}

const forms = {
  document: /^(?<label>[dn]\d+)(?: (?<words>.*))?$/,
  fact: /^(?<label>f\d+)(?: (?<words>.*))?$/,
  move: /^m (?<label>e\d+) (?<document>[dn]\d+)(?: (?<words>.*))?$/,
  retitle: /^t (?<label>[dn]\d+) (?<words>.+)$/,
  rest: /^r (?<label>[ef]\d+) (?<words>.+)$/,
  contradiction: /^\? (?<words>[ef]\d+(?:[ ,]+[ef]\d+)+)$/,
} as const

export function readPlan(rows: readonly string[]): PlanRows {
  const found = {
    facts: new Map<string, PlannedFact>(),
    opens: new Map<string, PlannedTitle>(),
    retitles: new Map<string, PlannedTitle>(),
    moves: [],
    rests: [],
    contradictions: [],
    unread: 0,
    document: null,
  }
  for (const row of rows) readRow(found, tidy(row))
  return found
}

/** The rows so far, and the document of the next fact. */
interface Reading {
  readonly facts: Map<string, PlannedFact>
  readonly opens: Map<string, PlannedTitle>
  readonly retitles: Map<string, PlannedTitle>
  readonly moves: PlanRows['moves'][number][]
  readonly rests: PlanRows['rests'][number][]
  readonly contradictions: (readonly string[])[]
  unread: number
  document: string | null
}

function readRow(found: Reading, row: string): void {
  const form = (Object.keys(forms) as (keyof typeof forms)[]).find((name) => forms[name].test(row))
  const { label = '', words = '', ...rest } = (form && forms[form].exec(row)?.groups) || {}
  switch (form) {
    case 'fact':
      if (found.facts.has(label)) found.unread++
      else found.facts.set(label, plannedFact(label, words, found.document))
      break
    case 'document':
      found.document = label
      if (label.startsWith('n') && words !== '' && !found.opens.has(label)) found.opens.set(label, titleOf(words))
      break
    case 'move':
      found.moves.push({ entry: label, document: rest['document'] ?? '', heading: words })
      break
    case 'retitle':
      found.retitles.set(label, titleOf(words))
      break
    case 'rest':
      found.rests.push({ entry: label, text: cut(words, maxRest) })
      break
    case 'contradiction':
      found.contradictions.push(words.split(/[ ,]+/))
      break
    default:
      found.unread++
  }
}

/** ` -e7,f2` and ` =e9`, before or after the words with which one may look for it. */
const mark = /(?<!\p{L})[-=] ?[ef]\d+(?: ?, ?[ef]\d+)*/gu

function plannedFact(label: string, words: string, document: string | null): PlannedFact {
  const written = ` ${words}`
  const marks = (written.match(mark) ?? []).map(tidy)
  const labels = (sign: string) =>
    marks.filter((each) => each.startsWith(sign)).flatMap((each) => each.match(/[ef]\d+/g) ?? [])
  return { label, document, ...headingIn(tidy(written.replaceAll(mark, ''))), same: labels('='), ends: labels('-') }
}

/** `Likes+ ~food,menu`: several may hold under it; words with which one may look for it. */
export function headingIn(written: string): Pick<PlannedFact, 'heading' | 'isOneOfSeveral' | 'askedAs'> {
  const [named = '', asked = ''] = written.split('~')
  const heading = cut(withoutMarks(named), maxHeading)
  const words = asked.split(',').map(tidy)
  return {
    heading,
    isOneOfSeveral: heading === '' || /\+\s*$/.test(named),
    askedAs: words
      .filter((each) => each !== '')
      .slice(0, maxAskedAs)
      .map((each) => cut(each, maxAsked)),
  }
}

/** Without the `+` and white space at the end; a regular expression would take quadratic time. */
function withoutMarks(text: string): string {
  let end = text.length
  while (/[+\s]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

function titleOf(words: string): PlannedTitle {
  const [title = '', holds = ''] = words.split('|').map(tidy)
  return { title: cut(title, maxTitle), holds: cut(holds, maxHolds) }
}

/** Cuts at the end of a word. */
function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .replace(/\s+\S*$/, '')
        .toWellFormed()}…`
}

function tidy(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
