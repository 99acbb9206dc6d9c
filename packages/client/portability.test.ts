/** The client runs wherever there is `fetch`: without Node, and without another package. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { build } from 'tsdown'
import { fakeServer, json, problem } from './fake-server.ts'

const packages = join(import.meta.dirname, '..')
const globals = { fetch, URL, AbortController, AbortSignal, setTimeout, clearTimeout, crypto, performance, TextEncoder }

async function bundle() {
  const { bundles } = await build({
    config: false,
    cwd: import.meta.dirname,
    entry: [join(import.meta.dirname, 'index.ts')],
    format: 'iife',
    globalName: 'loomlog',
    platform: 'browser',
    deps: { alwaysBundle: [/./] },
    dts: false,
    write: false,
    logLevel: 'silent',
  })
  const [script] = bundles.flatMap(({ chunks }) => chunks)
  if (script?.type !== 'chunk') return assert.fail('there is no bundle')
  return script
}

test('imports no module of Node and none of another package, but the errors', async () => {
  const { imports, dynamicImports, moduleIds } = await bundle()
  assert.deepEqual([...imports, ...dynamicImports], [])
  const own = [join(packages, 'client/'), join(packages, 'errors/')]
  const others = moduleIds.filter((id) => !own.some((folder) => id.startsWith(folder)))
  assert.deepEqual(others, [])
  assert.ok(moduleIds.some((id) => id.endsWith('/feed.ts')))
})

test('adds, recalls and follows with the globals of a browser', async (t) => {
  const event = { id: 'e1', type: 'loomlog.fact.recorded' }
  const { url, sent } = await fakeServer(t, [
    json({ ids: ['u1'], appended: 1, known: 0, position: '0@1' }, 201),
    problem(503, 'overloaded', { 'retry-after': '0' }),
    json({ memories: [], text: 'Maya lives in Porto.' }),
    json([event], 200, { 'stream-next-offset': '2', 'stream-up-to-date': 'true' }),
    problem(404, 'not-found'),
  ])
  const program = `${(await bundle()).code}
    (async () => {
      const team = loomlog.connect({ url, key: 'k' }).space('team')
      const { ids } = await team.add({ speaker: 'Maya', text: 'I moved to Porto.' }, { conversation: 'chat' })
      const { text } = await team.recall('Where does Maya live?', { limit: 5 })
      const events = []
      for await (const event of team.events({ follow: false })) events.push(event)
      const error = await team.why('none').catch((error) => error)
      return JSON.stringify({ ids, text, events, code: loomlog.isLoomlogError(error) && error.code })
    })()`
  const done = JSON.parse(await runInContext(program, createContext({ ...globals, url })))
  assert.deepEqual(done, {
    ids: ['u1'],
    text: 'Maya lives in Porto.',
    events: [{ ...event, offset: '2' }],
    code: 'not-found',
  })
  assert.deepEqual(
    sent.map(({ method, path }) => `${method} ${path.replace('/v1/spaces/team', '')}`),
    ['POST /utterances', 'POST /recall', 'POST /recall', 'GET /feed?offset=-1', 'GET /memories/none/why'],
  )
})
