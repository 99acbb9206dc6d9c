/** The worked example in CONTRIBUTING.md shows the files of examples/promises as they are. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { repositoryFiles, textOf } from './sources.ts'

const page = textOf('CONTRIBUTING.md')
const excerpts = [...page.matchAll(/In `(examples\/[^`]+)`:\n\n((?: {4}.*\n|\n)+)/g)]

test('every excerpt in CONTRIBUTING.md is part of the file that it names', () => {
  assert.ok(excerpts.length >= 5, 'CONTRIBUTING.md has lost its excerpts')
  for (const [, path = '', indented = ''] of excerpts) {
    const excerpt = indented.replace(/^ {4}/gm, '').trim()
    assert.ok(textOf(path).includes(excerpt), `${path} has changed: copy it into CONTRIBUTING.md again`)
  }
})

test('CONTRIBUTING.md names every file of the example', () => {
  const files = repositoryFiles.filter((path) => path.startsWith('examples/promises/'))
  const names = files.map((path) => path.slice('examples/promises/'.length))
  const patterns = [/^schemas\/.*\.avsc$/, /^prompts\/.*\.md$/, /^pipeline\.test\.ts$/]
  const missing = names.filter((name) => !page.includes(`\`${name}\``) && !patterns.some((each) => each.test(name)))
  assert.deepEqual(missing, [])
})
