import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { recordOf } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Embedder } from '@loomlog/models/embedder'
import type { ContextBlock } from '@loomlog/recall/context-block'
import { Codec } from '@loomlog/schemas/codec'
import { lanceStore } from '@loomlog/views/lancedb'
import { ViewReader } from '@loomlog/views/reader'
import { type RecallRouteOptions, serveContext, serveRecall } from './serve-recall.ts'

const place = { tenant: 'acme', space: 'home', caller: null, requireSpaces: () => {}, spaceNames: async () => ['home'] }
const embedder: Embedder = {
  vectorSpace: { name: 'toy-2', dimensions: 2 },
  embed: async (texts) => texts.map(() => Float32Array.of(0, 1)),
  close: async () => {},
}

type RequestedReading = Parameters<RecallRouteOptions['reading']>[1]

/** Two utterances that no view holds yet; `g1` is live, and `g2` exists. */
async function recallSetup(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-recalls-'))
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const views = new ViewReader({
    store: lanceStore(join(dir, 'v')),
    vectorSpace: embedder.vectorSpace,
    partitions: 1,
    sources: new Map(),
  })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  const of = (text: string) =>
    utteranceFrom({ conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text }, place, 0)
  await log.append(
    'utterances',
    ['The zebra is in Porto.', 'A zebra?'].map((text) => recordOf(of(text), codec)),
  )
  const readings: RequestedReading[] = []
  const reading = async (_tenant: string, named: RequestedReading) => {
    readings.push(named)
    if (named && named.generation !== 'g2')
      throw new LoomlogError('not-found', `there is no generation ${named.generation}`)
    return { generation: named?.generation ?? 'g1', epoch: 1, views, embedder }
  }
  const options = { log, codec, reading, recalls: null, model: null, toolModel: null }
  const recall = async (given: object) => serveRecall({ query: 'zebra', ...given }, place, options)
  return { readings, recall, context: (given: object) => serveContext(given, place, options) }
}

test('an explained recall holds every candidate, with its features and its outcome', async (t) => {
  const { recall } = await recallSetup(t)
  const { candidates = [] } = await recall({ explain: 'yes', limit: '1' })
  assert.deepEqual(
    candidates.map(({ outcome }) => outcome),
    ['taken', 'limit'],
  )
  assert.ok(candidates[0]?.contributions.some(({ feature }) => feature.includes('word')))
  assert.equal('candidates' in (await recall({})), false)
  assert.deepEqual((await recall({ explain: true, limit: '1' })).candidates, candidates)
  assert.equal('candidates' in (await recall({ explain: false })), false)
  const wrong = recall({ explain: 1 })
  await assert.rejects(wrong, (error) => isLoomlogError(error) && error.message === 'explain is 1: expected yes or no')
  const both = recall({ explain: 'yes', agentic: 'yes' })
  await assert.rejects(both, (error) => isLoomlogError(error, 'input-invalid') && /expected one/.test(error.message))
})

test('a named generation is read, live or not, and an unknown one is refused', async (t) => {
  const { readings, recall } = await recallSetup(t)
  const generationOf = async (given: object) => ((await recall(given)) as { generation: string }).generation
  assert.equal(await generationOf({}), 'g1')
  assert.equal(await generationOf({ generation: 'g2', also: ['work'] }), 'g2')
  assert.deepEqual(readings, [null, { generation: 'g2', spaces: ['acme/home', 'acme/work'] }])
  await assert.rejects(recall({ generation: 'g3' }), (error) => isLoomlogError(error, 'not-found'))
  for (const generation of ['', ['g1', 'g2'], 'x'.repeat(201)]) {
    await assert.rejects(recall({ generation }), (error) => isLoomlogError(error, 'input-invalid'))
  }
})

test('a context has numbered lines with sources, and names a parameter that it does not know', async (t) => {
  const { context } = await recallSetup(t)
  for (const given of [{ query: 'zebra', budget: 100 }, {}]) {
    const block = (await context(given)) as ContextBlock
    assert.match(block.text, /^As spoken\n2 Mar 2026\n1 Ada: The zebra is in Porto\.\n/)
    assert.equal(block.items[0]?.part, 'evidence')
    assert.equal(block.items[0]?.sources.length, 1)
  }
  await assert.rejects(context({ query: 'zebra', kind: 'fact' }), (error) => {
    return isLoomlogError(error, 'input-invalid') && /there is no parameter kind: expected .*budget/.test(error.message)
  })
})
