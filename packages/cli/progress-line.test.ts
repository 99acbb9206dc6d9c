import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { eventually } from '../../test/eventually.ts'
import { deriveWithProgress } from './progress-line.ts'

test('a command that waits shows the conditions of other processes, and publishes only its own', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-progress-'))
  const board = join(dir, 'conditions')
  const endpoint = { LOOMLOG_MODEL: 'away', LOOMLOG_MODEL_URL: 'http://127.0.0.1:9/v1', LOOMLOG_API_KEY: 'none' }
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1', ...endpoint }))
  const shown: string[] = []
  let published = ''
  t.mock.method(process.stderr, 'write', (text: string) => shown.push(text) > 0)
  await appendOnce(readFormat('jsonl', talk()), { ...host, dir })
  await mkdir(board)
  const other = join(board, 'other.json')
  await writeFile(other, JSON.stringify({ process: '1 on m', conditions: [{ text: 'another waits', since: 1 }] }))
  const stop = new AbortController()
  const deriving = deriveWithProgress(host, { signal: stop.signal })
  t.after(async () => {
    stop.abort()
    await deriving
    await host.close()
    await rm(dir, { recursive: true })
  })
  await eventually(async () => {
    await utimes(other, new Date(), new Date())
    assert.match(shown.join(''), /waiting: process 1 on m: another waits/)
  })
  const own = async () => (await readdir(board)).filter((name) => name.endsWith('.json') && name !== 'other.json')
  for (const name of await own()) await rm(join(board, name))
  await eventually(async () => {
    const [name = ''] = await own()
    const renewed = await readFile(join(board, name), 'utf8')
    assert.match(renewed, /fact-extractor waits/)
    published = renewed
  })
  assert.doesNotMatch(published, /another waits/)
})

function talk() {
  const first = { conversation: 'c', id: 'u1', speaker: 'Ann', at: '2026-03-02T09:01:00Z', text: 'I live in Porto.' }
  const next = { ...first, id: 'u2', at: '2026-03-02T09:02:00Z', text: 'My sister is in Lisbon.' }
  const text = [first, next].map((line) => JSON.stringify(line)).join('\n')
  return { file: 'talk.jsonl', text, place: { tenant: 'acme', space: 'home' }, appendedAt: 0, onRead() {} }
}
