/** The calls that the usage and the metric show, against those that reach the endpoint. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fixture, ingestArgs } from './fixture.ts'
import { loomlog, startProgram } from './loomlog.ts'

interface Usage {
  readonly total: { readonly asks: number; readonly calls: number; readonly repairs: number }
  readonly accounts: readonly { readonly task: string; readonly calls: number; readonly repairs: number }[]
}

/** The repair comes last: of an ask that fails in between, only the failed requests are counted. */
const faults = [{ fault: 'status', status: 500 }, { fault: 'hang' }, { fault: 'invalid-json' }] as const

test('usage and metric count every request that reached the endpoint, failed ones and repairs too, and no vector of this process', async (t) => {
  const made = await fixture(t, 24, { LOOMLOG_EMBEDDER: 'words', LOOMLOG_MODEL_TIMEOUT_MS: '1000' })
  const dir = join(made.dir, 'log')
  made.endpoint.setScript(faults)
  const run = await loomlog(ingestArgs(made, dir), made.environment)
  assert.equal(run.code, 0, run.stderr)
  const { process, finished } = startProgram(['up', '--port', '0', '--json', '--dir', dir], made.environment)
  t.after(() => process.kill('SIGKILL'))
  const url = await new Promise<string>((resolve, reject) => {
    process.stdout?.on('data', (data) => resolve((JSON.parse(String(data)) as { url: string }).url))
    void finished.then(({ stderr }) => reject(new Error(stderr)))
  })
  const usage = (await (await fetch(`${url}/v1/usage`)).json()) as Usage
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const { total: sent } = made.endpoint.calls()
  const { asks, calls, repairs } = usage.total
  assert.deepEqual([calls, repairs], [sent, 1])
  assert.match(metrics, new RegExp(`^loomlog_model_calls_total ${sent}$`, 'm'))
  assert.match(metrics, /^loomlog_model_repairs_total 1$/m)
  const vectors = usage.accounts.filter(({ task }) => task === 'embed')
  assert.ok(vectors.length > 0 && vectors.every((account) => account.calls === 0))
  assert.ok(asks > sent, `${asks} asks, ${sent} requests`)
})
