import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factColumns } from './fact-columns.ts'
import { factsAsCsv } from './facts-csv.ts'
import type { ExportedMemory } from './space-export.ts'

const fact = {
  id: 'f1',
  kind: 'fact',
  type: 'state',
  text: 'I live in Lisbon.',
  conversation: 'c',
  speaker: 'Maya',
  sources: ['u1'],
  at: Date.UTC(2026, 2, 2),
  knownFrom: 0,
  knownTo: null,
  derivation: 'd',
  method: 'rules',
}

async function csvOf(fields: object): Promise<string> {
  async function* facts() {
    yield { memory: { ...fact, ...fields }, generation: 'g', space: 's' } as ExportedMemory & { space: string }
  }
  let csv = ''
  for await (const text of factsAsCsv(facts())) csv += text
  return csv
}

/** The cell below a column's name, as it is between the commas. */
async function cell(name: string, fields: object): Promise<string> {
  const csv = await csvOf(fields)
  const line = csv.slice(csv.indexOf('\r\n') + 2)
  const cells = line.match(/(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n$)/g) ?? []
  return (cells[factColumns.findIndex((column) => column.name === name)] ?? '').replace(/,$|\r\n$/, '')
}

test('a fact is a line of cells under their names, with times in ISO 8601 and lists in JSON', async () => {
  const csv = await csvOf({})
  assert.ok(csv.startsWith('id,space,kind,text,'), csv)
  assert.ok(csv.endsWith('\r\n'))
  assert.equal(csv.split('\r\n').length, 3)
  assert.equal(await cell('said_at', {}), '2026-03-02T00:00:00.000Z')
  assert.equal(await cell('sources', {}), '"[""u1""]"')
  assert.equal(await cell('state', {}), 'current')
  assert.equal(await cell('known_to', {}), '')
})

test('quotes, commas and line breaks stay within their cell', async () => {
  assert.equal(await cell('text', { text: 'a "b", c\r\nd\ne' }), '"a ""b"", c\r\nd\ne"')
})

test('a text that a spreadsheet would run gets an apostrophe', async () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '\r=1', '＝1'])
    assert.match(await cell('text', { text }), /^"?'/, JSON.stringify(text))
  for (const text of ['a=b', '1-2', "'x", '']) assert.equal(await cell('text', { text }), text)
})

test('a sign after a semicolon, a tab or a line break gets an apostrophe, in a cell and in a list', async () => {
  assert.equal(await cell('speaker', { speaker: 'Y;=1+1;' }), `"Y;'=1+1;"`)
  for (const text of ['a;=1', 'a\t+1', 'a\n@SUM(A1)', 'a\r-1', 'a; =1', 'a;"=1', ';;＝1', 'a\n \n=1', '\t=1']) {
    const made = await cell('text', { text })
    assert.match(made, /^".*"$/s, made)
    for (const part of made.slice(1, -1).split(/[;\t\r\n]/)) assert.doesNotMatch(part, /^[\s"]*[=+\-@＝]/, made)
  }
  assert.equal(await cell('persons', { persons: ['Y;=1+1'] }), `"[""Y;'=1+1""]"`)
  assert.equal(await cell('text', { text: "a;b;'=1" }), `"a;b;'=1"`)
})
