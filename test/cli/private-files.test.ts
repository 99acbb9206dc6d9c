/** The modes of the files and folders that loomlog makes. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { commandFixture, utteranceLine } from './fixture.ts'

const main = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url))

test('under any umask, only their owner reads the log, the views, the caches and a backup', async (t) => {
  if (process.platform === 'win32') return t.skip('it has no modes')
  const place = await commandFixture()
  t.after(() => place.remove())
  const run = (...args: readonly string[]) =>
    promisify(execFile)('sh', ['-c', 'umask 000; exec "$0" "$@"', process.execPath, main, ...args], {
      env: { ...process.env, ...place.environment },
    })
  const [log, copy] = [join(place.folder, 'log'), join(place.folder, 'copy')]
  await run('ingest', await place.file('talk', utteranceLine()))
  await run('keys', 'create', '--tenant', 'acme', '--scope', 'recall')
  await run('backup', copy)
  const made = [log, copy]
  for (const folder of [log, copy])
    for (const { parentPath, name } of await readdir(folder, { recursive: true, withFileTypes: true }))
      made.push(join(parentPath, name))
  assert.ok(made.some((path) => path.endsWith('.lance')) && made.includes(join(copy, 'log.db')), made.join('\n'))
  for (const path of made) {
    const stats = await stat(path)
    assert.equal((stats.mode & 0o777).toString(8), stats.isDirectory() ? '700' : '600', path)
  }
})
