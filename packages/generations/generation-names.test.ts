import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { GenerationStatus } from '@loomlog/schemas/events'
import type { DerivationScope } from './derivation-scope.ts'
import { findGeneration, findReadableGeneration, nameRefusal } from './generation-names.ts'
import { type Derivation, type Generation, type Generations, noGenerations } from './generations.ts'

function known(
  ...all: readonly (readonly [id: string, name: string | null, status: GenerationStatus, scope?: DerivationScope])[]
) {
  const generations = all.map(([id, name, status]) => [id, { id, name, status, derivations: { loom: id } }])
  const derivations = all.map(([id, , , scope = 'all']) => [id, { id, recipe: { scope } }])
  return {
    ...noGenerations,
    generations: new Map(generations as [string, Generation][]),
    derivations: new Map(derivations as unknown as [string, Derivation][]),
  } satisfies Generations
}

test('a generation is read by its id, the start of its id, or its name, whether live or not', () => {
  const log = known(['aa1', 'new', 'running'], ['ab2', null, 'paused'], ['ac3', null, 'retired'])
  for (const [wanted, id] of [
    ['aa1', 'aa1'],
    ['new', 'aa1'],
    ['ab', 'ab2'],
    ['ac3', 'ac3'],
  ] as const) {
    assert.equal(findReadableGeneration(log, wanted, ['acme/home']).id, id)
  }
})

test('`live` is the live generation: of everyone, or of the tenant that is read', () => {
  const log = known(['aa1', null, 'running'], ['ab2', null, 'running'])
  const pointer = (liveHistory: readonly string[]) => ({ liveHistory, epoch: 1, at: 0 })
  const pointed = { ...log, everyone: pointer(['aa1']), tenants: new Map([['acme', pointer(['ab2'])]]) }
  assert.equal(findGeneration(pointed, 'live').id, 'aa1')
  assert.equal(findReadableGeneration(pointed, 'live', ['acme/home']).id, 'ab2')
  assert.equal(findReadableGeneration(pointed, 'live', ['other/home']).id, 'aa1')
  assert.throws(() => findGeneration(log, 'live'), /no generation is live yet/)
})

test('a name belongs to one generation, and is free again when that is removed', () => {
  const log = known(['aa1', 'new', 'retired'], ['ab2', 'old', 'removed'], ['ac3', 'old', 'running'])
  assert.equal(findGeneration(log, 'old').id, 'ac3')
  assert.match(nameRefusal(log, 'new') ?? '', /aa1 has this name/)
  assert.match(nameRefusal(log, 'ac') ?? '', /ac3 has this name/)
  assert.match(nameRefusal(log, 'live') ?? '', /means the live generation/)
  assert.match(nameRefusal(log, ' ') ?? '', /empty/)
  assert.equal(nameRefusal(known(['ab2', 'old', 'removed']), 'old'), null)
})

test('an unknown generation, or one without views of the space, is refused with the reason', () => {
  const log = known(['aa1', null, 'defined'], ['ab2', null, 'removed'], ['ac3', null, 'running', { tenant: 'acme' }])
  const refused = (wanted: string, code: Parameters<typeof isLoomlogError>[1], message: RegExp) =>
    assert.throws(
      () => findReadableGeneration(log, wanted, ['acme/home', 'other/home']),
      (error) => isLoomlogError(error, code) && message.test(error.message),
    )
  refused('zz', 'not-found', /there is no generation zz/)
  refused('a', 'input-invalid', /a may be aa1 or ab2 or ac3/)
  refused('aa1', 'generation-refused', /not started/)
  refused('ab2', 'generation-refused', /is removed/)
  refused('ac3', 'generation-refused', /ac3 does not cover other\/home/)
})
