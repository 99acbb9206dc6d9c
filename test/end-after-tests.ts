/**
 * Preloaded by `npm test`: ends a file some seconds after its last test, if something that a failed test left open
 * keeps the process alive. `--test-force-exit` ends it at once, before the results of its tests are written.
 */
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

const graceMs = 5_000

if (isMainThread && /(\.test\.ts|\/loomlog-tests-[^/]+\/[^/]+\.mjs)$/.test(process.argv[1] ?? ''))
  after(() => void setTimeout(() => process.exit(), graceMs).unref())
