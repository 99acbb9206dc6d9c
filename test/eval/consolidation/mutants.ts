/**
 * Faulty memories, made from the events of a good one: the checks must find each fault. And faulty plans of a model:
 * the stage must still derive a memory without a fault.
 */
import type { DerivedEvent } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import {
  colourTexts,
  currentColour,
  entriesIn,
  type FactPlan,
  goodPlans,
  type Input,
  likingStatements,
  written,
} from './facts.ts'

export const mutants: { readonly [name: string]: (events: readonly DerivedEvent[]) => readonly DerivedEvent[] } = {
  'drops an entry': (events) =>
    events.filter((event) => !(event.type === 'EntryWritten' && event.text.includes('number 150'))),
  'merges two people': (events) =>
    events.map((event) =>
      event.type === 'EntryWritten' && event.text === likingStatements[1]
        ? { ...event, text: likingStatements[0] ?? '' }
        : event,
    ),
  'keeps the old value': (events) => {
    const old = events.find((event) => event.type === 'EntryWritten' && event.text === colourTexts.at(-2))
    return events.filter((event) => !(event.type === 'EntryRetired' && event.entry === old?.id))
  },
  'forgets the history': (events) =>
    events.filter((event) => !(event.type === 'EntryWritten' && event.text === colourTexts[3])),
  'makes a guess a statement': (events) =>
    events.map((event) =>
      event.type === 'EntryWritten' && event.role === 'agent' ? { ...event, role: 'human' as const } : event,
    ),
  'ends the new value': (events) => {
    const current = events.find((event) => event.type === 'EntryWritten' && event.text === currentColour)
    return events.map((event) =>
      event.type === 'EntryRetired' && event.by === current?.id ? { ...event, entry: current?.id ?? '' } : event,
    )
  },
}

function changed(given: Json, change: (plan: FactPlan, input: Input) => FactPlan): Json {
  const input = given as unknown as Input
  return written(goodPlans(input).map((plan) => change(plan, input)))
}

export const faultyPlans: { readonly [name: string]: (input: Json) => Json } = {
  'leaves out half of the facts': (given) =>
    written(goodPlans(given as unknown as Input).filter((_, index) => index % 2 === 0)),
  'merges every fact with all entries': (given) =>
    changed(given, (plan, input) => ({ ...plan, same: entriesIn(input).map(({ label }) => label) })),
  'merges people who like the same': (given) =>
    changed(given, (plan, { facts }) => {
      const [liking, other] = likingStatements.map((text) => facts.find((fact) => fact.text === text)?.label)
      return plan.label === other && liking !== undefined ? { ...plan, same: [liking] } : plan
    }),
  'names labels that do not exist': (given) =>
    changed(given, (plan) => ({ ...plan, document: 'd99', same: ['e98', 'f99'] })),
  'adds rows that mean nothing': (given) =>
    written(goodPlans(given as unknown as Input), [
      'm e99 d1',
      't d77 Doors | doors',
      '? e98 f99',
      'r e99 A door.',
      'x',
    ]),
}
