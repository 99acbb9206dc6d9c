import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { searchFiles } from './candidate-cache.ts'

const packages = join(import.meta.dirname, '../../../packages')
const search = /^recall\/(?:search|request|text)\//

test('the key of the cache covers every file that the search of candidates imports', () => {
  const covered = new Set(searchFiles())
  const imported = [...covered]
    .filter((file) => search.test(file))
    .flatMap((file) => importsOf(file).map((each) => [file, each] as const))
  assert.ok(imported.length > 20, 'the search has imports')
  assert.deepEqual(
    imported.filter(([, each]) => !covered.has(each)),
    [],
  )
  for (const file of ['rank-utterances', 'ranks', 'text-cues'])
    assert.ok(covered.has(`recall/ranking/${file}.ts`), file)
  assert.ok(covered.has('recall/request/request.ts'), 'the check of the request')
})

/** Relative imports of values. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(packages, file), 'utf8')
  return [...text.matchAll(/^import (?!type )[^']*from '(\.[^']*)'/gm)].map(([, path = '']) =>
    join(dirname(file), path),
  )
}
