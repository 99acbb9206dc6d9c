import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { configFrom } from '@loomlog/host/config'
import { away, exitCodeOf, type Finding, ok, problem, warning } from './check-result.ts'
import { endpointFindings } from './endpoints.ts'
import { expiryFindings } from './exposure.ts'
import { folderFindings } from './folder.ts'
import { installationFindings } from './installation.ts'
import { type MemoryStatus, memoryFindings } from './memory-state.ts'
import { privacyFindings } from './privacy.ts'

const statesOf = (findings: readonly Finding[]) => findings.map(({ state }) => state)

async function temporaryFolder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-doctor-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

test('the exit code is that of the worst finding; a warning is no problem', () => {
  const fine = [ok('a', ''), warning('b', '', 'mend')]
  assert.equal(exitCodeOf(fine), 0)
  assert.equal(exitCodeOf([...fine, away('c', '', 'mend')]), 1)
  assert.equal(exitCodeOf([away('c', '', 'mend'), problem('d', '', 'mend')]), 2)
})

test('an old Node and a native module that does not load are problems, each with its remedy', async () => {
  const loadViews = () => Promise.reject(new Error('no binding for linux riscv64\nat load'))
  const installed = { loomlog: '1.0.0', platform: 'linux riscv64', loadViews }
  const [, node, native] = await installationFindings({ ...installed, node: '22.18.0' })
  assert.deepEqual([node?.state, native?.state], ['problem', 'problem'])
  assert.match(native?.text ?? '', /no binding for linux riscv64$/)
  for (const version of ['22.19.0', '24.0.0'])
    assert.equal((await installationFindings({ ...installed, node: version }))[1]?.state, 'ok', version)
})

test('a folder that is missing is fine', async (t) => {
  const dir = await temporaryFolder(t)
  assert.deepEqual(statesOf(folderFindings(join(dir, 'log'))), ['ok'])
  assert.deepEqual(privacyFindings(join(dir, 'log'), dir), [])
})

test('files that others can read are a warning: the log, the webhook key, backups, an .env with a key', async (t) => {
  const parent = await temporaryFolder(t)
  const dir = join(parent, "Maya's log")
  await mkdir(dir)
  await chmod(dir, 0o700)
  for (const name of ['log.db', 'webhook-key']) await writeFile(join(dir, name), '', { mode: 0o644 })
  await writeFile(join(dir, 'views.json'), '', { mode: 0o600 })
  assert.deepEqual(statesOf(privacyFindings(dir, parent)), ['ok'], 'a private folder hides its files')
  await chmod(dir, 0o755)
  const [folder] = privacyFindings(dir, parent)
  assert.deepEqual([folder?.state, folder?.mend], ['warning', `chmod -R go= '${parent}/Maya'\\''s log'`])
  assert.match(folder?.text ?? '', /with log\.db, webhook-key$/)
  const env = join(parent, '.env')
  await writeFile(env, 'LOOMLOG_DIR=log\n', { mode: 0o644 })
  assert.equal(privacyFindings(dir, parent).length, 1, 'no key in it')
  await writeFile(env, 'LOOMLOG_DIR=log\nexport LOOMLOG_API_KEY=sk-secret\n')
  const [, environment] = privacyFindings(dir, parent)
  assert.match(environment?.text ?? '', /LOOMLOG_API_KEY is open to other users$/)
  await chmod(env, 0o600)
  assert.equal(privacyFindings(dir, parent).length, 1)
})

test('an endpoint that refuses the key is a problem, one that fails may pass, and the key is not shown', async (t) => {
  const list = JSON.stringify({ data: [{ id: 'model-a:latest' }, { id: 'embedder-a' }] })
  const replies = [[401], [503], [200, list], [404], [200, list]] as const
  let served = 0
  const server = createServer((_, response) => {
    const [status, body = ''] = replies[served++] ?? [200]
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const asked = (model: string) =>
    endpointFindings(
      configFrom({
        LOOMLOG_MODEL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
        LOOMLOG_API_KEY: 'sk-secret',
        LOOMLOG_MODEL: model,
        LOOMLOG_EMBEDDER: 'openai:embedder-a',
        LOOMLOG_EMBEDDER_DIMENSIONS: '16',
      }),
    )
  const first = [await asked('model-a'), await asked('model-a'), await asked('model-a'), await asked('model-a')]
  assert.deepEqual(first.map(statesOf), [['problem'], ['away'], ['ok'], ['warning']])
  const unlisted = await asked('model-b')
  assert.deepEqual(statesOf(unlisted), ['ok', 'warning'])
  assert.match(unlisted[1]?.text ?? '', /does not list model-b$/)
  assert.doesNotMatch(JSON.stringify([first, unlisted]), /secret/)
})

test('closed ports of brokers and of the registry are problems that may pass', async () => {
  const environment = { LOOMLOG_LOG: 'kafka', LOOMLOG_KAFKA_BROKERS: '127.0.0.1:1,localhost:1' }
  const findings = await endpointFindings(configFrom({ ...environment, LOOMLOG_REGISTRY_URL: 'http://127.0.0.1:1' }))
  assert.deepEqual(
    findings.map(({ check, state }) => `${check} ${state}`),
    ['models ok', 'kafka away', 'kafka away', 'registry away'],
  )
  for (const { text } of findings.slice(1, 3)) assert.match(text, /ECONNREFUSED/)
})

const part = { topic: 'x', position: 0, end: 5, lag: 5, positions: [0], behindMs: 70_000, frozen: null, owners: [] }
const status: MemoryStatus = {
  generation: 'g',
  stages: [],
  views: [],
  waiting: [],
  parked: 0,
  webhooks: { all: 0, disabled: 0, parked: 0 },
}

test('parts that are behind or frozen, waiting processes and failed inputs are named, each with its command', () => {
  const found = (changes: Partial<MemoryStatus>) =>
    memoryFindings({ ...status, ...changes })
      .filter(({ state }) => state !== 'ok')
      .map(({ check, state, mend }) => `${check}: ${state}, ${mend}`)
  const view = { ...part, name: 'view of facts' }
  const stage = { ...part, name: 'topic-loom' }
  assert.deepEqual(found({}), [])
  assert.deepEqual(found({ views: [view] }), ['view of facts: warning, loomlog up'])
  const derived = { ...stage, lag: 0, owners: ['7 on here'] }
  assert.deepEqual(found({ stages: [derived], views: [view] }), ['view of facts: warning, loomlog status'])
  assert.deepEqual(found({ stages: [derived], views: [{ ...view, behindMs: 900 }] }), [])
  const frozen = { ...stage, frozen: 'it has no endpoint' }
  assert.deepEqual(found({ stages: [frozen] }), ['topic-loom: problem, loomlog generation plan'])
  const waiting = [{ process: '7 on here', text: 'the endpoint is away', since: 1 }]
  assert.deepEqual(found({ waiting, parked: 1 }), [
    'process: away, loomlog status',
    'parked: warning, loomlog parked list',
  ])
  const webhooks = { all: 2, disabled: 1, parked: 0 }
  assert.deepEqual(found({ webhooks }), ['webhooks: warning, loomlog webhooks list'])
})

test('a key that expires within 14 days is a warning with the command that replaces it, unless it has ended or is replaced', () => {
  const now = Date.parse('2026-03-02T09:00:00Z')
  const day = 86_400_000
  const grants = { tenant: 't', scopes: ['append'], spaces: null, label: '', speakers: null, roles: null }
  const key = {
    ...grants,
    id: 'k1',
    digest: '',
    at: now,
    expiresAt: now + 13 * day,
    revokedAt: null,
    replacement: null,
  }
  const found = (changes: Partial<typeof key> & { replacement?: object }) =>
    expiryFindings(new Map([['k1', { ...key, ...changes } as never]]), now)
  const [finding, ...more] = found({ label: 'crm' })
  assert.deepEqual([finding?.state, finding?.mend, more], ['warning', 'loomlog keys rotate k1', []])
  assert.match(finding?.text ?? '', /^the key k1 \(crm\) expires at 2026-03-15 09:00 UTC$/)
  for (const changes of [
    { expiresAt: null },
    { expiresAt: now + 14 * day },
    { expiresAt: now - 1 },
    { revokedAt: now },
    { replacement: { id: 'k2', endsAt: now + day } },
  ])
    assert.deepEqual(found(changes as never), [], JSON.stringify(changes))
})
