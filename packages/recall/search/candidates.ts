/**
 * The utterances that may answer a question, with everything that speaks for them. They are found by their words and by their meaning, through
 * the facts and events that were made of them, and as neighbours of the best ones, which are read in full because what is
 * meant is often said a turn earlier. In the order of conversation and time, so that neighbours stand beside each other; after them what
 * nobody said, as a correction that adds or replaces a fact, each alone.
 */
import { byTime, type Kind, type Memory, memoryOf, payloadOf } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { type Stems, stemsOf } from '../text/stems.ts'
import { bestBySource, type Found, type PoolSearch, searchTable, sourcesOf } from './candidate-tables.ts'
import { memoryOfTail } from './log-tail.ts'
import { byIds, neighbours } from './neighbours.ts'
import { type Replaced, replacedAmong } from './replacements.ts'
import { cosinesOf, tailFor } from './tail-candidates.ts'

export interface Candidate {
  readonly memory: Memory
  readonly words: string
  readonly stems: Stems
  /** With the question, and with the question as a statement; as near as the last that was found, for those that weren't. */
  readonly cosines: readonly number[]
  /** The best of the facts that cite it, and of the events. */
  readonly factCosine: number
  readonly eventCosine: number
}

/** Utterances whose neighbours are read. */
const centres = 40
/** Utterances that only a fact or an event led to. */
const maxCited = 300
/** What no view has seen yet has no vector there; of so many, the newest, it is made at the time of the question. */
const maxTailEmbedded = 16

export interface Pool {
  readonly candidates: readonly Candidate[]
  readonly replaced: Replaced
  /** Records that stand in no view and were not looked at either. */
  readonly unsearched: number
}

export async function poolOf(search: PoolSearch, options: RecallOptions): Promise<Pool> {
  // The tail first: what it lacks because the view has it by now is then found there.
  const { said: tail, unsearched } = await tailFor(search, options)
  const [said, nearFacts, events] = await Promise.all([
    searchTable('utterances', search, options),
    searchTable('facts', search, options),
    searchTable('events', search, options),
  ])
  const replaced = await replacedAmong(nearFacts, search, options)
  const instead = [...replaced.values()].flat()
  // A correction may be far from the question, which is near what it corrects.
  const corrected = await byIds(
    'facts',
    instead.filter((id) => !nearFacts.rows.has(id)),
    search,
    options,
  )
  const facts = { ...nearFacts, rows: new Map([...nearFacts.rows, ...corrected.map((row) => [row.id, row] as const)]) }
  const proxies = {
    shares: bestBySource(facts.rows, facts.shares),
    facts: bestBySource(facts.rows, facts.cosines[0]),
    events: bestBySource(events.rows, events.cosines[0]),
  }
  const sources = [facts, events].flatMap(({ rows }) => [...rows.values()].flatMap(sourcesOf))
  const corrections = [...facts.rows.values()].filter((row) => payloadOf(row).correction !== undefined)
  const cited = [...new Set([...instead, ...corrections.flatMap(sourcesOf), ...sources])]
    .filter((id) => !said.rows.has(id))
    .slice(0, maxCited)
  const promising = (id: string) =>
    (said.shares.get(id) ?? 0) + (said.cosines[0]?.get(id) ?? 0) + (proxies.shares.get(id) ?? 0)
  const best = [...said.rows.values()].sort((a, b) => promising(b.id) - promising(a.id)).slice(0, centres)
  const more = await Promise.all([byIds('utterances', cited, search, options), neighbours(best, search, options)])
  const rows = new Map([...said.rows.values(), ...more.flat()].map((row) => [row.id, row]))
  const floors = said.cosines.map((cosines) => Math.min(...cosines.values(), 1))
  const inView = [...rows.values()].map((row) => memoryOf('utterance', row))
  const inTail = tail.filter(({ event }) => !rows.has(event.id)).map(memoryOfTail)
  const tailCosines = await cosinesOf(inTail.slice(-maxTailEmbedded), search, options)
  const candidates = [...inView, ...inTail].sort(inOrder).map((memory) => {
    const { id, text, speaker } = memory
    const words = text.startsWith(`${speaker}: `) ? text.slice(speaker.length + 2) : text
    return {
      memory,
      words,
      stems: stemsOf(words),
      cosines: said.cosines.map((cosines, at) => cosines.get(id) ?? tailCosines.get(id)?.[at] ?? floors[at] ?? 0),
      // What no processor has seen yet speaks for itself.
      factCosine: tailCosines.get(id)?.[0] ?? proxies.facts.get(id) ?? 0,
      eventCosine: tailCosines.get(id)?.[0] ?? proxies.events.get(id) ?? 0,
    }
  })
  const known = new Set(candidates.map(({ memory }) => memory.id))
  const notThere = new Set(cited.filter((id) => !known.has(id)))
  const alone = [...unsaid('fact', facts, notThere, floors), ...unsaid('event', events, notThere, floors)]
  return { candidates: [...candidates, ...alone], replaced, unsearched }
}

/**
 * What was found without any of the utterances that it goes back to: it speaks for itself, by the same measures as what was said. By meaning
 * alone only what a correction states, which nobody said: it may share no word with the question, nor with what it corrects.
 */
function unsaid(
  kind: Kind,
  { rows, shares, cosines }: Found,
  notThere: ReadonlySet<string>,
  floors: readonly number[],
): readonly Candidate[] {
  return [...rows.values()]
    .filter((row) => shares.has(row.id) || payloadOf(row).correction !== undefined)
    .filter((row) => sourcesOf(row).every((id) => notThere.has(id)))
    .map((row) => {
      const memory = memoryOf(kind, row)
      const own = floors.map((floor, at) => (cosines[at] ?? cosines[0])?.get(row.id) ?? floor)
      return {
        memory,
        words: memory.text,
        stems: stemsOf(memory.text),
        cosines: own,
        factCosine: own[0] ?? 0,
        eventCosine: own[0] ?? 0,
      }
    })
}

function inOrder(a: Memory, b: Memory): number {
  if (a.conversation !== b.conversation) return a.conversation < b.conversation ? -1 : 1
  return byTime(a, b)
}
