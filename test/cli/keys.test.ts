/** `loomlog keys` beside a running server: bound authors, expiry, rotation, last use. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '../eventually.ts'
import { assertRefused, assertSucceeded, commandFixture, jsonLines, utteranceLine } from './fixture.ts'

interface ListedKey {
  readonly id: string
  readonly state: string
  readonly endsAt: number | null
  readonly lastUsedHour: number | null
  readonly replacement: { readonly id: string } | null
}

async function openPlace(t: TestContext) {
  const place = await commandFixture()
  t.after(() => place.remove())
  const create = async (...args: readonly string[]) => {
    const run = await place.run('keys', 'create', '--tenant', 'acme', ...args, '--json')
    assertSucceeded(run)
    return jsonLines(run)[0] as { readonly id: string; readonly key: string; readonly expiresAt: number | null }
  }
  const listed = async () => JSON.parse((await place.run('keys', 'list', '--json')).stdout) as readonly ListedKey[]
  return { ...place, create, listed }
}

test('a key of Maya ingests as Maya alone; the list shows its authors, its last hour and its successor', async (t) => {
  const place = await openPlace(t)
  const bound = ['--scope', 'append', '--speaker', 'Maya', '--role', 'human', '--expires', '90d', '--label', 'crm']
  const { id, key } = await place.create(...bound)
  const running = place.start('up', '--port', '0', '--json')
  await eventually(() => assert.match(running.output(), /"url":/))
  const url = /"url":"([^"]+)"/.exec(running.output())?.[1] ?? ''
  const sinceHour = Date.now() - (Date.now() % 3_600_000)
  const ingest = async (speaker: string, with_: string) => {
    const file = await place.file(`${speaker}.jsonl`, utteranceLine({ speaker, text: `${speaker} sails.` }))
    return place.run('ingest', file, '--url', url, '--key', with_)
  }
  assertSucceeded(await ingest('Maya', key))
  assertRefused(await ingest('Tomas', key), 2, /speaker is "Tomas": expected "Maya", as key:[0-9a-f]+ is bound to it/)
  const rotated = await place.run('keys', 'rotate', id, '--overlap', '1h', '--json')
  assertSucceeded(rotated)
  const [next] = jsonLines(rotated) as { readonly id: string; readonly key: string; readonly replaces: string }[]
  assert.equal(next?.replaces, id)
  await eventually(async () => assertSucceeded(await ingest('Maya', next?.key ?? '')))
  assertRefused(await ingest('Tomas', next?.key ?? ''), 2, /speaker is "Tomas"/)
  assertSucceeded(await ingest('Maya', key))
  assertSucceeded(await place.run('keys', 'rotate', id, '--overlap', '0'))
  await eventually(async () => assertRefused(await ingest('Maya', key), 2, /the key has expired/))
  running.process.kill('SIGTERM')
  assert.equal((await running.finished).code, 0)
  const [first, second, third] = await place.listed()
  assert.deepEqual([first?.state, first?.replacement?.id], ['expired', third?.id])
  assert.deepEqual([second?.id, second?.state, third?.state], [next?.id, 'valid', 'valid'])
  for (const used of [first, second]) assert.ok((used?.lastUsedHour ?? 0) >= sinceHour, 'its use is recorded')
  assert.equal(third?.lastUsedHour, null)
  const { stdout } = await place.run('keys', 'list')
  const [head = '', ...rows] = stdout.trim().split('\n')
  assert.match(head, /^id +created +expires +reaches +scopes +writes as +last use +label +state$/)
  assert.match(
    rows[0] ?? '',
    /tenant acme +append +only Maya, as human +\d{4}-\d\d-\d\d \d\d:00 +crm +expired, replaced by /,
  )
  assert.match(rows[2] ?? '', /only Maya, as human +none recorded +crm$/)
})

test('a list says in words that a key writes as any speaker, and that it never expires', async (t) => {
  const place = await openPlace(t)
  await place.create('--scope', 'append')
  await place.create('--scope', 'append', '--role', 'agent', 'tool')
  await place.create('--scope', 'recall', '--expires', '2999-01-01T00:00:00Z')
  const { stdout } = await place.run('keys', 'list')
  const [, any, roles, reading] = stdout.split('\n')
  assert.match(any ?? '', / never +tenant acme +append +any speaker +none recorded$/)
  assert.match(roles ?? '', / any speaker, as agent, tool +none recorded$/)
  assert.match(reading ?? '', / 2999-01-01 00:00 +tenant acme +recall +none recorded$/)
})

test('wrong times, names and ids are refused with the field and the expectation, and make no key', async (t) => {
  const place = await openPlace(t)
  const { id } = await place.create('--scope', 'append')
  const create = ['keys', 'create', '--tenant', 'acme', '--scope']
  for (const [args, says] of [
    [[...create, 'append', '--expires', '90'], /expires is "90": expected never; a number with a unit/],
    [[...create, 'append', '--expires', '2026-02-30'], /expires is "2026-02-30"/],
    [[...create, 'append', '--expires', '2020-01-01'], /would expire at 2020-01-01T.*: expected a later time/],
    [[...create, 'append', '--expires', '0d'], /expected a later time than now/],
    [[...create, 'append', '--speaker', ' '], /speaker is " ": expected 1 to 256 characters/],
    [[...create, 'append', '--role', 'boss'], /'boss' is invalid. Allowed choices are human, agent, tool, system/],
    [[...create, 'recall', '--speaker', 'Maya'], /only reads: expected a scope of append, correct/],
    [['keys', 'rotate', id, '--overlap', '24'], /overlap is "24": expected 0, or a number with a unit/],
    [['keys', 'rotate', id, '--overlap', '-1h'], /overlap is "-1h"/],
    [['keys', 'rotate', 'none'], /there is no key none/],
  ] as const)
    assertRefused(await place.run(...args), 2, says)
  assert.deepEqual(
    (await place.listed()).map((key) => key.id),
    [id],
  )
})
