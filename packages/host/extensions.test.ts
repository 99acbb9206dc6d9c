import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { loadExtensions } from './extensions.ts'

interface Names {
  readonly stage: string
  readonly topic: string
  readonly record: string
  readonly table: string
  readonly kind: string
}

const first: Names = { stage: 'moods', topic: 'moods', record: 'MoodFound', table: 'moods', kind: 'mood' }
const second: Names = { stage: 'risks', topic: 'risks', record: 'RiskFound', table: 'risks', kind: 'risk' }

/** Modules of extensions that have names and nothing else. */
async function modules(t: TestContext, ...all: readonly Names[]): Promise<readonly string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-extensions-'))
  t.after(() => rm(dir, { recursive: true }))
  return Promise.all(
    all.map(async ({ stage, topic, record, table, kind }, at) => {
      const processor = { stage, writes: { name: topic, derivedFrom: 'facts', writers: [stage] } }
      const extension = { processor, records: [{ name: record }], tables: [{ name: table, kinds: [kind] }] }
      const module = join(dir, `extension-${at + 1}.mjs`)
      await writeFile(module, `export default ${JSON.stringify(extension)}`)
      return module
    }),
  )
}

const names = Object.keys(first) as readonly (keyof Names)[]

test('extensions with distinct names are installed, in the order of their modules', async (t) => {
  const { extensions, topics, tables } = await loadExtensions(await modules(t, first, second))
  assert.deepEqual(
    extensions.map(({ processor }) => processor.stage),
    ['moods', 'risks'],
  )
  assert.deepEqual([topics.at(-1)?.name, tables.at(-1)?.name], ['risks', 'risks'])
})

test('two extensions with the same stage, topic, record, table or kind are refused, and both are named', async (t) => {
  for (const name of names) {
    const paths = await modules(t, first, { ...second, [name]: first[name] })
    await assert.rejects(loadExtensions(paths), (error: Error) => {
      assert.ok(isLoomlogError(error, 'config-invalid'), name)
      for (const part of [...paths, `${name} ${first[name]}`]) assert.ok(error.message.includes(part), error.message)
      return true
    })
  }
})

test('an extension with a name of loomlog itself is refused, also with that of a service', async (t) => {
  const ofLoomlog = { stage: 'fact-extractor', topic: 'facts', record: 'FactRecorded', table: 'facts', kind: 'fact' }
  const taken = [...Object.entries(ofLoomlog), ['stage', 'materializer'] as const]
  for (const [name, value] of taken) {
    const [path = ''] = await modules(t, { ...first, [name]: value })
    await assert.rejects(loadExtensions([path]), (error: Error) => {
      assert.ok(isLoomlogError(error, 'config-invalid'), name)
      for (const part of ['loomlog itself', path, `${name} ${value}`])
        assert.ok(error.message.includes(part), error.message)
      return true
    })
  }
})
