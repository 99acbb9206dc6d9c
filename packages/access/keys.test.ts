/** API keys on a real log: their creation, bounds, expiry, rotation and revocation. The log holds no key. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { AuditRecorder } from './audit-recorder.ts'
import { CallerLimits, defaultCallerLimits } from './caller-limits.ts'
import { createKey, followKeys, type KeyRequest, readKeys, revokeKey, rotateKey } from './key-store.ts'
import { KeyUses } from './key-uses.ts'
import { applyKeyEvent, endOfKey, noKeys } from './keys.ts'
import { ServerAccess } from './server-access.ts'

async function server(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-keys-'))
  const log = openSqliteLog({ dir })
  for (const name of ['keys', 'key-uses']) await log.createTopic({ name, partitions: 1, retentionMs: null })
  const place = { log, codec: await Codec.open(log.schemas) }
  const onError = (error: unknown) => t.diagnostic(String(error))
  const keys = await followKeys({ ...place, onTemporaryFailure: onError, onError })
  t.after(async () => {
    await keys.close()
    await log.close()
    await rm(dir, { recursive: true })
  })
  const uses = new KeyUses({ ...place, onDelayed: onError })
  const access = new ServerAccess({
    keys,
    tokens: null,
    limits: new CallerLimits(defaultCallerLimits),
    audit: new AuditRecorder({ ...place, onDropped: onError }),
    uses,
  })
  const make = (request: Partial<KeyRequest> = {}) =>
    createKey({ tenant: 'acme', scopes: ['append', 'recall'], spaces: null, label: 'crm', ...request }, place)
  /** Waits until this process has read a change from the log, as if another process had written it. */
  async function until(isDone: () => Promise<boolean>) {
    for (const deadline = Date.now() + 5_000; !(await isDone()); await sleep(10)) assert.ok(Date.now() < deadline)
  }
  const isValid = (text: string) =>
    access.authenticate(`Bearer ${text}`).then(
      () => true,
      (error) => {
        assert.ok(isLoomlogError(error, 'unauthenticated'), String(error))
        return false
      },
    )
  return { dir, place, keys, uses, access, make, until, isValid }
}

test('a key names its tenant, scopes and spaces; a wrong secret, another id and other text are refused', async (t) => {
  const { access, make, until, isValid } = await server(t)
  const [one, other] = [await make(), await make({ tenant: 'other', scopes: ['subscribe'], spaces: ['home'] })]
  await until(() => isValid(other.text))
  const caller = await access.authenticate(`bearer ${one.text}`)
  assert.deepEqual(
    [caller.name, caller.tenant, [...caller.scopes], caller.spaces],
    [`key:${one.id}`, 'acme', ['append', 'recall'], null],
  )
  assert.deepEqual((await access.authenticate(`Bearer ${other.text}`)).spaces, new Set(['home']))
  const secretOf = (text: string) => text.slice('llk_'.length + 17)
  const mixed = `llk_${one.id}_${secretOf(other.text)}`
  const changed = `${one.text.slice(0, -1)}${one.text.endsWith('A') ? 'B' : 'A'}`
  for (const text of [mixed, changed, `${one.text}A`, one.text.slice(0, -1), one.id, secretOf(one.text), 'llk__'])
    assert.equal(await isValid(text), false, text)
  for (const header of [one.text, `Basic ${one.text}`, 'Bearer', `Bearer ${one.text} ${one.text}`])
    await assert.rejects(access.authenticate(header), /Bearer KEY/, header)
})

test('a revoked key stops in running servers, and stays listed', async (t) => {
  const { place, make, until, isValid } = await server(t)
  const [one, other] = [await make(), await make()]
  await until(() => isValid(other.text))
  await revokeKey(one.id, place)
  await until(async () => !(await isValid(one.text)))
  assert.ok(await isValid(other.text))
  await revokeKey(one.id, place)
  const keys = [...(await readKeys(place)).values()]
  assert.deepEqual(
    keys.map(({ id, revokedAt }) => [id, revokedAt !== null]),
    [
      [one.id, true],
      [other.id, false],
    ],
  )
  await assert.rejects(revokeKey('none', place), /there is no key none: loomlog keys list/)
})

test('a server without keys is open; from the first key on it is closed, also after the last one is revoked', async (t) => {
  const { place, access, make, until, isValid } = await server(t)
  assert.equal((await access.authenticate(undefined)).tenant, null)
  await assert.rejects(access.authenticate('Bearer llk_x'), /unknown or revoked/)
  const { id, text } = await make()
  await until(() => isValid(text))
  await assert.rejects(access.authenticate(undefined), /there is no key: send one as Authorization: Bearer KEY/)
  await revokeKey(id, place)
  await until(async () => !(await isValid(text)))
  assert.equal(access.isOpen, false)
})

test('the log holds no key, and two keys have nothing in common', async (t) => {
  const { dir, make } = await server(t)
  const [one, other] = [await make(), await make()]
  const files = ['log.db', 'log.db-wal'].map((name) => readFile(join(dir, name), 'latin1').catch(() => ''))
  const bytes = (await Promise.all(files)).join('')
  assert.ok(bytes.includes(one.id))
  for (const { text } of [one, other]) assert.ok(!bytes.includes(text.slice(-43)), 'its secret')
  assert.notEqual(one.id, other.id)
  assert.match(one.text, /^llk_[0-9a-f]{16}_[\w-]{43}$/)
})

test('a key without scopes, and one for every tenant that is narrowed to spaces, are refused', async (t) => {
  const { make } = await server(t)
  await assert.rejects(make({ scopes: [] }), /expected some of append, instruct, recall/)
  await assert.rejects(make({ tenant: null, spaces: ['home'] }), /name its tenant/)
})

test('a key names the authors in whose names it writes, each once and as names are stored', async (t) => {
  const { access, make, until, isValid } = await server(t)
  const bound = await make({ speakers: [' Zoe\u0308', 'Zoë', 'Maya'], roles: ['human', 'human'] })
  const free = await make()
  await until(() => isValid(free.text))
  const { authors } = await access.authenticate(`Bearer ${bound.text}`)
  assert.deepEqual(authors, { speakers: new Set(['Zoë', 'Maya']), roles: new Set(['human']) })
  assert.deepEqual((await access.authenticate(`Bearer ${free.text}`)).authors, { speakers: null, roles: null })
  await assert.rejects(make({ speakers: ['Ma\u200bya'] }), /speaker is "Ma\\u200bya": expected 1 to 256 characters/)
  await assert.rejects(make({ speakers: [] }), /speakers is \[\]: expected at least one name/)
  await assert.rejects(make({ roles: [] }), /roles is \[\]: expected some of human, agent, tool, system/)
  await assert.rejects(
    make({ scopes: ['recall'], speakers: ['Maya'] }),
    /only reads: expected a scope of append, correct/,
  )
})

test('a key that expires is refused from that moment on, with the reason, and one in the past is not made', async (t) => {
  const { access, make, until, isValid } = await server(t)
  const expiresAt = Date.now() + 1_000
  const { text } = await make({ expiresAt })
  const lasting = await make({ expiresAt: Date.now() + 3_600_000 })
  await until(() => isValid(lasting.text))
  assert.ok((await isValid(text)) || Date.now() >= expiresAt)
  await until(async () => Date.now() >= expiresAt)
  await assert.rejects(access.authenticate(`Bearer ${text}`), /the key has expired/)
  const wrong = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`
  await assert.rejects(access.authenticate(`Bearer ${wrong}`), /unknown or revoked/, 'a wrong secret learns nothing')
  assert.ok(await isValid(lasting.text))
  await assert.rejects(make({ expiresAt: Date.now() }), /would expire at .*: expected a later time than now/)
})

test('a rotated key has a successor with its grants, and ends after the overlap, in one record', async (t) => {
  const { place, access, make, until, isValid } = await server(t)
  const grants = { tenant: 'acme', scopes: ['append'], spaces: ['home'], label: 'crm', speakers: ['Maya'] } as const
  const old = await make({ ...grants, expiresAt: Date.now() + 90 * 86_400_000 })
  const [before] = await place.log.endOffsets('keys')
  const { id, text, replacedExpiresAt } = await rotateKey(old.id, { overlapMs: 3_000 }, place)
  assert.deepEqual(await place.log.endOffsets('keys'), [(before ?? 0) + 1])
  await until(() => isValid(text))
  const [was, is] = [await access.authenticate(`Bearer ${old.text}`), await access.authenticate(`Bearer ${text}`)]
  assert.deepEqual({ ...is, name: '', credential: null }, { ...was, name: '', credential: null })
  const [made, next] = [...(await readKeys(place)).values()]
  assert.deepEqual(made?.replacement, { id, endsAt: replacedExpiresAt })
  const lifetimeMs = (key = made) => (key?.expiresAt ?? 0) - (key?.at ?? 0)
  assert.ok(Math.abs(lifetimeMs(next) - lifetimeMs()) < 1_000, 'it is valid for as long')
  await until(async () => Date.now() >= replacedExpiresAt)
  await assert.rejects(access.authenticate(`Bearer ${old.text}`), /the key has expired/)
  assert.ok(await isValid(text))
})

test('a second rotation ends a key no later; one without overlap ends it at once; a revoked key has no successor', async (t) => {
  const { place, make, until, isValid } = await server(t)
  const { id, text } = await make()
  const never = await rotateKey(id, { overlapMs: 60_000 }, place)
  assert.equal(never.expiresAt, null)
  const later = await rotateKey(id, { overlapMs: 3_600_000, expiresAt: Date.now() + 7_200_000 }, place)
  assert.equal(later.replacedExpiresAt, never.replacedExpiresAt)
  await until(() => isValid(text))
  const last = await rotateKey(id, { overlapMs: 0, expiresAt: null }, place)
  await until(async () => !(await isValid(text)))
  for (const next of [never, later, last]) await until(() => isValid(next.text))
  await revokeKey(last.id, place)
  await assert.rejects(rotateKey(last.id, { overlapMs: 0 }, place), /is revoked: loomlog keys create/)
  await assert.rejects(rotateKey('none', { overlapMs: 0 }, place), /there is no key none/)
  await assert.rejects(rotateKey(id, { overlapMs: 0, expiresAt: 1 }, place), /expected a later time than now/)
})

test('of two rotations at the same moment the earlier end holds, in either order', () => {
  const grants = { tenant: 'acme', scopes: ['append'], spaces: null, label: '', speakers: null, roles: null }
  const made = { type: 'KeyCreated', digest: '', ...grants, expiresAt: null, at: 1, keyId: null } as const
  const old = { ...made, id: 'old', replaces: null, replacedExpiresAt: null }
  const successors = [10, 20].map((end) => ({ ...made, id: `k${end}`, replaces: 'old', replacedExpiresAt: end }))
  for (const order of [successors, successors.toReversed()]) {
    const keys = [old, ...order, ...order].reduce(applyKeyEvent, noKeys)
    assert.equal(keys.size, 3)
    assert.equal(endOfKey(keys.get('old') ?? { expiresAt: null, replacement: null }), 10)
    assert.equal(keys.get('old')?.replacement?.id, order[1]?.id)
  }
})
