/** The views of a pipeline on an encrypted log: what its files show, and their comparison with the log. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readGenerations } from '@loomlog/generations/store'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { type Host, openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { conversationPauseAfter, spacePauseAfter, utteranceFrom } from '@loomlog/intake/utterance'
import { facts } from '@loomlog/views/tables/facts'
import { deriveAll } from '../../packages/app/derive-all.ts'
import { verifyViews } from '../../packages/app/verification.ts'
import { fixture } from './fixture.ts'

const conditions = new Conditions({ info() {}, warn() {}, debug() {} })
const space = 'acme/team'

async function factsIn(host: Host): Promise<readonly string[]> {
  const reader = new GenerationReader(host, { current: await readGenerations(host.log, host.codec) })
  const { views } = await reader.open('acme')
  const found = await views.scan(facts, { space, limit: 99 })
  await reader.close()
  return found.map(({ text }) => text)
}

async function viewBytes(host: Host): Promise<Buffer> {
  const folder = join(host.config.dir, 'views')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Buffer.concat(await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))))
}

test('views of an encrypted log are read, and verified, with its keys, and show no word', async (t) => {
  const { dir, environment } = await fixture(t, 1, { LOOMLOG_PARTITIONS: '1' })
  const { LOOMLOG_MODEL: _, ...rules } = environment
  const host = await openHost(configFrom({ ...rules, LOOMLOG_DIR: join(dir, 'log') }))
  assert.ok(host.sealing)
  t.after(() => host.close())
  const texts = ['I moved to Canaryville last week.', 'I bought a zeppelin yesterday.', 'I live in Canaryville.']
  const lines = texts.map((text, at) => ({
    conversation: 'standup',
    speaker: 'Zebulon',
    at: `2026-03-02T09:0${at}:00Z`,
    text,
  }))
  const events = lines.map((line) => utteranceFrom(line, { tenant: 'acme', space: 'team' }, Date.now()))
  const last = events.at(-1)
  assert.ok(last)
  const ends = [conversationPauseAfter(last), spacePauseAfter(last)]
  await appendOnce([...events, ...ends], { ...host, dir: host.config.dir })
  const { signal } = new AbortController()
  await deriveAll(host, { conditions, onNews() {}, signal, onProgress() {} })
  assert.match((await factsIn(host)).join(), /Canaryville/)
  const { tables, differences } = await verifyViews([], host)
  assert.equal(differences, 0, JSON.stringify(tables))
  assert.ok(tables.some(({ table, watermark }) => table === 'facts' && watermark > 0))
  const bytes = await viewBytes(host)
  for (const word of ['Canaryville', 'zeppelin', 'Zebulon', 'standup', ...events.map(({ id }) => id)])
    assert.ok(!bytes.includes(word), word)
  const { differences: withoutKeys } = await verifyViews([], { ...host, sealing: null })
  assert.ok(withoutKeys > 0)
})
