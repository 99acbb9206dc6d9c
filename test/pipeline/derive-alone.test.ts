/**
 * `loomlog generation start --wait` beside a server that gets writes. The command derives the generation by itself,
 * takes no partition of the live one, and leaves the generation to the server when it has caught up.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readGenerations } from '@loomlog/generations/store'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { deriveAll } from '../../packages/app/derive-all.ts'
import { changeStatus, startAfterDeriving } from '../../packages/app/generations/lifecycle.ts'
import { generationOperations } from '../../packages/app/generations/operations.ts'
import { startPipeline } from '../../packages/app/pipeline.ts'
import { eventually } from '../eventually.ts'
import { fixture } from './fixture.ts'

const conditions = new Conditions({ info() {}, warn() {}, debug() {} })
const { signal } = new AbortController()

function say(host: Host, n: number) {
  const line = { conversation: 'c', speaker: 'Ada', at: new Date().toISOString(), text: `Number ${n} moved to Porto.` }
  return appendOnce([utteranceFrom(line, { tenant: 'acme', space: 'team' }, Date.now())], {
    ...host,
    dir: host.config.dir,
  })
}

/** Wraps a host, and records the groups that it joins. */
function recordingJoins(host: Host): { readonly host: Host; readonly joined: string[] } {
  const joined: string[] = []
  const joining: Host['log']['join'] = (options) => {
    joined.push(options.group)
    return host.log.join(options)
  }
  return { host: { ...host, log: { ...host.log, join: joining } }, joined }
}

test('start --wait derives its generation by itself under writes, and then a server continues it', async (t) => {
  const { dir, environment } = await fixture(t, 1, { LOOMLOG_PARTITIONS: '2' })
  const { LOOMLOG_MODEL: _, ...rules } = environment
  await using ends = new AsyncDisposableStack()
  const opened = async () => {
    const host = await openHost(configFrom({ ...rules, LOOMLOG_DIR: join(dir, 'log') }))
    ends.defer(() => host.close())
    return host
  }
  const [server, command] = [recordingJoins(await opened()), recordingJoins(await opened())]
  const pipeline = await startPipeline(server.host, { conditions, onNews() {} })
  ends.defer(() => pipeline.close())
  const live = new Set(server.joined)
  let isOver = false
  const writing = (async () => {
    for (let n = 0; !isOver; n++) await say(server.host, n).then(() => sleep(200))
  })()
  ends.defer(() => {
    isOver = true
    return writing
  })
  const settings = { set: ['fact-extractor.leastAtPause=12'], from: null, tenant: null, sample: null, spaces: [] }
  const { generation } = await generationOperations(command.host).start({
    ...settings,
    readPrompt: String,
    generation: null,
    name: 'short',
    share: null,
    derivedBy: 'caller',
  })
  const deriving = async () => {
    await deriveAll(command.host, { conditions, onNews() {}, signal, generation, onProgress() {} })
    assert.deepEqual(new Set(server.joined), live, 'the server hosts nothing of the generation')
    assert.ok(command.joined.length > 4, command.joined.join())
    assert.deepEqual(
      command.joined.filter((group) => live.has(group)),
      [],
      'the command holds none of the topic-loom and the views that both generations share',
    )
  }
  await startAfterDeriving(deriving, command.host, { generation, share: null, signal })
  isOver = true
  await writing
  await eventually(() => assert.ok(command.joined.every((group) => server.joined.includes(group))))
})

test('a stopped derivation keeps its status, servers continue a failed one, and none begins beside a removal', async (t) => {
  const { dir, environment } = await fixture(t, 1, { LOOMLOG_PARTITIONS: '1' })
  const { LOOMLOG_MODEL: _, ...rules } = environment
  const host = await openHost(configFrom({ ...rules, LOOMLOG_DIR: join(dir, 'log') }))
  t.after(() => host.close())
  await (await startPipeline(host, { conditions, onNews() {} })).close()
  const define = async (value: number) => {
    const settings = {
      set: [`fact-extractor.leastAtPause=${value}`],
      from: null,
      tenant: null,
      sample: null,
      spaces: [],
    }
    const request = { ...settings, readPrompt: String, generation: null, name: null, share: null } as const
    return (await generationOperations(host).start({ ...request, derivedBy: 'caller' })).generation
  }
  const statusOf = async (id: string) => (await readGenerations(host.log, host.codec)).generations.get(id)?.status
  const generation = await define(12)
  const stop = new AbortController()
  await startAfterDeriving(async () => stop.abort(), host, { generation, share: null, signal: stop.signal })
  assert.equal(await statusOf(generation), 'defined')

  const failing = async () => {
    throw new Error('the first error')
  }
  const logAway: Host = { ...host, log: { ...host.log, append: () => Promise.reject(new Error('the second error')) } }
  await assert.rejects(startAfterDeriving(failing, logAway, { generation, share: null, signal }), /the first error/)
  await assert.rejects(startAfterDeriving(failing, host, { generation, share: null, signal }), /the first error/)
  assert.equal(await statusOf(generation), 'running')

  const other = await define(13)
  await changeStatus(host, generation, { previous: 'running', status: 'retired', share: null })
  await changeStatus(host, generation, { previous: 'retired', status: 'removing', share: null })
  const deriving = () => assert.fail('it derives beside a removal')
  const refused = { code: 'generation-refused', message: /which is being removed/ }
  await assert.rejects(startAfterDeriving(deriving, host, { generation: other, share: null, signal }), refused)
})
