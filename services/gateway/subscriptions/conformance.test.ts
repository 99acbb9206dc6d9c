/**
 * The read side of the feed passes the conformance suite of Durable Streams. Tests of the write side, and of features
 * that the feed lacks, are left out by name. If a single test on the list passes, this test fails, so the list stays
 * true.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startConformanceServer } from './conformance-server.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))

/** Groups of tests, by the start of their titles. */
const groupsLeftOut = {
  TTL: 'streams end by themselves; the feed is kept without limit',
  'Idempotent Producer': 'writing; only the publisher writes',
  'Stream Closure': 'writing; a feed is never closed',
  Fork: 'writing; a feed is not forked',
  Reserved: 'subscriptions of the suite, an optional part',
}

const writing = 'writing; only the publisher writes'
const binary = 'SSE of binary streams; the feed is JSON'
const testsLeftOut: { readonly [title: string]: string } = {
  'should enforce sequence ordering with seq': writing,
  'should return 409 on content-type mismatch': writing,
  'should enforce sequence ordering': writing,
  'should enforce lexicographic seq ordering ("2" then "10" rejects)': writing,
  'should reject duplicate seq values': writing,
  'should allow idempotent create with different case content-type': writing,
  'should enforce content-type match on append': writing,
  'should reject empty POST body with 400': writing,
  'should enforce case-sensitive seq ordering': writing,
  'should reject missing Content-Type on POST': writing,
  'should return TTL metadata if configured': writing,
  'should reject POST with empty array body': writing,
  'should reject invalid JSON with 400': writing,
  'should reject empty JSON arrays with 400': writing,
  'out-of-order seq values are rejected': writing,
  'should allow If-None-Match in CORS preflight responses': 'the gateway refuses pages of other sites',
  'base64 SSE catch-up pairs every data event with a control event': binary,
  'should auto-detect binary streams and return base64 encoded data in SSE mode': binary,
  'should include Stream-SSE-Data-Encoding header for binary streams': binary,
  'should handle large binary payload with auto-detected base64 encoding': binary,
  'should handle binary data with special bytes using auto-detected base64 encoding': binary,
  'should auto-detect base64 encoding for application/x-protobuf streams': binary,
  'should auto-detect base64 encoding for image/png streams': binary,
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

test('every test of the suite that concerns reading passes, and the others are named', async (t) => {
  const server = await startConformanceServer()
  t.after(() => server.close())
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-conformance-'))
  t.after(() => rm(dir, { recursive: true }))
  const outputFile = join(dir, 'report.json')
  const only = `^(?!${Object.keys(groupsLeftOut).join('|')})`
  const args = [
    'run',
    '--root',
    here,
    '--reporter=json',
    `--outputFile=${outputFile}`,
    '--testTimeout=20000',
    '-t',
    only,
  ]
  const env = { ...process.env, CONFORMANCE_URL: server.url }
  const child = spawn(process.execPath, [vitest, ...args, 'conformance.spec.ts'], { env, stdio: 'ignore' })
  await new Promise((resolve) => child.once('close', resolve))
  const report = JSON.parse(await readFile(outputFile, 'utf8')) as Report
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const passed = results.filter(({ status }) => status === 'passed')
  const failed = results.filter(({ status }) => status === 'failed')
  t.diagnostic(`${passed.length} passed, ${failed.length} left out by name`)
  assert.deepEqual(
    failed
      .filter(({ title }) => !Object.hasOwn(testsLeftOut, title))
      .map(({ title, failureMessages }) => [title, failureMessages]),
    [],
  )
  assert.deepEqual(
    Object.keys(testsLeftOut).filter((title) => !failed.some((each) => each.title === title)),
    [],
    'it passes now, or is no longer in the suite: take it from the list',
  )
  assert.ok(passed.length > 100)
})
