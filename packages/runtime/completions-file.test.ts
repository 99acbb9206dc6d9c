import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDisposableFile } from '@loomlog/log/disposable-file'
import { testSealing } from '@loomlog/log/sealing-fixture'
import { CompletionsFile, completionsFileLayout, completionsFileName, usageQueries } from './completions-file.ts'

test('usage of a tenant or of a day is read through an index, without the rows of other tenants and days', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-completions-'))
  const file = new CompletionsFile({ dir, sealing: null, onRebuild() {} })
  const db = openDisposableFile({
    dir,
    name: completionsFileName,
    schema: '',
    layout: completionsFileLayout,
    onRebuild() {},
  })
  t.after(async () => {
    db.close()
    file.close()
    await rm(dir, { recursive: true })
  })
  const { accounts, byDay, byModel, ofTenant, ofAll } = usageQueries
  for (const query of [accounts(ofTenant), byDay(ofTenant), byDay(ofAll), byModel(ofTenant), byModel(ofAll)]) {
    const plan = db
      .prepare(`explain query plan ${query}`)
      .all()
      .map(({ detail }) => String(detail))
    assert.match(plan[0] ?? '', /^SEARCH usage USING INDEX usage_(of_tenant|by_day)/)
  }
})

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-completions-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

const cost = { calls: 1, repairs: 0, inputTokens: 1, outputTokens: 1 }

function answer(key: string, text: string, offset: number, space = 'home') {
  const account = { tenant: 'acme', space, stage: 's', task: 't', prompt: 'p', model: 'm' }
  return { key, value: Buffer.from(text), offset, at: 0, account, cost }
}

function textOf(file: CompletionsFile, key: string): string | null {
  const found = file.find(key)
  const value = found && file.open(found)
  return value && Buffer.from(value).toString()
}

function checkpointAt(offset: number) {
  return { log: 'l', offset, last: null }
}

async function bytesIn(dir: string): Promise<Buffer> {
  return Buffer.concat(await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name)))))
}

test('beside an encrypted log no file shows an answer or its key, and a destroyed one is recorded again', async (t) => {
  const dir = await folder(t)
  const sealing = testSealing()
  await sealing.ready(['acme/home'])
  const file = new CompletionsFile({ dir, sealing, onRebuild() {} })
  t.after(() => file.close())
  file.keep(0, [answer('canarykey', 'canaryanswer', 0)], checkpointAt(1))
  assert.equal(textOf(file, 'canarykey'), 'canaryanswer')
  const bytes = await bytesIn(dir)
  for (const canary of ['canarykey', 'canaryanswer']) assert.ok(!bytes.includes(canary), canary)
  await sealing.rotate('acme/home')
  await sealing.destroyRetired('acme/home')
  assert.equal(textOf(file, 'canarykey'), null)
  file.keep(0, [answer('canarykey', 'another', 1)], checkpointAt(2))
  assert.equal(textOf(file, 'canarykey'), 'another')
})

test('forgotten answers leave the file; those that were recorded again, and those of other spaces, stay', async (t) => {
  const dir = await folder(t)
  const file = new CompletionsFile({ dir, sealing: null, onRebuild() {} })
  t.after(() => file.close())
  const old = ['old', 'used'].map((key, at) => answer(key, `canary of ${key}`, at))
  file.keep(0, [...old, answer('other', 'of another space', 2, 'work')], checkpointAt(3))
  file.keep(0, [answer('used', 'canary of used', 5), answer('new', 'new', 6)], checkpointAt(7))
  assert.ok((await bytesIn(dir)).includes('canary of old'))
  file.forgetAnswers('acme/home', [0, 1])
  assert.ok(!(await bytesIn(dir)).includes('canary of old'))
  assert.deepEqual(
    ['old', 'used', 'other', 'new'].map((key) => textOf(file, key)),
    [null, 'canary of used', 'of another space', 'new'],
  )
})
