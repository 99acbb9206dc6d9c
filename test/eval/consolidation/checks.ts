/** Finds the faults of a consolidated memory from its events alone. */
import type { BatchConsolidated, DerivedEvent, EntryWritten, FactRecorded } from '@loomlog/schemas/events'
import { colourTexts, currentColour, factHistory, homeStatements, likingStatements } from './facts.ts'

export function faultsOf(events: readonly DerivedEvent[]): readonly string[] {
  const memory = memoryFrom(events)
  return [...lost(memory), ...wrongDoor(memory), ...wrongHome(memory), ...mixedSpeakers(memory), ...batchFaults(events)]
}

interface Memory {
  readonly written: readonly EntryWritten[]
  readonly current: readonly EntryWritten[]
}

function memoryFrom(events: readonly DerivedEvent[]): Memory {
  const written = events.filter((event) => event.type === 'EntryWritten')
  const over = new Set(events.flatMap((event) => (event.type === 'EntryRetired' ? [event.entry] : [])))
  return { written, current: written.filter(({ id }) => !over.has(id)) }
}

/**
 * Facts that no current entry cites and repeats word for word; without the door's colours and the homes, which change.
 */
function lost({ current }: Memory): readonly string[] {
  const facts = factHistory().filter((event): event is FactRecorded & { seq: number } => event.type === 'FactRecorded')
  return facts
    .filter(({ text }) => !isChanging(text))
    .filter(({ id, text }) => !current.some((entry) => entry.facts.includes(id) && entry.text === text))
    .map(({ text }) => `lost: ${text}`)
}

function isChanging(text: string): boolean {
  return colourTexts.includes(text) || Object.values(homeStatements).includes(text)
}

function wrongDoor({ written, current }: Memory): readonly string[] {
  const held = current
    .filter(({ kind, text }) => kind === 'topic' && colourTexts.includes(text))
    .map(({ text }) => text)
  const isRight = held.length === 1 && held[0] === currentColour
  const missing = colourTexts.filter((colour) => !written.some(({ text }) => text === colour))
  return [
    ...(isRight ? [] : [`the door is held to be: ${held.join(' ') || 'nothing'}`]),
    ...missing.map((text) => `not in the history: ${text}`),
  ]
}

function wrongHome({ current }: Memory): readonly string[] {
  const held = current.filter(({ kind, role }) => kind === 'topic' && role === 'human').map(({ text }) => text)
  const stale = held.includes(homeStatements.earlier) ? [`still held: ${homeStatements.earlier}`] : []
  return held.includes(homeStatements.later) ? stale : [...stale, `not held: ${homeStatements.later}`]
}

/**
 * Finds an agent's guess that passes for a person's statement, is in a profile or is lost; and facts of two people
 * merged or lost.
 */
function mixedSpeakers({ written, current }: Memory): readonly string[] {
  const guesses = written.filter(({ text }) => text === homeStatements.guess)
  const posing = guesses.filter(({ role, kind }) => role !== 'agent' || kind === 'profile')
  const merged = current.filter(({ facts, kind }) => kind === 'topic' && facts.length > 1)
  return [
    ...posing.map(({ text }) => `an agent's guess passes for a person's statement: ${text}`),
    ...(guesses.length === 0 ? [`lost: ${homeStatements.guess}`] : []),
    ...likingStatements
      .filter((text) => !current.some((entry) => entry.text === text))
      .map((text) => `not held: ${text}`),
    ...merged.map(({ text }) => `several facts in one entry: ${text}`),
  ]
}

/** Finds facts that the events of the batches name never or twice, and facts that they report as lost. */
function batchFaults(events: readonly DerivedEvent[]): readonly string[] {
  const batches = events.filter((event): event is BatchConsolidated => event.type === 'BatchConsolidated')
  const named = batches.flatMap(({ facts }) => facts).toSorted()
  const given = factHistory()
    .flatMap((event) => (event.type === 'FactRecorded' ? [event.id] : []))
    .toSorted()
  const losses = batches.flatMap((batch) => batch.lost.map((id) => `reported as lost: ${id}`))
  return [...(named.join() === given.join() ? [] : ['the batches do not name every fact once']), ...losses]
}
