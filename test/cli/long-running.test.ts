/** Long-running commands: up, tail --follow, and an ingest that is stopped and resumed. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '../eventually.ts'
import type { RunningProgram } from '../pipeline/loomlog.ts'
import {
  assertRefused,
  assertSucceeded,
  type CommandFixture,
  commandFixture,
  jsonLines,
  utteranceLine,
} from './fixture.ts'

/** The first line with these words that a process prints on this output. */
function lineWith(running: RunningProgram, where: 'stdout' | 'stderr', words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    running.process[where]?.on('data', (data) => {
      text += data
      const found = text
        .split('\n')
        .slice(0, -1)
        .find((one) => one.includes(words))
      if (found) resolve(found)
    })
    void running.finished.then(({ stderr }) => reject(new Error(`it ended without saying ${words}: ${stderr}`)))
  })
}

async function openFixture(t: TestContext): Promise<CommandFixture> {
  const place = await commandFixture()
  t.after(() => place.remove())
  return place
}

async function up(place: CommandFixture) {
  const running = place.start('up', '--port', '0', '--json')
  const { url } = JSON.parse(await lineWith(running, 'stdout', 'url')) as { url: string }
  return { ...running, url }
}

function post(url: string, text: string, id: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${url}/v1/spaces/default/utterances`, { method: 'POST', headers, body: utteranceLine({ id, text }) })
}

async function lagOf(url: string): Promise<number> {
  const now = (await (await fetch(`${url}/v1/status`)).json()) as {
    stages: { lag: number }[]
    views: { lag: number }[]
  }
  return [...now.stages, ...now.views].reduce((sum, part) => sum + part.lag, 0)
}

test('up takes utterances, recalls them at once, shows its progress to others, and stops on Ctrl-C', async (t) => {
  const place = await openFixture(t)
  const running = await up(place)
  for (let n = 0; n < 20; n++) {
    assert.equal((await post(running.url, `The zebra${n} is here.`, `u${n}`)).status, 201)
    const answer = await fetch(`${running.url}/v1/spaces/default/recall?query=zebra${n}&limit=20`)
    const { memories } = (await answer.json()) as { memories: { id: string }[] }
    const found = memories.map(({ id }) => id)
    assert.ok(found.includes(`u${n}`), `found by the next recall: ${found}`)
  }
  await eventually(async () => assert.equal(await lagOf(running.url), 0))
  const [seen] = jsonLines(await place.run('status', '--json'))
  const parts = [seen?.stages, seen?.views].flat() as { lag: number; owners: string[] }[]
  assert.deepEqual(
    parts.map((part) => part.lag),
    parts.map(() => 0),
  )
  assert.equal(parts[0]?.owners.length, 1)
  running.process.kill('SIGINT')
  const end = await running.finished
  assertRefused(end, 130, /stopping/)
  const again = await place.run('recall', 'zebra7', '--json')
  assert.match(again.stdout, /"id":"u7"/)
})

test('an error names a port that is in use, and starts no work; a second up on the same folder shares the work', async (t) => {
  const place = await openFixture(t)
  const first = await up(place)
  const port = new URL(first.url).port
  assertRefused(
    await place.run('up', '--port', port),
    2,
    new RegExp(`port ${port} on 127.0.0.1 can't be used: another process`),
  )
  const second = await up(place)
  await Promise.all([first, second].map(({ url }, n) => post(url, `Both zebra${n}.`, `b${n}`)))
  assert.equal((await post(second.url, 'Other.', 'b0')).status, 409, 'the second knows the ids of the first')
  first.process.kill('SIGKILL')
  assert.equal((await post(second.url, 'After the zebra.', 'b2')).status, 201)
  second.process.kill('SIGTERM')
  assertRefused(await second.finished, 0, /stopping/)
})

test('tail --follow prints new events at once, and stops on Ctrl-C', async (t) => {
  const place = await openFixture(t)
  assertSucceeded(await place.run('ingest', await place.file('a', utteranceLine({ id: 'first' }))))
  const tail = place.start('tail', 'utterances', '--follow')
  await lineWith(tail, 'stdout', '"id":"first"')
  const second = lineWith(tail, 'stdout', '"id":"second"')
  assertSucceeded(await place.run('ingest', await place.file('b', utteranceLine({ id: 'second' }))))
  await second
  tail.process.kill('SIGINT')
  const end = await tail.finished
  assert.deepEqual([end.code, end.stderr], [130, ''])
})

test('a stopped ingest keeps the events that it reported, and the same command resumes to the same memory', async (t) => {
  const place = await openFixture(t)
  const count = 60
  const time = (n: number) => new Date(Date.UTC(2026, 2, 1) + n * 60_000).toISOString()
  const talk = Array.from({ length: count }, (_, n) =>
    utteranceLine({
      id: `u${n}`,
      conversation: `c${n % 10}`,
      at: time(n),
      text: `I bought boat number ${n} in Porto.`,
    }),
  )
  const file = await place.file('talk', talk.join(''))
  // The endpoint hangs until the signal is sent, so the ingest can't end before it.
  for (const calls of [0, 1]) {
    place.endpoint.reset()
    place.endpoint.setScript(Array.from({ length: 1_000 }, () => ({ fault: 'hang' as const })))
    const running = place.start('ingest', file)
    await lineWith(running, 'stderr', 'appending')
    await eventually(() => assert.ok(place.endpoint.calls().total >= calls))
    running.process.kill('SIGINT')
    assertRefused(
      await running.finished,
      130,
      /stopped: appended events stay in the log; the same command resumes from here/,
    )
  }
  place.endpoint.setScript([])
  const [done] = jsonLines(await place.run('ingest', file, '--json'))
  // The pauses of ten conversations, and that of the space.
  assert.equal(Number(done?.appended) + Number(done?.known), count + 10 + 1)
  const hash = async () => (await place.run('dump', '--hash')).stdout
  const stopped = await hash()
  const whole = await commandFixture()
  t.after(() => whole.remove())
  assertSucceeded(await whole.run('ingest', file))
  assert.equal(stopped, (await whole.run('dump', '--hash')).stdout)
})
