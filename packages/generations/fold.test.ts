import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import type { GenerationStatus } from '@loomlog/schemas/events'
import { canonicalJson } from '@loomlog/schemas/ids'
import { covers, type DerivationScope } from './derivation-scope.ts'
import { applyGenerationEvent } from './fold.ts'
import { type GenerationEvent, type Generations, noGenerations, scopeOf } from './generations.ts'
import { liveGeneration, liveGenerations, previousLiveGeneration } from './pointers.ts'

function derivation(id: string, scope: DerivationScope = 'all'): GenerationEvent {
  const recipe = { stage: 'loom', revision: 1, parameters: {}, model: null, embedder: null, scope, reads: null }
  return { type: 'DerivationDefined', id, stage: 'loom', recipe: canonicalJson(recipe), prompts: { ask: 'What?' } }
}
const defined = (id: string, loom = `d-${id}`): GenerationEvent => ({
  type: 'GenerationDefined',
  id,
  derivations: { loom },
  viewEmbedder: 'toy',
  name: null,
  chosen: {},
  at: 1,
})
const becomes = (generation: string, previous: GenerationStatus, status: GenerationStatus): GenerationEvent => ({
  type: 'GenerationStatusChanged',
  generation,
  previous,
  status,
  share: null,
  at: 2,
})
const started = (id: string, scope?: DerivationScope) => [
  derivation(`d-${id}`, scope),
  defined(id),
  becomes(id, 'defined', 'running'),
]

type Cause = 'first' | 'promoted' | 'rolledBack'
const promoted = (
  generation: string,
  previous: string | null,
  tenant: string | null = null,
  cause: Cause = 'promoted',
) => ({ type: 'GenerationPromoted', generation, tenant, previous, cause, at: 3 }) as const

const after = (...events: readonly (GenerationEvent | readonly GenerationEvent[])[]): Generations =>
  events.flat().reduce(applyGenerationEvent, noGenerations)
const why = (known: Generations) => known.history.at(-1)?.refused
const answers = (known: Generations, tenant: string | null) => {
  const found = liveGeneration(known, tenant)
  return found && [found.generation, found.epoch]
}

const [first, second] = [[derivation('d-a'), defined('a'), promoted('a', null, null, 'first')], started('b')]

test('no generation is live before the first promotion, which also starts its generation', () => {
  assert.equal(answers(after(first.slice(0, 2)), null), null)
  const known = after(first)
  assert.deepEqual(
    [answers(known, null), answers(known, 'anyone')],
    [
      ['a', 1],
      ['a', 1],
    ],
  )
  assert.equal(known.generations.get('a')?.status, 'running')
  assert.deepEqual(known.derivations.get('d-a')?.prompts, new Map([['ask', 'What?']]))
})

test('defining again changes nothing, in any status', () => {
  const known = after(first)
  assert.deepEqual(after(first, defined('a'), derivation('d-a')), known)
})

test('of two first promotions the first in the log counts, and the other generation is only defined', () => {
  const known = after(first, derivation('d-b'), defined('b'), promoted('b', null, null, 'first'))
  assert.deepEqual(answers(known, null), ['a', 1])
  assert.match(why(known) ?? '', /a is now live for everyone, not none/)
  assert.equal(known.generations.get('b')?.status, 'defined')
})

describe('promotion', () => {
  test('moves everyone at once, and raises the epoch', () => {
    const known = after(first, second, promoted('b', 'a'))
    assert.deepEqual(
      [answers(known, null), answers(known, 't')],
      [
        ['b', 2],
        ['b', 2],
      ],
    )
  })

  test('is refused if another generation was promoted since its writer read the log', () => {
    const known = after(first, second, started('c'), promoted('b', 'a'), promoted('c', 'a'))
    assert.deepEqual([answers(known, null), why(known)], [['b', 2], 'b is now live for everyone, not a'])
  })

  test('is refused for a generation that is not running, unknown, or live already', () => {
    assert.match(
      why(after(first, derivation('d-b'), defined('b'), promoted('b', 'a'))) ?? '',
      /b is defined, not running/,
    )
    assert.match(why(after(first, promoted('x', 'a'))) ?? '', /no generation x/)
    assert.match(why(after(first, promoted('a', 'a'))) ?? '', /a is live for everyone already/)
  })

  test('of one tenant does not move the others, which may be promoted by themselves, until all have the same generation', () => {
    const canary = after(first, second, promoted('b', 'a', 't'))
    assert.deepEqual(
      [answers(canary, 't'), answers(canary, 'u'), liveGenerations(canary)],
      [['b', 2], ['a', 1], new Set(['a', 'b'])],
    )
    const apart = [started('c'), promoted('c', 'a')].flat().reduce(applyGenerationEvent, canary)
    assert.deepEqual(
      [answers(apart, 't'), answers(apart, 'u')],
      [
        ['b', 2],
        ['c', 3],
      ],
    )
    const together = applyGenerationEvent(canary, promoted('b', 'a'))
    assert.deepEqual(
      [answers(together, 't'), answers(together, 'u')],
      [
        ['b', 3],
        ['b', 3],
      ],
    )
    assert.deepEqual(answers([started('c'), promoted('c', 'b')].flat().reduce(applyGenerationEvent, together), 't'), [
      'c',
      4,
    ])
  })

  test('is refused for tenants whose spaces the generation does not cover', () => {
    const known = after(first, started('b', { tenant: 't' }), promoted('b', 'a'))
    assert.match(why(known) ?? '', /b does not cover all spaces of everyone/)
    assert.match(why(applyGenerationEvent(known, promoted('b', 'a', 'u'))) ?? '', /b does not cover all spaces of u/)
    assert.deepEqual(answers(applyGenerationEvent(known, promoted('b', 'a', 't')), 't'), ['b', 2])
    assert.deepEqual(scopeOf(known, { derivations: { loom: 'd-b' } }), { tenant: 't' })
  })
})

describe('rolling back', () => {
  test('returns to the previous generation, and a second time to the one before', () => {
    const known = after(first, second, started('c'), promoted('b', 'a'), promoted('c', 'b'))
    const once = applyGenerationEvent(known, promoted('b', 'c', null, 'rolledBack'))
    assert.deepEqual([answers(once, null), previousLiveGeneration(once, null)], [['b', 4], 'a'])
    const twice = applyGenerationEvent(once, promoted('a', 'b', null, 'rolledBack'))
    assert.deepEqual([answers(twice, null), previousLiveGeneration(twice, null)], [['a', 5], null])
  })

  test('of a tenant goes back to everyone, and the tenant follows them again', () => {
    const known = after(
      first,
      second,
      promoted('b', 'a', 't'),
      promoted('a', 'b', 't', 'rolledBack'),
      promoted('b', 'a'),
    )
    assert.deepEqual([answers(known, 't'), known.tenants.get('t')?.liveHistory], [['b', 4], []])
  })

  test('is refused to any other generation', () => {
    const known = after(first, second, started('c'), promoted('b', 'a'), promoted('c', 'b', null, 'rolledBack'))
    assert.match(why(known) ?? '', /c is not the generation that was live before for everyone/)
  })
})

describe('the status of a generation', () => {
  test('changes only if its writer saw the current one', () => {
    const known = after(first, second, becomes('b', 'running', 'paused'), becomes('b', 'running', 'cancelled'))
    assert.deepEqual([known.generations.get('b')?.status, why(known)], ['paused', 'b is now paused, not running'])
    assert.equal(
      why(applyGenerationEvent(known, becomes('b', 'paused', 'removing'))),
      "b is paused, and can't become removing",
    )
  })

  test('stays running while the generation is live for a tenant', () => {
    const known = after(first, second, promoted('b', 'a', 't'))
    assert.match(why(applyGenerationEvent(known, becomes('a', 'running', 'retired'))) ?? '', /a is live for everyone/)
    assert.match(why(applyGenerationEvent(known, becomes('b', 'running', 'paused'))) ?? '', /b is live for tenant t/)
  })

  test("can't become running while a stream of the generation is being removed", () => {
    const removing = [becomes('b', 'running', 'retired'), becomes('b', 'retired', 'removing')]
    const known = after(first, second, removing, defined('c', 'd-b'), becomes('c', 'defined', 'running'))
    assert.match(why(known) ?? '', /c shares a derivation with b, which is being removed/)
    const done = [becomes('b', 'removing', 'removed'), becomes('c', 'defined', 'running')].reduce(
      applyGenerationEvent,
      known,
    )
    assert.equal(done.generations.get('c')?.status, 'running')
  })
})

test('a scope covers a tenant, spaces by name, or a share of them that its seed fixes', () => {
  const spaces = Array.from({ length: 400 }, (_, n) => `t/space-${n}`)
  assert.ok(covers({ tenant: 't' }, 't/a') && !covers({ tenant: 't' }, 'tt/a'))
  assert.ok(covers({ spaces: ['t/a'] }, 't/a') && !covers({ spaces: ['t/a'] }, 't/b'))
  const drawn = (seed: number) => spaces.filter((space) => covers({ share: 0.25, seed }, space))
  assert.ok(Math.abs(drawn(1).length - 100) < 40, `${drawn(1).length} of 400`)
  assert.deepEqual(drawn(1), drawn(1))
  assert.notDeepEqual(drawn(1), drawn(2))
})
