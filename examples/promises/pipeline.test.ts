/**
 * The extension in a real pipeline on sqlite: it joins a log that already has a memory, and is read like the other
 * tables.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { deriveAll } from '@loomlog/app/derive-all'
import { canonicalDump } from '@loomlog/app/derived-events'
import { withReading } from '@loomlog/app/generations/live'
import { processorsOf } from '@loomlog/app/processors'
import { verifyViews } from '@loomlog/app/verification'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { ServiceWatch } from '@loomlog/host/service-watch'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { impact } from '@loomlog/recall/impact'
import { recall } from '@loomlog/recall/recall'
import { why } from '@loomlog/recall/why'
import { and } from '@loomlog/views/condition'
import { current } from '@loomlog/views/row'
import { dueAt, promises } from './table.ts'

const silent = { info() {}, warn() {}, debug() {} }
const space = 'acme/home'
const conversation = [
  { id: 'u1', speaker: 'Ben', at: '2026-03-02T09:00:00Z', text: 'Where is the deck for the board?' },
  { id: 'u2', speaker: 'Ann', at: '2026-03-02T09:01:00Z', text: "Sorry. I'll send you the deck by Friday." },
]

test('a log that has a memory gets promises, which are read like any other memory', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-promises-'))
  t.after(() => rm(dir, { recursive: true }))
  const plain = { LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1', LOOMLOG_SESSION_MS: '1000' }
  const extended = { ...plain, LOOMLOG_EXTENSIONS: join(import.meta.dirname, 'extension.ts') }
  await within(plain, async (host) => {
    const text = conversation.map((line) => JSON.stringify({ conversation: 'c', ...line })).join('\n')
    const read = { file: 'talk.jsonl', text, place: { tenant: 'acme', space: 'home' }, appendedAt: 0, onRead() {} }
    await appendOnce(readFormat('jsonl', read), { ...host, dir })
    await deriveAndRead(host)
  })

  await within(extended, async (host) => {
    const { serving, news } = await deriveAndRead(host)
    assert.match(news.join(), /promises/)
    const lines = await canonicalDump(host, serving)
    assert.deepEqual(
      lines.filter(({ stage }) => stage === 'promises').map(({ event }) => (event as { text: string }).text),
      ['Ann promised to send Ben the deck by 6 March 2026.'],
    )
    const { differences, tables } = await verifyViews(['promises'], host)
    assert.deepEqual([differences, tables.map(({ table }) => table)], [0, ['promises']])
    await withReading(host, 'acme', async ({ views, embedder }) => {
      const options = { log: host.log, codec: host.codec, views, embedder, model: null }
      const { items } = await recall({ space, query: 'Who sends the deck?', kinds: ['promise'] }, options)
      const [item] = items
      assert.deepEqual([item?.kind, item?.speaker, item?.sources], ['promise', 'Ann', ['u2']])
      const { kind, method, causes } = await why(item?.id ?? '', space, options)
      assert.deepEqual([kind, method, causes.map((cause) => cause.kind)], ['promise', 'rules', ['box', 'utterance']])
      const effects = (await impact('u2', space, options)).effects.map((effect) => effect.kind)
      assert.ok(effects.includes('promise'), `${effects}`)
      const dueBy = async (day: number) =>
        views.scan(promises, { space, where: and(current, dueAt(Date.UTC(2026, 2, day))), limit: 10 })
      assert.deepEqual([(await dueBy(6)).length, (await dueBy(7)).map(({ to }) => to)], [0, ['Ben']])
    })
  })

  await within(extended, async (host) => {
    const { awaited } = await deriveAndRead(host)
    assert.ok(awaited.includes('promises'), `a later ingest waits for the stage too, and not only for ${awaited}`)
    assert.ok(awaited.includes('view of promises'), `${awaited}`)
  })

  await within(plain, async (host) => {
    const { serving, news } = await deriveAndRead(host)
    assert.equal(serving.stages.length, processorsOf({ extensions: [] }).length)
    assert.match(news.join(), /its stage promises is not installed/)
    const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: assert.fail, onError: assert.fail })
    const frozenCheck = () => null
    const watch = ServiceWatch.start({ host, follower, conditions: new Conditions(silent), frozenCheck })
    assert.match(watch.notReady ?? '', /the stage promises, which this process doesn't know.*LOOMLOG_EXTENSIONS/)
    await watch.close()
    await follower.close()
  })
})

async function within(environment: NodeJS.ProcessEnv, work: (host: Host) => Promise<void>): Promise<void> {
  const host = await openHost(configFrom(environment))
  try {
    await work(host)
  } finally {
    await host.close()
  }
}

async function deriveAndRead(host: Host) {
  const news: string[] = []
  const conditions = new Conditions(silent)
  let awaited: readonly string[] = []
  const serving = await deriveAll(host, {
    conditions,
    signal: new AbortController().signal,
    onNews: (text) => news.push(text),
    onProgress(progress) {
      awaited = progress.map(({ name }) => name)
    },
  })
  assert.ok(serving)
  return { serving, news, awaited }
}
