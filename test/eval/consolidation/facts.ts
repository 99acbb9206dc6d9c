/**
 * The facts of 30 sessions: ten colours of a door in turn, a home that two speakers contradict each other about, an
 * agent's guess, the same preference of two people, and 200 other facts; and a fake model that consolidates them
 * without a fault.
 */
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { FactRecorded, WindowExtracted } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'

const sessions = 30
const changes = 10
const others = 200

const place = { tenant: 'eval', space: 'consolidation' }
const dayMs = 86_400_000
const firstAt = Date.UTC(2024, 0, 1)
const colours = ['red', 'blue', 'green', 'amber', 'violet', 'white', 'black', 'orange', 'brown', 'silver']

type Statement = Pick<FactRecorded, 'subject' | 'relation' | 'object'> & Partial<Pick<FactRecorded, 'speaker' | 'role'>>

export const currentColour = `Maya's door is ${colours.at(-1)}.`
export const colourTexts = colours.map((colour) => `Maya's door is ${colour}.`)
export const homeStatements = {
  earlier: 'Maya lives in Braga.',
  later: 'Maya lives in Porto.',
  guess: 'Maya lives in Rome.',
}
export const likingStatements = ['Maya likes green tea.', 'Ben likes green tea.']

/** The facts of each session in order, then the end of its window. */
export function factHistory(): readonly (SequencedEvent<FactRecorded> | SequencedEvent<WindowExtracted>)[] {
  return Array.from({ length: sessions }, (_, session) => {
    const said = saidIn(session).map((each, index) => factOf(each, session, index))
    return [...said, windowOf(session, said.length)]
  }).flat()
}

function saidIn(session: number): readonly Statement[] {
  const said: Statement[] = []
  const every = sessions / changes
  if (session % every === 0)
    said.push({ subject: "Maya's door", relation: 'is', object: colours[session / every] ?? '' })
  if (session === 2) said.push({ subject: 'Maya', relation: 'lives in', object: 'Braga', speaker: 'Ben' })
  if (session === 8) said.push({ subject: 'Maya', relation: 'lives in', object: 'Porto' })
  if (session === 20)
    said.push({ subject: 'Maya', relation: 'lives in', object: 'Rome', speaker: 'Scout', role: 'agent' })
  if (session === 5)
    for (const subject of ['Maya', 'Ben']) said.push({ subject, relation: 'likes', object: 'green tea' })
  for (let n = session; n < others; n += sessions) said.push(other(n))
  return said
}

const people = ['Maya', 'Ben', 'Ana']
const things = ['guitar', 'kiln', 'canoe', 'telescope', 'loom', 'bicycle', 'camera', 'piano', 'tent', 'sled']

function other(n: number): Statement {
  const subject = people[n % people.length] ?? ''
  return { subject, relation: 'repaired', object: `${things[n % things.length]} number ${n + 100} for Customer${n}` }
}

function factOf(said: Statement, session: number, index: number): SequencedEvent<FactRecorded> {
  const { subject, relation, object, speaker = subject.replace(/'s.*/, ''), role = 'human' } = said
  const text = `${subject} ${relation} ${object}.`
  const id = `s${session}-${index}`
  const lineage = { derivation: 'facts', method: 'eval', causes: [`u-${id}`], completions: [] }
  const at = firstAt + session * 7 * dayMs + index * 60_000
  return {
    type: 'FactRecorded',
    id,
    ...place,
    seq: session * 100 + index,
    ordinal: 0,
    knownAt: at,
    lineage,
    keyId: null,
    box: `box-${session}`,
    conversation: `session-${session}`,
    text,
    kind: 'state',
    subject,
    relation,
    object,
    speaker,
    role,
    saidAt: at,
    when: null,
    location: null,
    persons: [speaker],
    entities: [],
    until: null,
    isChange: false,
    isInstruction: false,
    keywords: object.split(' ').slice(0, 1),
    sources: [`u-${id}`],
    inferred: [],
    correction: null,
  }
}

function windowOf(session: number, facts: number): SequencedEvent<WindowExtracted> {
  const lineage = { derivation: 'facts', method: 'eval', causes: [], completions: [] }
  const whole = {
    boxes: [`box-${session}`],
    utterances: facts,
    facts,
    cut: 'pause' as const,
    closedBy: 'pause' as const,
    topics: [],
    keyId: null,
  }
  const envelope = { id: `w${session}`, ...place, seq: session * 100 + 99, ordinal: 0, knownAt: 0, lineage }
  return { type: 'WindowExtracted', ...envelope, conversation: `session-${session}`, ...whole }
}

interface Row {
  readonly label: string
  readonly text: string
}

export interface Input {
  readonly documents: readonly { readonly label: string; readonly entries: readonly Row[] }[]
  readonly facts: readonly Row[]
}

export interface FactPlan {
  readonly label: string
  readonly document: string
  readonly same: readonly string[]
  readonly ends: readonly string[]
}

export function goodPlan(given: Json): Json {
  return written(goodPlans(given as unknown as Input))
}

/**
 * A plan that ends the older value of the door and of the home. All facts go into the first document of the input, or
 * into a new one.
 */
export function goodPlans(input: Input): readonly FactPlan[] {
  const rows = [...entriesIn(input), ...input.facts]
  const single = /^(Maya's door is|Maya lives in) /
  return input.facts.map((fact) => {
    const matter = single.exec(fact.text)?.[1]
    const before = rows.slice(0, rows.indexOf(fact))
    const ends = before.filter(({ text }) => matter !== undefined && single.exec(text)?.[1] === matter)
    const document = input.documents[0]?.label ?? 'n1'
    return { label: fact.label, document, same: [], ends: ends.map(({ label }) => label) }
  })
}

/** The rows of an answer. */
export function written(plans: readonly FactPlan[], rest: readonly string[] = []): Json {
  const rows = plans.flatMap(({ label, document, same, ends }) => {
    const marks = [...ends.map((each) => ` -${each}`), ...same.map((each) => ` =${each}`)]
    return [document === 'n1' ? 'n1 Notes | repairs, doors, homes' : document, `${label} Notes+${marks.join('')}`]
  })
  return { rows: [...rows, ...rest] }
}

export function entriesIn({ documents }: Input): readonly Row[] {
  return documents.flatMap(({ entries }) => entries)
}
