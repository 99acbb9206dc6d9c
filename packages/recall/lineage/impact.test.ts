import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { lineage, memory, row, type TableName, utterance } from '../fixture.ts'
import { impact } from './impact.ts'

const home = 'acme/home'

/** A box of two lines with a fact from each. The first fact is an entry of a document, and its event is linked. */
async function chain(place: Awaited<ReturnType<typeof memory>>) {
  let offset = 0
  const write = async (table: TableName, id: string, own: object, knownTo: number | null = null) => {
    offset += 1
    const fields = { offset, knownTo, ...own }
    await place.write(table, [await row(home, id, `${id} text`, fields)], offset + 1)
  }
  for (const said of ['said one', 'said two']) await write('utterances', said, {})
  await write('boxes', 'box', { topic: 'boats', sources: ['said one', 'said two'], lineage: lineage('a pause') })
  for (const n of ['one', 'two']) {
    await write('facts', `fact ${n}`, { sources: [`said ${n}`], lineage: lineage('box', `said ${n}`) })
  }
  await write('facts', 'happened', { sources: ['said one'], lineage: lineage('box', 'said one') })
  await write('links', 'link', { lineage: lineage('happened') })
  const line = { document: 'doc', facts: ['fact one'], sources: ['said one'] }
  await write('entries', 'entry', { ...line, lineage: lineage('fact one') }, 9)
  await write('documents', 'doc', { lineage: lineage('long gone') })
}

async function effectsOf(place: Awaited<ReturnType<typeof memory>>, id: string) {
  return (await impact(id, home, place)).effects.map((effect) => `${effect.id}: ${effect.by} of ${effect.from}`).sort()
}

test('all derived memories are found, those that cite the memory apart from those of the same box', async (t) => {
  const place = await memory(t)
  await chain(place)
  assert.deepEqual(await effectsOf(place, 'said one'), [
    'box: evidence of said one',
    'doc: evidence of entry',
    'entry: evidence of said one',
    'fact one: evidence of said one',
    'fact two: context of box',
    'happened: evidence of said one',
    'link: evidence of happened',
  ])
  // The impact of a fact: its entry and its document, current or retired.
  const { effects } = await impact('fact one', home, place)
  assert.deepEqual(
    effects.map(({ id, kind, holds, record }) => [id, kind, holds, record.offset]),
    [
      ['entry', 'entry', 'no longer', 8],
      ['doc', 'document', 'now', 9],
    ],
  )
  assert.deepEqual((await impact('fact two', home, place)).effects, [])
})

test('an utterance of the log tail has no impact yet, and an unknown id is not found', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'zebra'))
  assert.deepEqual((await impact('u1', home, place)).effects, [])
  await assert.rejects(
    () => impact('u1', 'acme/work', place),
    (error) => isLoomlogError(error, 'not-found'),
  )
})

test('while a view is rebuilt, the impact names it, and an unknown id may be in it', async (t) => {
  const place = await memory(t)
  await chain(place)
  assert.equal((await impact('said one', home, place)).rebuilding, undefined)
  for (const file of await readdir(place.folder, { recursive: true })) {
    if (/utterances\.lance.data.*\.lance$/.test(file)) await writeFile(join(place.folder, file), 'garbage')
  }
  place.views.forget()
  await place.append(utterance(home, 'u1', 'zebra'))
  const { effects, rebuilding } = await impact('u1', home, place)
  assert.deepEqual([effects, rebuilding?.map(({ topic }) => topic)], [[], ['utterances']])
  await assert.rejects(
    () => impact('said one', home, place),
    (error) => isLoomlogError(error, 'views-behind'),
  )
})
