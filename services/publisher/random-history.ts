/**
 * For tests: a history of several spaces under every derivation of the fixture, with a model of each derivation's
 * memory.
 */
import type { TestContext } from 'node:test'
import { recordOf } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { derivations, type PublisherFixture, topicOf } from './fixture.ts'
import { type ModelledMemory, randomRound } from './random-memory.ts'

export const spaces = [
  { tenant: 'acme', space: 'home' },
  { tenant: 'acme', space: 'work' },
  { tenant: 'other', space: 'home' },
]

export function seededChance(t: TestContext): (below: number) => number {
  let state = Number(process.env.LOOMLOG_SEED ?? Date.now() % 1_000_000)
  t.diagnostic(`LOOMLOG_SEED=${state}`)
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Appends rounds of utterances and their memories under every derivation, and models them. */
export function randomHistory(fixture: PublisherFixture, chance: (below: number) => number) {
  const models = new Map<string, ModelledMemory>()
  let round = 0
  const modelOf = (derivation: string, { tenant, space }: (typeof spaces)[number]) => {
    const key = `${derivation} ${tenant}/${space}`
    const model = models.get(key) ?? new Map<string, string>()
    models.set(key, model)
    return model
  }
  return {
    async rounds(count: number) {
      for (const last = round + count; round < last; round++) {
        const place = spaces[chance(spaces.length)] as (typeof spaces)[number]
        const line = { conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: `number ${round}` }
        await fixture.log.append('utterances', [recordOf(utteranceFrom(line, place, 0), fixture.codec)])
        for (const derivation of derivations) {
          const events = randomRound({ derivation, ...place, round }, modelOf(derivation, place), chance)
          await fixture.append(topicOf(derivation), events)
        }
      }
      await fixture.advance()
    },
    expected(place: (typeof spaces)[number]): readonly (readonly [string, string])[] {
      const live = fixture.live(place.tenant)
      return live.flatMap((derivation) => [...modelOf(derivation, place)]).sort()
    },
  }
}
