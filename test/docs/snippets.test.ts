/** The snippets of README.md, docs/start and docs/guides: programs fit the types, and every block runs. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { projectFolder, runPage } from './page-run.ts'
import { snippetsIn } from './snippets.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = globSync(['README.md', 'docs/{start,guides}/*.md'], { cwd: root }).sort()
const snippetsOf = (page: string) => snippetsIn(readFileSync(`${root}${page}`, 'utf8'))

/** By page: a word that its output shows. */
const shown: { readonly [page: string]: RegExp } = {
  'README.md': /I moved to Porto last week/,
  'docs/guides/correct.md': /Maya lives in Lisbon/,
  'docs/guides/export.md': /2 facts of the space team.*loomlog\.record\.UtteranceAppended/s,
  'docs/guides/import.md': /Maya: I moved to Porto last week/,
  'docs/guides/promote.md': /shorter/,
  'docs/guides/subscribe.md': /loomlog\.fact\.recorded/,
  'docs/start/embedded.md': /You remember this:.*Porto/s,
  'docs/start/server.md': /Good luck there/,
}

const compilerOptions = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable', 'dom', 'dom.asynciterable'],
  types: ['node'],
  allowImportingTsExtensions: true,
  skipLibCheck: true,
}

test('the programs of every page fit the types', async () => {
  const folder = await projectFolder()
  for (const page of pages)
    for (const { language, line, text } of snippetsOf(page))
      if (language === 'ts') await writeFile(join(folder, `${page.replaceAll('/', '-')}-${line}.ts`), text)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  await run(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', folder]).catch(({ stdout }) =>
    assert.fail(stdout),
  )
  await rm(folder, { recursive: true })
})

describe('the snippets run', { concurrency: 2 }, () => {
  for (const page of pages) {
    const snippets = snippetsOf(page).filter(({ notRun }) => notRun === null)
    const expected = shown[page]
    if (snippets.length > 0)
      test(page, async () => {
        assert.ok(expected, `name a word of the output of ${page} in this test`)
        assert.match(await runPage(snippets), expected)
      })
  }
})

test('a block that does not run has its reason', (t) => {
  const left = pages.flatMap((page) =>
    snippetsOf(page).flatMap(({ line, notRun }) => (notRun === null ? [] : [`${page}:${line}: ${notRun}`])),
  )
  for (const line of left) t.diagnostic(line)
  assert.ok(left.every((line) => /: needs /.test(line)))
})

test('blocks are found by language, also in a list, with the reason above', () => {
  const page = '```ts\na\n```\n1. x\n   <!-- not run: needs Docker -->\n   ```sh\n   b\n   ```\n```json\n{}\n```\n'
  assert.deepEqual(snippetsIn(page), [
    { language: 'ts', line: 1, text: 'a\n', notRun: null },
    { language: 'sh', line: 6, text: 'b\n', notRun: 'needs Docker' },
  ])
})
