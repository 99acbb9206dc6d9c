import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { deal } from './deal.ts'
import { readFilledSheets, type SheetItem, writeSheets } from './sheets.ts'

const item = (id: string, group = id): SheetItem => ({ id, group, shown: { question: group, context: `text ${id}` } })

async function placeOf(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-sheets-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return { folder: join(dir, 'reader-1'), key: join(dir, 'keys', 'reader-1.jsonl') }
}

test('a sheet never has two contexts of one question', () => {
  const items = Array.from({ length: 90 }, (_, at) => item(`i${at}`, `q${at % 10}`))
  const sheets = deal(items, { size: 40, seed: 1 })
  assert.equal(sheets.length, 9)
  for (const sheet of sheets) assert.equal(new Set(sheet.map(({ group }) => group)).size, 10)
  assert.equal(new Set(sheets.flat()).size, 90)
})

test('a seed gives the same sheets, and another seed gives another order', () => {
  const items = Array.from({ length: 50 }, (_, at) => item(`i${at}`))
  const ids = (seed: number) => deal(items, { size: 40, seed }).map((sheet) => sheet.map(({ id }) => id))
  assert.deepEqual(ids(1), ids(1))
  assert.notDeepEqual(ids(1), ids(2))
  assert.deepEqual(
    ids(1).map(({ length }) => length),
    [25, 25],
  )
})

test('a sheet shows numbers and no names of items, and its filled rows find the items by their numbers', async (t) => {
  const place = await placeOf(t)
  assert.equal(writeSheets([item('a'), item('b')], place, 1), 1)
  const sheet = await readFile(join(place.folder, 'sheet-01.jsonl'), 'utf8')
  const rows = sheet
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { n: number; context: string })
  assert.deepEqual(Object.keys(rows[0] ?? {}), ['n', 'question', 'context'])
  const filled = rows.map(({ n, context }) => JSON.stringify({ n, answer: context }))
  await writeFile(join(place.folder, 'sheet-01.filled.jsonl'), filled.join('\n'))
  const found = readFilledSheets(place).map(({ id, row }) => [id, row.answer])
  assert.deepEqual(found.toSorted(), [
    ['a', 'text a'],
    ['b', 'text b'],
  ])
})

test('later sheets continue the numbers, and deal no item twice', async (t) => {
  const place = await placeOf(t)
  writeSheets([item('a')], place, 1)
  await writeFile(join(place.folder, 'sheet-01.filled.jsonl'), '{"n":1,"answer":"x"}\n')
  assert.equal(writeSheets([item('a'), item('b')], place, 1), 1)
  assert.deepEqual(JSON.parse(await readFile(join(place.folder, 'sheet-02.jsonl'), 'utf8')), {
    n: 2,
    question: 'b',
    context: 'text b',
  })
  assert.equal(writeSheets([item('a'), item('b')], place, 1), 0)
  assert.deepEqual(
    readFilledSheets(place).map(({ id }) => id),
    ['a'],
  )
})

test('a filled row with an unknown number is refused with its file and line', async (t) => {
  const place = await placeOf(t)
  writeSheets([item('a')], place, 1)
  await writeFile(join(place.folder, 'sheet-01.filled.jsonl'), '{"n":1}\n{"n":7}\n')
  assert.throws(() => readFilledSheets(place), /sheet-01\.filled\.jsonl:2 has n 7: expected a number of the sheet/)
})
