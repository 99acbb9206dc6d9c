/** The generated pages of docs/reference are those of the code. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { declarationsIn } from './library-page.ts'
import { subcommandsIn } from './options-page.ts'
import { referencePages } from './pages.ts'

test('the pages of docs/reference are current', async () => {
  for (const [file, text] of Object.entries(await referencePages())) {
    const page = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
    assert.equal(page, text, `${file} is not current: run npm run generate`)
  }
})

test('a declaration is found whole, with its comment', () => {
  const source = [
    '/** A box. */',
    'export interface Box {',
    '  readonly id: string',
    '}',
    '',
    'export type Id = string',
    '',
  ]
  assert.deepEqual(declarationsIn(source.join('\n')), [
    { name: 'Box', comment: 'A box.', text: 'export interface Box {\n  readonly id: string\n}' },
    { name: 'Id', comment: '', text: 'export type Id = string' },
  ])
})

test('subcommands are read from a help text', () => {
  const help =
    'Usage: x\n\nCommands:\n  up [options]   run\n                 all\n  log            copy\n  help [command] help'
  assert.deepEqual(subcommandsIn(help), ['up', 'log'])
})
