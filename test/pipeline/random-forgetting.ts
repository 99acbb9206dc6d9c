/**
 * Random histories of several spaces for tests of forgetting: utterances, pauses, corrections, retractions, and
 * forgettings of random selections. Every choice follows from the seed.
 */
import { correctionsFor } from '@loomlog/corrections/correct'
import { planRetraction } from '@loomlog/corrections/retraction'
import { rewriteSpace } from '@loomlog/forgetting/rewrite'
import type { Selection } from '@loomlog/forgetting/selection'
import { readEras } from '@loomlog/forgetting/space-history'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import type { SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { current } from '@loomlog/views/row'
import { facts } from '@loomlog/views/tables/facts'
import { withReading } from '../../packages/app/generations/live.ts'
import { append, demoEvents } from './forgetting-fixture.ts'

export type Chance = (below: number) => number

/** In two partitions. */
export const places = ['home', 'work', 'away'].map((space) => ({ tenant: 'acme', space }))

const anyTime = { from: null, to: null, appendedBefore: null }
const everyone = { utterances: null, speaker: null, conversation: null, ...anyTime, everything: false }

export class RandomHistory {
  readonly #chance: Chance
  /** By space: the events that are not appended yet. */
  readonly #rest = new Map<string, SourceEvent[]>()
  #forgettings = 0

  private constructor(chance: Chance) {
    this.#chance = chance
  }

  static async of(chance: Chance): Promise<RandomHistory> {
    const history = new RandomHistory(chance)
    for (const place of places) {
      const events = (await demoEvents(place)).filter(() => chance(3) > 0)
      history.#rest.set(spaceKey(place.tenant, place.space), [...events])
    }
    return history
  }

  /** The next utterances and pauses of each space, in small appends that take turns. */
  async appendSome(host: Host): Promise<void> {
    for (let turn = 0; turn < 6; turn += 1) {
      const { tenant, space } = this.#one(places)
      await append(host, this.#rest.get(spaceKey(tenant, space))?.splice(0, 1 + this.#chance(10)) ?? [])
    }
  }

  /** Corrections of facts and a retraction of an utterance. The views have all events. */
  async correctSome(host: Host): Promise<void> {
    for (const place of places) {
      const origin = { place: { ...place, principal: null }, by: 'Ines', role: 'human', reason: null } as const
      const events = await withReading(host, place.tenant, async ({ views }) => {
        const found = await views.scan(facts, { space: spaceKey(place.tenant, place.space), limit: 99, where: current })
        const target = found.length === 0 ? null : this.#one(found)
        const { id = null } = this.#one(await this.#utterances(host, place)) ?? {}
        const action = this.#one(['retract', 'pin', 'replace'] as const)
        const asked = { ...origin, at: Date.UTC(2026, 5, 2), action, text: 'Tomas bought a red bicycle.' }
        const corrections = target === null ? [] : await correctionsFor({ ...asked, memory: target.id }, views)
        if (id === null || this.#chance(2) === 0) return corrections
        const retraction = { ...origin, utterances: [id], dryRun: false }
        return [...corrections, ...(await planRetraction(retraction, origin.place, { ...host, views })).events]
      })
      await append(host, events)
    }
  }

  async forgetSome(host: Host): Promise<void> {
    for (const place of places.filter(() => this.#chance(2) === 0)) {
      const selection = await this.#selection(host, place)
      if (selection === null) continue
      this.#forgettings += 1
      const origin = { by: 'Ines', principal: null, at: Date.UTC(2026, 6, 1) }
      await rewriteSpace({ id: `f${this.#forgettings}`, ...place, selection, ...origin }, 0, host)
    }
  }

  async #selection(host: Host, place: SpaceAddress): Promise<Selection | null> {
    const utterances = await this.#utterances(host, place)
    if (utterances.length === 0) return null
    const { id, at, speaker, conversation } = this.#one(utterances)
    const selections = [
      { speaker },
      { conversation },
      { speaker, conversation },
      { from: at },
      { to: at + 1 },
      { utterances: [id, this.#one(utterances).id] },
      { everything: true },
    ]
    return { ...everyone, ...this.#one(selections) }
  }

  async #utterances(host: Host, place: SpaceAddress): Promise<readonly UtteranceAppended[]> {
    return (await keptEvents(host, place)).flatMap((event) => (event.type === 'UtteranceAppended' ? [event] : []))
  }

  #one<T>(all: readonly T[]): T {
    return all[this.#chance(all.length)] as T
  }
}

/** The source events that a space has since its last forgetting. */
export async function keptEvents(host: Host, { tenant, space }: SpaceAddress): Promise<readonly SourceEvent[]> {
  return (await readEras(spaceKey(tenant, space), host)).at(-1)?.events ?? []
}

/** The spaces that begin with a marker. */
export async function restartedSpaces(host: Host): Promise<readonly string[]> {
  const keys = places.map(({ tenant, space }) => spaceKey(tenant, space))
  const eras = await Promise.all(keys.map((key) => readEras(key, host)))
  return keys.filter((_, at) => (eras[at]?.length ?? 0) > 1)
}
