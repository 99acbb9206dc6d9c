/** Notices beside a result: views that are being rebuilt, and names that the memory doesn't have. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { openMemory } from '@loomlog/app/open-memory'
import { loomlog } from '../pipeline/loomlog.ts'
import { assertSucceeded, commandFixture, jsonLines, utteranceLine } from './fixture.ts'

// A fake server: a view that is rebuilt is hard to catch on a real one.
test('recall from a server says which view is being rebuilt', async (t) => {
  const rebuilding = [{ topic: 'facts', partition: 1, reached: 7, end: 9_000 }]
  const reply = { space: 'default', query: 'boat', memories: [], text: '', generation: 'g', epoch: 1, rebuilding }
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = await commandFixture()
  t.after(async () => {
    server.close()
    await place.remove()
  })
  const run = await place.run('recall', 'boat', '--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  assertSucceeded(run)
  assert.match(run.stderr, /the view of facts\/1 is being rebuilt \(7 of 9,000 records\)/)
})

test('an unknown space or speaker is reported, with the nearest names of the tenant, and fails the command with 2', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  const file = await place.file('talk.jsonl', utteranceLine() + utteranceLine({ speaker: 'Tom', text: 'I row.' }))
  for (const [tenant, space] of [
    ['default', 'team'],
    ['default', 'crew'],
    ['acme', 'teams'],
  ] as const)
    assertSucceeded(await place.run('ingest', file, '--tenant', tenant, '--space', space))
  const noSpace = 'there is no space named "teem"; the nearest: "team", "crew"'
  const noSpeaker = 'no speaker of team is named "Mya"; the nearest: "Maya", "Tom"'
  for (const [command, says] of [
    [['context', '--space', 'teem'], noSpace],
    [['context', 'Lisbon?', '--space', 'teem'], noSpace],
    [['recall', 'Lisbon?', '--space', 'teem', '--speaker', 'Mya'], noSpace],
    [['recall', 'Lisbon?', '--space', 'team', '--also', 'teem'], noSpace],
    [['tools', 'exact_pattern', '{"pattern": "Lisbon"}', '--space', 'teem'], noSpace],
    [['recall', 'Lisbon?', '--space', 'team', '--speaker', 'Mya'], noSpeaker],
    [['context', '--space', 'team', '--speaker', 'Mya', 'Maya'], noSpeaker],
  ] as const) {
    const run = await place.run(...command, '--json')
    assert.equal(run.code, 2, command.join(' '))
    assert.equal(run.stderr, `loomlog: ${says}\n`)
    const [reply] = jsonLines(run)
    assert.deepEqual([reply?.notices, reply?.error], [[says], { code: 'not-found', message: says }], command.join(' '))
  }
  for (const command of [['context'], ['recall', 'Lisbon?']]) {
    const run = await place.run(...command, '--json')
    assertSucceeded(run)
    assert.match(run.stderr, /^loomlog: there is no space named "default"; the nearest: /)
    assert.equal(jsonLines(run)[0]?.error, undefined, 'the default space is empty, not mistyped')
  }
  const known = await place.run(
    'recall',
    'submarine',
    '--space',
    'team',
    '--speaker',
    'tom',
    '--kind',
    'event',
    '--json',
  )
  assertSucceeded(known)
  assert.deepEqual([known.stderr, jsonLines(known)[0]?.notices], ['', undefined])
})

test('after a program that closed its memory early, one line says that views are behind, with the mend', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  const dir = join(place.folder, 'memory')
  const environment = { LOOMLOG_PARTITIONS: '1' }
  {
    await using memory = await openMemory({ dir, env: environment })
    await memory.space('team').add({ conversation: 'c', speaker: 'Maya', text: 'I live in Lisbon.' })
  }
  const behind =
    'loomlog: the views are behind the log: memories derived from its newest records may be missing; ' +
    `loomlog up --dir ${dir} derives them\n`
  const recall = (...options: readonly string[]) =>
    loomlog(['recall', 'Lisbon?', '--dir', dir, '--json', ...options], environment)
  const found = await recall('--space', 'team')
  assertSucceeded(found)
  assert.equal(found.stderr, behind)
  assert.match(found.stdout, /Maya: I live in Lisbon/, 'it is found in the log')
  const inDefault = await recall()
  assertSucceeded(inDefault)
  const names = 'loomlog: there is no space named "default"; the nearest: "team"; --space team searches the first\n'
  assert.ok(inDefault.stderr.includes(names), inDefault.stderr)
})

test('an empty file is reported, and creates no log', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  for (const content of ['', '\n \n\n']) {
    const file = await place.file('empty.jsonl', content)
    const run = await place.run('ingest', file, '--json')
    assertSucceeded(run)
    assert.equal(run.stderr, `loomlog: ${file} has no utterance: nothing is appended\n`)
    assert.deepEqual(jsonLines(run), [{ appended: 0, known: 0, notices: [`${file} has no utterance`] }])
  }
  assert.equal(existsSync(place.environment.LOOMLOG_DIR ?? ''), false)
})
