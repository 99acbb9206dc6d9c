import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { GenerationStatus } from '@loomlog/schemas/events'
import { type Derivation, type Generation, type Generations, noGenerations } from './generations.ts'
import { readableBy } from './named.ts'
import type { Scope } from './scope.ts'

function known(
  ...all: readonly (readonly [id: string, name: string | null, status: GenerationStatus, scope?: Scope])[]
) {
  const generations = all.map(([id, name, status]) => [id, { id, name, status, derivations: { loom: id } }])
  const derivations = all.map(([id, , , scope = 'all']) => [id, { id, recipe: { scope } }])
  return {
    ...noGenerations,
    generations: new Map(generations as [string, Generation][]),
    derivations: new Map(derivations as unknown as [string, Derivation][]),
  } satisfies Generations
}

test('a generation is read by its id, the start of it, or its name, whether or not it answers', () => {
  const log = known(['aa1', 'new', 'running'], ['ab2', null, 'paused'], ['ac3', null, 'retired'])
  for (const [wanted, id] of [
    ['aa1', 'aa1'],
    ['new', 'aa1'],
    ['ab', 'ab2'],
    ['ac3', 'ac3'],
  ] as const) {
    assert.equal(readableBy(log, wanted, ['acme/home']).id, id)
  }
})

test('one that is none, or has no views of the space, is refused with the reason', () => {
  const log = known(['aa1', null, 'defined'], ['ab2', null, 'removed'], ['ac3', null, 'running', { tenant: 'acme' }])
  const refused = (wanted: string, code: Parameters<typeof isLoomlogError>[1], message: RegExp) =>
    assert.throws(
      () => readableBy(log, wanted, ['acme/home', 'other/home']),
      (error) => isLoomlogError(error, code) && message.test(error.message),
    )
  refused('zz', 'not-found', /there is no generation zz/)
  refused('a', 'input-invalid', /a may be aa1 or ab2 or ac3/)
  refused('aa1', 'generation-refused', /not started/)
  refused('ab2', 'generation-refused', /is removed/)
  refused('ac3', 'generation-refused', /ac3 does not cover other\/home/)
})
