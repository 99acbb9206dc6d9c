/**
 * The rows in the inputs of asks: lines such as `u1 Ann: Hello.`, and events with their candidates, such as `e1 2026-03-01 Ann sailed. (m1
 * m2?)`. Also the rows of facts in answers.
 */
export type Line = { readonly label: string; readonly speaker: string; readonly text: string }

export function linesOf(input: string): readonly Line[] {
  return input.split('\n').flatMap((line) => {
    const [, label = '', speaker = '', text = ''] = /^(u\d+) (.*?): (.*)$/.exec(line) ?? []
    return label === '' ? [] : [{ label, speaker: speaker.replace(/ \(\w+\)$/, ''), text }]
  })
}

interface FactCells {
  readonly label: string
  readonly kind: 'event' | 'plan' | 'state'
  readonly keywords?: readonly string[]
  readonly subject: string
  readonly relation: string
  readonly object: string
}

/** A row of an answer with facts; its speaker is its only person. */
export function factRow({ label, kind, keywords = [], subject, relation, object }: FactCells, speaker: string): string {
  const cells = [label, kind, '', '', speaker, keywords.join(', '), subject, relation, object]
  return cells.map((cell) => cell.replaceAll(/[|\s]+/g, ' ').trim()).join(' | ')
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
