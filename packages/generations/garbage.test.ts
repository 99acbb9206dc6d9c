import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '@loomlog/topics/catalogue'
import { garbageOf } from './garbage.ts'
import { type Generation, type Generations, noGenerations } from './generations.ts'

const stages = ['topic-loom', 'fact-extractor', 'trace-weaver', 'consolidator']

function generation(id: string, status: Generation['status'], own: readonly string[], viewEmbedder = 'e'): Generation {
  const derivations = Object.fromEntries(stages.map((stage) => [stage, own.includes(stage) ? `${stage}-${id}` : stage]))
  const rest = { name: null, chosen: {}, definedAt: 0, startedAt: null, share: null }
  return { id, status, derivations, viewEmbedder, ...rest }
}

function known(generations: readonly Generation[], live: string): Generations {
  const everyone = { liveHistory: [live], epoch: 1, at: 0 }
  return { ...noGenerations, generations: new Map(generations.map((each) => [each.id, each])), everyone }
}

const live = generation('live', 'running', [])

test('streams and views that a retired generation shares with another one stay', () => {
  const retired = generation('old', 'retired', ['consolidator'])
  const garbage = garbageOf(known([live, retired], 'live'), retired, catalogue)
  assert.deepEqual(
    garbage?.stages.map(({ topic }) => topic),
    ['consolidations.consolidator-old'],
  )
  assert.deepEqual(
    garbage?.views.map(({ topic }) => topic),
    ['consolidations.consolidator-old'],
  )
})

test('another view embedder has its own set of views, with one of the utterances', () => {
  const retired = generation('old', 'retired', [], 'other')
  const garbage = garbageOf(known([live, retired], 'live'), retired, catalogue)
  assert.deepEqual(garbage?.stages, [])
  assert.deepEqual(garbage?.views.map(({ topic }) => topic).sort(), [
    'consolidations.consolidator',
    'event-links.trace-weaver',
    'facts.fact-extractor',
    'topic-shifts.topic-loom',
    'utterances',
  ])
})

test('derivations that only retired generations share are garbage of each', () => {
  const [one, two] = [generation('one', 'retired', stages), generation('two', 'removed', stages)]
  const shared = { ...two, derivations: one.derivations }
  assert.equal(garbageOf(known([live, one, shared], 'live'), one, catalogue)?.stages.length, 4)
})

test('a generation that is not retired, or that is live for a tenant, has no garbage', () => {
  const paused = generation('paused', 'paused', stages)
  assert.equal(garbageOf(known([live, paused], 'live'), paused, catalogue), null)
  const stillLive = generation('old', 'retired', stages)
  assert.equal(garbageOf(known([stillLive], 'old'), stillLive, catalogue), null)
})
