/**
 * Views in an object store, for several machines that share them. LOOMLOG_TEST_VIEWS names it (s3://bucket/place, with
 * the store's AWS_… variables); the tests of packages/views use the same variable.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Fixture, fixture, ingestArgs } from '../pipeline/fixture.ts'
import { loomlog } from '../pipeline/loomlog.ts'

const { LOOMLOG_TEST_VIEWS } = process.env
const skip = LOOMLOG_TEST_VIEWS ? false : 'needs LOOMLOG_TEST_VIEWS, a place in an object store'

test('recall from an object store equals that from a folder, also after a rebuild of the view', {
  skip,
}, async (t) => {
  const made = await fixture(t, 12, { LOOMLOG_PARTITIONS: '1' })
  const stored = {
    ...made,
    environment: { ...made.environment, LOOMLOG_VIEWS: `${LOOMLOG_TEST_VIEWS}/${randomUUID()}` },
  }
  const again = {
    ...made,
    environment: { ...made.environment, LOOMLOG_VIEWS: `${LOOMLOG_TEST_VIEWS}/${randomUUID()}` },
  }
  const [folder, store] = [join(made.dir, 'folder'), join(made.dir, 'store')]
  const expected = await recallIds(made, folder)
  assert.ok(expected.length > 0)
  assert.deepEqual(await recallIds(stored, store), expected)
  assert.equal(existsSync(join(store, 'views')), false)
  assert.deepEqual(await recallIds(again, store), expected)
})

test('the error names an object store that is away', { skip }, async (t) => {
  const made = await fixture(t, 2, { LOOMLOG_PARTITIONS: '1' })
  const away = { LOOMLOG_VIEWS: 's3://away/views', AWS_ENDPOINT: 'http://127.0.0.1:9', AWS_ALLOW_HTTP: 'true' }
  const dir = join(made.dir, 'log')
  await loomlog(ingestArgs(made, dir), made.environment)
  const refused = await loomlog(['recall', 'boat', '--dir', dir], { ...made.environment, ...away })
  // LanceDB warns on stderr as well.
  assert.equal(refused.code, 1, refused.stderr)
  assert.match(refused.stderr, /^loomlog: the view at s3:\/\/away\/views\S+ can't be read: /m)
})

async function recallIds(made: Fixture, dir: string): Promise<readonly string[]> {
  const run = await loomlog(ingestArgs(made, dir), made.environment)
  assert.equal(run.code, 0, run.stderr)
  const { code, stdout, stderr } = await loomlog(['recall', 'boat engine', '--dir', dir, '--json'], made.environment)
  assert.equal(code, 0, stderr)
  const { memories } = JSON.parse(stdout) as { memories: { id: string; kind: string }[] }
  return memories.map(({ kind, id }) => `${kind} ${id}`)
}
