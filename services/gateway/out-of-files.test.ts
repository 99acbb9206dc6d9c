import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('out-of-files-gateway.ts', import.meta.url))

test('a process without a free file descriptor reports that, answers 503 with Retry-After, and discards no intact view', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-files-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  const command = 'ulimit -n 128; exec "$0" "$@"'
  const { stdout } = await promisify(execFile)('bash', ['-c', command, process.execPath, program, dir])
  const { taking, log, recall, afterwards } = JSON.parse(stdout)
  assert.equal(taking, 'EMFILE')
  assert.match(log, /^out-of-files: this process has too many open files to (open|use) .*another/)
  assert.deepEqual(recall, [503, 'urn:loomlog:problem:out-of-files', '1'])
  assert.deepEqual(afterwards, [200, 1, null])
})
