/**
 * The rows in the inputs of asks: lines such as `1 Ann: Hello.`, and events with their candidates, such as `e1
 * 2026-03-01 Ann sailed. (m1 m2?)`. Also the rows of facts in answers.
 */
export type Line = { readonly label: string; readonly speaker: string; readonly text: string }

export function linesOf(input: string): readonly Line[] {
  return input.split('\n').flatMap((line) => {
    const [, label = '', speaker = '', text = ''] = /^(\d+) (.*?): (.*)$/.exec(line) ?? []
    return label === '' ? [] : [{ label, speaker: speaker.replace(/ \(\w+\)$/, ''), text }]
  })
}

export interface Batch {
  readonly documents: readonly { readonly label: string; readonly text: string }[]
  readonly facts: readonly { readonly label: string; readonly text: string }[]
}

/** The documents and the facts in the ask for a plan, without the shown entries. */
export function batchIn(input: string): Batch {
  const rows = input.split('\n').map((row) => /^(?<label>[df]\d+) (?<text>.*)$/.exec(row)?.groups ?? {})
  const labelled = (letter: string) =>
    rows.flatMap(({ label = '', text = '' }) => (label.startsWith(letter) ? [{ label, text }] : []))
  return { documents: labelled('d'), facts: labelled('f') }
}

interface FactCells {
  readonly label: string
  readonly kind: 'event' | 'plan' | 'state'
  readonly subject: string
  /** The rest of the sentence. */
  readonly rest: string
}

/** A row of an answer with facts. */
export function factRow({ label, kind, subject, rest }: FactCells): string {
  return `${label} ${kind} - ${subject.replaceAll(/[|\s]+/g, ' ').trim()} | ${rest.replaceAll(/\s+/g, ' ').trim()}`
}

interface AskedEvent {
  readonly label: string
  readonly text: string
  readonly candidates: readonly string[]
}

/** The events of an ask about links, and the text of every label. */
export function eventsInAsk(input: string) {
  const rows = input
    .split('\n')
    .map((row) => /^(?<label>[em]\d+) (?<text>.*?)(?: \((?<of>[em\d ]+)\?\))?$/.exec(row)?.groups ?? {})
  const texts = new Map(rows.map(({ label = '', text = '' }) => [label, text]))
  const events = rows.flatMap(({ label = '', text = '', of }): AskedEvent[] =>
    of === undefined ? [] : [{ label, text, candidates: of.split(' ') }],
  )
  return { events, texts }
}

/** Links every event with its first candidate. */
export function firstLinks(input: string): readonly string[] {
  return eventsInAsk(input).events.map(({ label, candidates: [first = ''] }) => `${label} ${first}`)
}
