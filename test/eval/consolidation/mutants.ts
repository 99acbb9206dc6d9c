/**
 * Faulty memories, made from the events of a good one: the checks must find each fault. And faulty plans of a model: the stage must still
 * derive a memory without a fault.
 */
import type { DerivedEvent } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { colourTexts, currentColour, goodPlan, labelOf, likingStatements, textOf } from './facts.ts'

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

type Plan = { readonly facts: readonly { readonly f: string; readonly same: readonly string[] }[] }
type Input = { readonly facts: readonly string[]; readonly entries: readonly string[] }

function changePlan(given: Json, change: (plan: Plan, input: Input) => object): Json {
  const plan = goodPlan(given) as unknown as Plan
  return { ...plan, ...change(plan, given as unknown as Input) } as Json
}

export const faultyPlans: { readonly [name: string]: (input: Json) => Json } = {
  'leaves out half of the facts': (given) =>
    changePlan(given, ({ facts }) => ({ facts: facts.filter((_, index) => index % 2 === 0) })),
  'merges every fact with all entries': (given) =>
    changePlan(given, ({ facts }, { entries }) => ({
      facts: facts.map((fact) => ({ ...fact, same: entries.map(labelOf) })),
    })),
  'merges people who like the same': (given) =>
    changePlan(given, ({ facts }, { facts: rows }) => {
      const liking = rows.find((row) => textOf(row) === likingStatements[0])
      const other = rows.find((row) => textOf(row) === likingStatements[1])
      const isOther = (f: string) => other !== undefined && labelOf(other) === f
      return { facts: facts.map((fact) => (isOther(fact.f) && liking ? { ...fact, same: [labelOf(liking)] } : fact)) }
    }),
  'names labels that do not exist': (given) =>
    changePlan(given, ({ facts }) => ({ facts: facts.map((fact) => ({ ...fact, d: 'd99', same: ['e98', 'f99'] })) })),
  'invents summaries': (given) =>
    changePlan(given, () => ({ summaries: [{ d: 'd1', summary: 'doors; Oscar paid 900 euros in Venice.' }] })),
}
