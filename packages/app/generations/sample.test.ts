import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import type { Processor } from '@loomlog/runtime/processor'
import { deriveAll } from '../derive-all.ts'
import { processorsOf } from '../processors.ts'
import { inputOf, sampleOf } from './sample.ts'

/**
 * A log with a conversation of one utterance a space and a turn; each ends with a pause of the conversation and one of
 * the space.
 */
async function logWith(t: TestContext, spaces: Readonly<Record<string, number>>): Promise<Host> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-sample-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  t.after(async () => {
    await host.close()
    await rm(dir, { recursive: true })
  })
  for (const [space, turns] of Object.entries(spaces)) {
    for (let turn = 0; turn < turns; turn++) {
      const at = new Date(Date.UTC(2026, 0, 5, turn)).toISOString()
      const text = JSON.stringify({ conversation: `c${turn}`, speaker: 'Ada', at, text: `I bought boat ${turn}.` })
      const place = { tenant: 'default', space }
      const source = { file: `${space}${turn}`, text, place, appendedAt: Date.now() }
      await appendOnce(readFormat('jsonl', source), { log: host.log, codec: host.codec, dir })
    }
  }
  return host
}

function processorNamed(host: Host, stage: string): Processor {
  const processor = processorsOf(host).find((each) => each.stage === stage)
  assert.ok(processor)
  return processor
}

test('a space that is larger than the whole sample is cut', async (t) => {
  const host = await logWith(t, { home: 4 })
  const { chosen, sampled, utterances } = await sampleOf(host, 'all', 5)
  assert.deepEqual([[...chosen], sampled, utterances], [[['default/home', 5]], 5, 12])
  const input = await inputOf(host, { processor: processorNamed(host, 'topic-loom'), reads: 'utterances' }, chosen)
  assert.deepEqual(
    input.map(({ type, seq }) => `${type} ${seq}`),
    [
      ...['UtteranceAppended 0', 'ConversationPaused 1', 'SpacePaused 2'],
      ...['UtteranceAppended 3', 'ConversationPaused 4'],
    ],
  )
})

test('of a cut space a later stage gets only the events that were derived from the sampled ones', async (t) => {
  const host = await logWith(t, { home: 3 })
  const conditions = new Conditions({ info() {}, warn() {}, debug() {} })
  const { signal } = new AbortController()
  const serving = await deriveAll(host, { conditions, signal, onNews() {}, onProgress() {} })
  const reads = serving?.stages.find(({ stage }) => stage === 'topic-loom')?.writes ?? ''
  const boxes = async (most: number) => {
    const { chosen } = await sampleOf(host, 'all', most)
    const input = await inputOf(host, { processor: processorNamed(host, 'fact-extractor'), reads }, chosen)
    return input.filter(({ type }) => type === 'BoxSealed').length
  }
  assert.deepEqual([await boxes(5), await boxes(100)], [2, 3])
})

test('spaces are taken whole while they fit', async (t) => {
  const host = await logWith(t, { home: 1, work: 1, boat: 1 })
  const { chosen, sampled, utterances } = await sampleOf(host, 'all', 7)
  assert.deepEqual([[...chosen.values()], sampled, utterances], [[3, 3], 6, 9])
})
