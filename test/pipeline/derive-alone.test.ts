/** `loomlog generation start --wait` beside a server: it runs the parts of that generation only, and returns although utterances keep arriving. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { deriveAll } from '../../packages/app/derive-all.ts'
import { generationOperations } from '../../packages/app/generations/operations.ts'
import { startPipeline } from '../../packages/app/pipeline.ts'
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

test('a generation that is derived alone catches up under writes, and takes no partition of the live one', async (t) => {
  const { dir, environment } = await fixture(t, 1, { LOOMLOG_PARTITIONS: '2' })
  const { LOOMLOG_MODEL: _, ...rules } = environment
  const opened = () => openHost(configFrom({ ...rules, LOOMLOG_DIR: join(dir, 'log') }))
  const [server, command] = [await opened(), await opened()]
  const pipeline = await startPipeline(server, { conditions, onNews() {} })
  let isOver = false
  const writing = (async () => {
    for (let n = 0; !isOver; n++) await say(server, n).then(() => sleep(200))
  })()
  const settings = { set: ['topic-loom.gapMs=60000'], from: null, tenant: null, sample: null, spaces: [] }
  const { generation } = await generationOperations(server).start({
    ...{ ...settings, readPrompt: String, generation: null, name: 'short', share: null, ifRunning: 'refuse' },
  })
  const joined: string[] = []
  const joining: Host['log']['join'] = (options) => {
    joined.push(options.group)
    return command.log.join(options)
  }
  const host = { ...command, log: { ...command.log, join: joining } }
  await deriveAll(host, { conditions, onNews() {}, signal, generation, onProgress() {} })
  isOver = true
  await writing
  const live = pipeline.serving.stages.map(({ stage, derivation }) => `${stage}.${derivation}`)
  for (const each of [pipeline, server, command]) await each.close()
  assert.ok(joined.length > 4, joined.join())
  assert.deepEqual(
    live.filter((group) => joined.includes(group)),
    [],
  )
})
