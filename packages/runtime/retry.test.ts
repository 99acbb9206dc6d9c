import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { openAiModel } from '@loomlog/models/chat'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import type { Model } from './answers.ts'
import { caughtUp, run, topics, until, world } from './fixture.ts'
import { Retry } from './retry.ts'
import { judgingStep, loom, modelReply, utterance } from './toy-processors.ts'

test('a 500 and a lost connection pause the stage, and it resumes by itself without parking anything', async (t) => {
  const here = await world(t)
  const endpoint = await startFakeEndpoint({
    answer: () => ({ label: 'at last' }),
    script: [{ fault: 'status', status: 500 }, { fault: 'reset-midway' }],
  })
  t.after(() => endpoint.close())
  const pauses: (string | null)[] = []
  const chat = openAiModel({ baseUrl: endpoint.baseUrl, apiKey: 'fake-key', model: 'fake' })
  await here.append([utterance('1')])
  await run(here, loom(judgingStep), { model: { ...chat, parameters: {} }, onBackoff: (reason) => pauses.push(reason) })
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0: at last'])
  assert.deepEqual(await here.events('parked'), [])
  assert.equal(endpoint.calls().chat, 3)
  assert.match(String(pauses[0]), /500/)
  assert.deepEqual([pauses.length, pauses.at(-1)], [3, null])
})

test('an unreachable endpoint pauses only the spaces that ask it', async (t) => {
  const here = await world(t)
  const gone = openAiModel({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'fake-key', model: 'fake' })
  let there = false
  const model: Model = {
    name: 'fake',
    parameters: {},
    answer: (request) =>
      there || (request.input as { readonly text: string }).text === 'easy'
        ? Promise.resolve(modelReply({ label: 'here' }))
        : gone.answer(request),
  }
  let reason: string | null = null
  await here.append([utterance('1', { space: 'down' }), utterance('2', { space: 'up', text: 'easy' })])
  await run(here, loom(judgingStep), { model, onBackoff: (report) => (reason = report) })
  await until(async () => (await topics(here)).includes('up: c#0: here'), 'the other space is derived')
  await until(() => reason !== null, 'the pause is reported')
  there = true
  await caughtUp(here)
  assert.equal(reason, null)
  assert.deepEqual(await here.events('parked'), [])
})

test('a pause lasts at least as long as the endpoint asked for, and ends with the lease', async (t) => {
  const here = await world(t)
  const endpoint = await startFakeEndpoint({ script: [{ fault: 'status', status: 429, retryAfterSeconds: 1 }] })
  t.after(() => endpoint.close())
  const chat = openAiModel({ baseUrl: endpoint.baseUrl, apiKey: 'fake-key', model: 'fake' })
  await here.append([utterance('1')])
  let pausedAt = 0
  const first = await run(here, loom(judgingStep), {
    model: { ...chat, parameters: {} },
    onBackoff: (reason) => {
      if (reason !== null) pausedAt = performance.now()
    },
  })
  await caughtUp(here)
  assert.ok(performance.now() - pausedAt >= 990)
  await first.close()
  endpoint.setScript([{ fault: 'status', status: 429, retryAfterSeconds: 1e9 }])
  await here.append([utterance('2')])
  const reasons: (string | null)[] = []
  const second = await run(here, loom(judgingStep), {
    model: { ...chat, parameters: {} },
    onBackoff: (reason) => reasons.push(reason),
  })
  await until(() => reasons.length > 0, 'the pause is reported')
  // A timer with too long a delay fires at once.
  await sleep(50)
  await second.close()
  await until(() => reasons.at(-1) === null, 'nothing waits any more')
  assert.equal(endpoint.calls().chat, 3, 'a delay too long for a timer causes no early call')
  assert.deepEqual(second.errors, [])
})

test('the end of one pause is not reported while another lasts', async () => {
  const reports: (string | null)[] = []
  const retry = new Retry({ onBackoff: (reason) => reports.push(reason) })
  const over = new AbortController()
  const failOnce = () => {
    let failed = false
    return async () => {
      if (failed) return 'ok'
      failed = true
      throw new LoomlogError('model-unavailable', 'once')
    }
  }
  const never = retry.untilAvailable(over.signal, () => Promise.reject(new LoomlogError('model-unavailable', 'down')))
  never.catch(() => {})
  await retry.untilAvailable(new AbortController().signal, failOnce())
  assert.equal(reports.includes(null), false)
  over.abort()
  await assert.rejects(never)
  assert.equal(reports.at(-1), null)
})

test('a permanent error is thrown at once', async () => {
  const retry = new Retry({ onBackoff: () => assert.fail('no pause') })
  const { signal } = new AbortController()
  const broken = () => Promise.reject(new LoomlogError('embedder-mismatch', 'for ever'))
  await assert.rejects(retry.untilAvailable(signal, broken), /for ever/)
  await assert.rejects(
    retry.untilAvailable(signal, () => Promise.reject(new Error('a bug'))),
    /a bug/,
  )
})

test('a pause reports its beginning and the time of the next try', async () => {
  const reasons: (string | null)[] = []
  const retry = new Retry({ onBackoff: (reason) => reasons.push(reason) })
  let failures = 0
  await retry.untilAvailable(new AbortController().signal, async () => {
    if (failures++ < 1) throw new LoomlogError('model-unavailable', 'the endpoint is away')
  })
  const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ'
  assert.match(String(reasons[0]), new RegExp(`^the endpoint is away \\(since ${time}, next try at ${time}\\)$`))
})

test('an endpoint that is away gets one call at a time, and all waiting calls when it is back', async () => {
  const retry = new Retry({ onBackoff: () => {} })
  const { signal } = new AbortController()
  let isAway = true
  let running = 0
  let mostAtOnce = 0
  let tries = 0
  const call = async () => {
    tries += 1
    running += 1
    mostAtOnce = Math.max(mostAtOnce, running)
    await sleep(1)
    running -= 1
    if (isAway) throw new LoomlogError('model-unavailable', 'away')
  }
  const first = Array.from({ length: 4 }, () => retry.untilAvailable(signal, call))
  await until(() => tries === 4, 'the first calls fail')
  await sleep(50)
  mostAtOnce = 0
  const given = new AbortController()
  const gaveUp = retry.untilAvailable(given.signal, call)
  gaveUp.catch(() => {})
  const more = Array.from({ length: 100 }, () => retry.untilAvailable(signal, call))
  await until(() => tries >= 6, 'one of them tries')
  given.abort()
  assert.deepEqual([mostAtOnce, tries <= 7], [1, true], `${tries} tries`)
  isAway = false
  await Promise.all([...first, ...more])
  await assert.rejects(gaveUp)
})

test('a call is slow ten seconds after its request is sent: its wait for a slot does not count', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reports: (string | null)[] = []
  const retry = new Retry({ onBackoff() {}, onSlowCall: (reason) => reports.push(reason) })
  const [slot, reply] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const answer = retry.untilAvailable(new AbortController().signal, async (watch) => {
    await slot.promise
    return await watch(() => reply.promise)
  })
  await soon()
  t.mock.timers.tick(60_000)
  assert.deepEqual(reports, [])
  slot.resolve()
  await soon()
  t.mock.timers.tick(10_000)
  assert.match(String(reports), /^no answer to a call of/)
  reply.resolve('here')
  assert.equal(await answer, 'here')
  assert.equal(reports.at(-1), null)
})
