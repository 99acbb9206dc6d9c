import assert from 'node:assert/strict'
import { test } from 'node:test'
import { derivedId } from '@loomlog/schemas/ids'
import { withEnvelopes } from './envelope.ts'
import { box, utterance } from './toy-processors.ts'

const cause = { ...utterance('u', { appendedAt: 77 }), seq: 5 }
const maker = { stage: 'topic-loom', derivation: 'd' }

test('the drafts of one cause get ids from the cause and their position, the same in every derivation', () => {
  const drafts = [box(cause, 'one'), box(cause, 'two')]
  const sealed = withEnvelopes(drafts, cause, maker)
  assert.deepEqual(
    sealed.map(({ id, ordinal }) => [id, ordinal]),
    [
      [derivedId('topic-loom', 'u', 0), 0],
      [derivedId('topic-loom', 'u', 1), 1],
    ],
  )
  const elsewhere = withEnvelopes(drafts, cause, { ...maker, derivation: 'other' })
  assert.deepEqual(
    elsewhere.map(({ id }) => id),
    sealed.map(({ id }) => id),
  )
})

test('tenant, space, seq and log time come from the cause, and stay those of the source event down the chain', () => {
  const [first] = withEnvelopes([box(cause, 'one')], cause, maker)
  assert.ok(first)
  const { tenant, space, seq, knownAt } = first
  assert.deepEqual({ tenant, space, seq, knownAt }, { tenant: 't', space: 's', seq: 5, knownAt: 77 })
  const [next] = withEnvelopes([box(cause, 'next')], first, { ...maker, stage: 'fact-extractor' })
  assert.deepEqual([next?.seq, next?.knownAt], [5, 77])
})

test('lineage names the cause first and once, and the answers that were used', () => {
  const draft = { ...box(cause, 'one'), origin: { causes: ['before', 'u'], completions: ['k'], method: 'toy' } }
  const [sealed] = withEnvelopes([draft], cause, maker)
  assert.deepEqual(sealed?.lineage, { derivation: 'd', method: 'toy', causes: ['u', 'before'], completions: ['k'] })
  assert.equal(sealed !== undefined && 'origin' in sealed, false)
})
