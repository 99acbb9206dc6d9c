/** For tests: a folder for views that is removed when the test ends, or a place in an object store, which stays. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A new folder; with LOOMLOG_TEST_VIEWS, a new place under that URI. */
export async function temporaryFolder(test: TestContext): Promise<string> {
  const { LOOMLOG_TEST_VIEWS } = process.env
  if (LOOMLOG_TEST_VIEWS) return `${LOOMLOG_TEST_VIEWS}/${randomUUID()}`
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-views-'))
  test.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
