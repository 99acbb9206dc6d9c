/** The mends of `loomlog doctor`: a command that is pasted reaches the log or server that was checked. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../eventually.ts'
import { loomlog, type ProcessResult } from '../pipeline/loomlog.ts'
import { assertSucceeded, commandFixture, jsonLines } from './fixture.ts'

interface Finding {
  readonly check: string
  readonly state: string
  readonly text: string
  readonly mend: string | null
}

function found(run: ProcessResult, check: string): Finding {
  const findings = jsonLines(run)[0]?.findings as readonly Finding[]
  const finding = findings.find((each) => each.check === check && each.state !== 'ok')
  assert.ok(finding, `${check} in ${run.stdout}`)
  return finding
}

/** The words of a command as a shell reads them, without `loomlog`. */
function wordsOf(command: string): readonly string[] {
  const script = `loomlog() { printf '%s\\n' "$@"; }; ${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trim().split('\n')
}

test('a pasted mend works on the folder that was checked: the first key', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  const { LOOMLOG_DIR: _, ...elsewhere } = place.environment
  const environment = { ...elsewhere, LOOMLOG_HTTP_HOST: '0.0.0.0' }
  const dir = join(place.folder, "Maya's log")
  assertSucceeded(await loomlog(['init', '--dir', dir], environment))
  const doctor = () => loomlog(['doctor', '--json', '--dir', dir], environment)
  const { mend } = found(await doctor(), 'access')
  assertSucceeded(await loomlog(wordsOf(mend ?? ''), environment))
  assertSucceeded(await doctor())
})

test('the start names the command that makes the first key', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  const { LOOMLOG_DIR: dir = '', ...environment } = place.environment
  const running = place.start('up', '--port', '0')
  await eventually(() => assert.match(running.output(), /first key/))
  const [command = ''] = /loomlog keys create .*(?= makes the first key)/.exec(running.output()) ?? []
  assertSucceeded(await loomlog(wordsOf(command), environment))
  const keys = await loomlog(['keys', 'list', '--json', '--dir', dir], environment)
  assert.equal((jsonLines(keys)[0] as unknown as readonly object[]).length, 1, running.output())
})

// A fake server: a condition is hard to cause in a real one.
test('a mend on a server names it', async (t) => {
  const health = { version: '0', conditions: { disk: { text: 'the disk is full' } } }
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(health))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const run of [
    await loomlog(['doctor', '--json', '--url', url]),
    await loomlog(['doctor', '--json'], { LOOMLOG_URL: url }),
  ])
    assert.equal(found(run, 'server').mend, `loomlog status --url ${url}`)
})

test('a file in place of the folder, and a wrong setting, are findings beside the others', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  const file = join(place.folder, 'package.json')
  await writeFile(file, '{}')
  const noFolder = await place.run('doctor', '--json', '--dir', file)
  assert.deepEqual([noFolder.code, found(noFolder, 'folder').state], [2, 'problem'], noFolder.stderr)
  for (const [name, value] of [
    ['LOOMLOG_PARTITIONS', 'x'],
    ['LOOMLOG_EMBEDDER', 'use-lite'],
  ] as const) {
    const run = await loomlog(['doctor', '--json'], { ...place.environment, [name]: value })
    assert.equal(run.code, 2)
    const findings = jsonLines(run)[0]?.findings as readonly Finding[]
    assert.deepEqual(
      findings.map(({ check, state }) => `${check} ${state}`),
      ['loomlog ok', 'node ok', 'native ok', 'settings problem'],
    )
    assert.match(found(run, 'settings').text, new RegExp(name))
  }
  const { LOOMLOG_API_KEY: _, ...keyless } = place.environment
  const forPeople = await loomlog(['doctor'], { ...keyless, LOOMLOG_MODEL: 'gpt-9' })
  assert.equal(forPeople.code, 2)
  assert.match(forPeople.stdout, /^ok +native: .*\nproblem +settings: .*LOOMLOG_API_KEY.* → set /m)
})
