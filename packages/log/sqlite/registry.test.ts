import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { openSqliteLog } from './adapter.ts'

const subject = 'loomlog.Thing'
const first =
  '{"type":"record","name":"loomlog.Thing","fields":[{"name":"x","type":"string","confluent:tags":["PII"]}]}'

test('white space and the order of keys make no new version, and the text first given is kept with its tags', async (t) => {
  const { schemas } = await openLog(t)
  const id = await schemas.register(subject, first, 'FULL_TRANSITIVE')
  const { fields, name, type } = JSON.parse(first)
  const sameAgain = JSON.stringify({ fields, name, type }, null, 2)
  assert.equal(await schemas.register(subject, sameAgain, 'FULL_TRANSITIVE'), id)
  assert.equal(await schemas.schema(id), first)
})

test('a refusal names the subject, the version it does not fit, and the reason', async (t) => {
  const { schemas } = await openLog(t)
  await schemas.register(subject, first, 'BACKWARD_TRANSITIVE')
  const renamed = first.replace('"x"', '"y"')
  await assert.rejects(schemas.register(subject, renamed, 'BACKWARD_TRANSITIVE'), (error) => {
    assert.ok(isLoomlogError(error, 'schema-refused'))
    assert.match(error.message, /loomlog\.Thing.*BACKWARD_TRANSITIVE.*version 1: no matching field.*\.y/)
    return true
  })
})

test('two handles that register the same new schema at once get the same id', async (t) => {
  const { dir, schemas } = await openLog(t)
  const other = openSqliteLog({ dir })
  t.after(() => other.close())
  const ids = await Promise.all(
    [schemas, other.schemas].map((each) => each.register(subject, first, 'FULL_TRANSITIVE')),
  )
  assert.equal(ids[0], ids[1])
})

async function openLog(t: { after(work: () => Promise<void>): void }) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-'))
  const { schemas, close } = openSqliteLog({ dir })
  t.after(async () => {
    await close()
    await rm(dir, { recursive: true })
  })
  return { dir, schemas }
}
